// Facts of a machine and its software that are changed, as records that derive those a plan names.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "frontend/format/RecordName.h"
#include "ir/machine/Machine.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace planc::format {

/// Gathers facts by path, `cluster.node.bandwidth`, `software.step`, and declares the records that say them.
class RecordText {
public:
  /// `stated`: the record that is derived says the fact, so that it is overridden.
  void add(std::string_view path, bool stated, const std::string& value);
  bool empty() const { return facts_.empty(); }

  /// How the text names a record that is declared elsewhere; nothing if it cannot. `alias`: free for an import.
  using Naming = std::function<std::optional<RecordName>(SourceRange declared, Symbol name, const std::string& alias)>;
  /// What the plan names.
  struct Bases {
    std::string cluster, software;
  };
  /// The declarations, from the inside out, with the imports that they need; and the names of the outermost, empty
  /// where nothing of it was changed.
  struct Declared {
    std::string text, cluster, software;
  };
  /// A record that has no name in the text.
  struct Unnamed {
    std::string_view kind;
    Symbol name;
    SourceRange declared;
  };
  /// `owner`: what the names of the records begin with. `cluster`: that of the plan; null if it has none.
  std::variant<Declared, Unnamed> declare(std::string_view owner, const ir::Cluster* cluster, const Bases& bases,
                                          const Naming& naming) const;

private:
  struct Fact {
    std::string path, value;
    bool stated = false;
  };
  std::vector<Fact> facts_;
};

} // namespace planc::format
