// Writes changed facts of the machine and its software as records that derive the plan's records.
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

/// Collects facts by path (`cluster.node.bandwidth`, `software.step`), and writes records that contain them.
class RecordText {
public:
  /// Adds a fact. `stated`: the base record states this fact, so that it must be overridden.
  void add(std::string_view path, bool stated, const std::string& value);
  bool empty() const { return facts_.empty(); }

  /// The name, in the text, of a record that is declared elsewhere; nullopt if there is none. `alias`: a free name for
  /// an import.
  using Naming = std::function<std::optional<RecordName>(SourceRange declared, Symbol name, const std::string& alias)>;
  /// The plan's own names for its records.
  struct Bases {
    std::string cluster, software;
  };
  /// The declarations, innermost record first, with the imports that they need; and the names of the outermost records,
  /// empty for a record without changes.
  struct Declared {
    std::string text, cluster, software;
  };
  /// A record that the text cannot name.
  struct Unnamed {
    std::string_view kind;
    Symbol name;
    SourceRange declared;
  };
  /// Writes the declarations. `owner`: the prefix of the new records' names. `cluster`: the plan's cluster; null if it
  /// has none.
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
