// Where the seconds of a device's compute stream go: by what it does, and by whose work or communication that is.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/program/Program.h"

#include <map>
#include <vector>

namespace planc::cost {

/// Seconds of a compute stream. They are booked where they arise, so that sums of them are the time that passed.
struct Spent {
  double computing = 0; ///< as long as it takes alone
  double slowed = 0;    ///< what that loses beside communication
  double exposed = 0;   ///< held by communication, or waiting for it
  double launches = 0;  ///< waiting for the host
  double sum() const { return computing + slowed + exposed + launches; }
  void add(const Spent& other, double times = 1);
};

/// Seconds spent on instances of one class.
struct ClassSpent {
  std::vector<Spent> forward, backward; ///< by node of the class's lists; empty: nothing
  std::vector<double> states;           ///< exposed, by state collective; empty: nothing
  std::vector<Spent>& nodes(bool backwardPass) { return backwardPass ? backward : forward; }
  const std::vector<Spent>& nodes(bool backwardPass) const { return backwardPass ? backward : forward; }
};

/// Seconds by class. Accounts are linear: the account of n actions is n times the account of one.
class Account {
public:
  /// Seconds of the nodes of a class in one direction; there are `count` nodes.
  std::vector<Spent>& nodes(ir::LayerClassId layerClass, bool backward, size_t count);
  void expose(ir::LayerClassId layerClass, size_t state, double seconds);
  void add(const Account& other, double times = 1);
  /// The seconds by which entries of this exceed those of `other`; 0 where they do not.
  Account beyond(const Account& other) const;
  /// Spreads seconds that computing loses over the nodes that compute in `computing`, by how long they do.
  void slow(const Account& computing, double seconds);
  /// Spreads exposed seconds over state collectives by the seconds that `by` has of them.
  void expose(const Account& by, double seconds);
  Spent sum() const;
  double exposedStates() const;
  const std::map<ir::LayerClassId, ClassSpent>& bodies() const { return classes_; }
  /// Nothing, if the class has no part in it.
  const ClassSpent* find(ir::LayerClassId layerClass) const;

private:
  std::map<ir::LayerClassId, ClassSpent> classes_;
};

} // namespace planc::cost
