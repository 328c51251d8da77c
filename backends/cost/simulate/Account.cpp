// Sums of what compute streams spend.
// SPDX-License-Identifier: Apache-2.0
#include "backends/cost/simulate/Account.h"

#include <algorithm>

namespace planc::cost {

void Spent::add(const Spent& other, double times) {
  computing += times * other.computing;
  slowed += times * other.slowed;
  exposed += times * other.exposed;
  launches += times * other.launches;
}

std::vector<Spent>& Account::nodes(ir::LayerClassId layerClass, bool backward, size_t count) {
  std::vector<Spent>& nodes = classes_[layerClass].nodes(backward);
  if (nodes.size() < count) nodes.resize(count);
  return nodes;
}

void Account::expose(ir::LayerClassId layerClass, size_t state, double seconds) {
  std::vector<double>& states = classes_[layerClass].states;
  if (states.size() <= state) states.resize(state + 1);
  states[state] += seconds;
}

void Account::add(const Account& other, double times) {
  for (const auto& [body, spent] : other.classes_) {
    ClassSpent& to = classes_[body];
    for (const bool backward : {false, true}) {
      const std::vector<Spent>& from = spent.nodes(backward);
      std::vector<Spent>& nodes = to.nodes(backward);
      if (nodes.size() < from.size()) nodes.resize(from.size());
      for (size_t n = 0; n < from.size(); ++n) nodes[n].add(from[n], times);
    }
    if (to.states.size() < spent.states.size()) to.states.resize(spent.states.size());
    for (size_t s = 0; s < spent.states.size(); ++s) to.states[s] += times * spent.states[s];
  }
}

Account Account::beyond(const Account& other) const {
  Account more = *this;
  more.add(other, -1);
  for (auto& [body, spent] : more.classes_) {
    for (const bool backward : {false, true})
      for (Spent& node : spent.nodes(backward))
        for (double* part : {&node.computing, &node.slowed, &node.exposed, &node.launches}) *part = std::max(0., *part);
    for (double& seconds : spent.states) seconds = std::max(0., seconds);
  }
  return more;
}

void Account::slow(const Account& computing, double seconds) {
  const double all = computing.sum().computing;
  if (!(all > 0)) return;
  for (const auto& [body, spent] : computing.classes_)
    for (const bool backward : {false, true}) {
      const std::vector<Spent>& from = spent.nodes(backward);
      std::vector<Spent>& to = nodes(body, backward, from.size());
      for (size_t n = 0; n < from.size(); ++n) to[n].slowed += seconds * from[n].computing / all;
    }
}

void Account::expose(const Account& by, double seconds) {
  const double all = by.exposedStates();
  if (!(all > 0)) return;
  for (const auto& [body, spent] : by.classes_)
    for (size_t s = 0; s < spent.states.size(); ++s) expose(body, s, seconds * spent.states[s] / all);
}

Spent Account::sum() const {
  Spent sum;
  for (const auto& [body, spent] : classes_) {
    for (const bool backward : {false, true})
      for (const Spent& node : spent.nodes(backward)) sum.add(node);
    for (const double seconds : spent.states) sum.exposed += seconds;
  }
  return sum;
}

double Account::exposedStates() const {
  double sum = 0;
  for (const auto& [body, spent] : classes_)
    for (const double seconds : spent.states) sum += seconds;
  return sum;
}

const ClassSpent* Account::find(ir::LayerClassId layerClass) const {
  const auto found = classes_.find(layerClass);
  return found == classes_.end() ? nullptr : &found->second;
}

} // namespace planc::cost
