// Settings of a plan on their way to foreign fields, and what formats compute from them.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "import/backwards/Backwards.h"

#include <map>

namespace planc::foreign {

using Texts = std::map<std::string, std::string>;

/// State of one export.
struct Backwards {
  std::string_view format;
  const PlanWords& plan;
  DiagnosticEngine& found;
  Texts settings{};
  std::map<std::string, std::optional<std::string>, std::less<>> defaults{}; ///< of settings of models
  std::vector<std::string> comments{};                                       ///< what no field says
  std::string family = "decoder";                                            ///< the models that the format describes

  /// Reports that the format cannot say something.
  void lacks(SourceRange range, std::string_view what, std::string_view why, std::string_view help);
  /// The whole number of a setting, or `otherwise`.
  int64_t count(const std::string& name, int64_t otherwise) const;
  bool is(const std::string& name, std::string_view value) const {
    const auto at = settings.find(name);
    return at != settings.end() && at->second == value;
  }
};

/// Turns settings of the library into those that arguments of Megatron-LM give: the inverse of what its import settles.
void unsettleMegatron(Backwards& state);

} // namespace planc::foreign
