// Pairs the rows of two accounts by cause and subject.
// SPDX-License-Identifier: Apache-2.0
#include "backends/diff/Attribution.h"

#include <algorithm>
#include <map>

namespace planc::diff {

namespace {

/// Parts by cause and subject, in the order of their first rows.
class Pairing {
public:
  void add(const Account& account, double Part::*side, double scale) {
    for (const AccountRow& row : account.rows) add(row, side, scale * row.seconds);
    largest_.assign(parts_.size(), 0); // the second step sets `because` if it has the part
  }
  /// Returns the parts by cause. Parts of one cause keep their order.
  std::vector<Part> take() {
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& x, const Part& y) { return x.cause < y.cause; });
    return std::move(parts_);
  }

private:
  void add(const AccountRow& row, double Part::*side, double seconds) {
    if (seconds == 0) return;
    const auto [at, fresh] = index_.try_emplace({row.cause, row.what}, parts_.size());
    if (fresh) {
      parts_.push_back({row.cause, row.what});
      largest_.push_back(0);
    }
    Part& part = parts_[at->second];
    part.*side += seconds;
    double& largest = largest_[at->second];
    if (row.because.empty() || seconds <= largest) return;
    largest = seconds;
    part.because = row.because;
  }

  std::vector<Part> parts_;
  std::vector<double> largest_;
  std::map<std::pair<Cause, Subject>, size_t> index_;
};

} // namespace

Attribution attribute(const Account& a, const Account& b, double scaleA, double scaleB) {
  Pairing pairing;
  pairing.add(a, &Part::a, scaleA);
  pairing.add(b, &Part::b, scaleB);
  return {pairing.take(), scaleA * a.step, scaleB * b.step};
}

} // namespace planc::diff
