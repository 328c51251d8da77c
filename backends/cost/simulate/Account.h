// The seconds of a device's compute stream, by activity and by the class whose work or communication takes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <map>
#include <vector>

namespace planc::cost {

/// Seconds of a compute stream. They are booked where they arise, so that they add up to the time that passed.
struct Spent {
  double computing = 0; ///< seconds that computing takes without concurrent communication
  double slowed = 0;    ///< seconds that computing loses to concurrent communication
  double exposed = 0;   ///< seconds in which communication holds the stream, or the stream waits for it
  double launches = 0;  ///< seconds of waiting for the host
  double sum() const { return computing + slowed + exposed + launches; }
  void add(const Spent& other, double times = 1);
};

/// Seconds spent on instances of one class.
struct ClassSpent {
  std::vector<Spent> forward, backward; ///< by node of the class's lists; empty: no seconds
  std::vector<double> states;           ///< exposed seconds, by state collective; empty: no seconds
  std::vector<Spent>& nodes(bool backwardPass) { return backwardPass ? backward : forward; }
  const std::vector<Spent>& nodes(bool backwardPass) const { return backwardPass ? backward : forward; }
};

/// Seconds by class. Accounts are linear: the account of n actions is n times the account of one.
class Account {
public:
  /// Returns a modifiable list: the seconds of the `count` nodes of a class in one direction. Adds missing elements.
  std::vector<Spent>& nodes(ir::LayerClassId layerClass, bool backward, size_t count);
  void expose(ir::LayerClassId layerClass, size_t state, double seconds);
  void add(const Account& other, double times = 1);
  /// Returns for each entry the seconds by which it exceeds the same entry of `other`; 0 if it does not.
  Account beyond(const Account& other) const;
  /// Adds `seconds` to `slowed` of the nodes in `computing`, in proportion to their computing seconds in that account.
  void slow(const Account& computing, double seconds);
  /// Adds exposed seconds to state collectives, in proportion to their exposed seconds in `by`.
  void expose(const Account& by, double seconds);
  Spent sum() const;
  double exposedStates() const;
  const std::map<ir::LayerClassId, ClassSpent>& bodies() const { return classes_; }
  /// Returns the seconds of a class; null if the account has none.
  const ClassSpent* find(ir::LayerClassId layerClass) const;

private:
  std::map<ir::LayerClassId, ClassSpent> classes_;
};

} // namespace planc::cost
