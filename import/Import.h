// The door of the room: files of other systems become the text of a plan. The caller reads the files, finds names of
// the library, and checks the text.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "import/Settings.h"
#include "support/Diagnostics.h"
#include "support/Source.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace planc::foreign {

/// What is imported.
struct ImportRequest {
  std::string format;                                   ///< `hf`
  std::vector<FileId> files;                            ///< in the order of the command line
  std::vector<std::pair<std::string, std::string>> set; ///< `--set KEY=VALUE`
  bool model = false;                                   ///< the caller names the model
  bool cluster = false;                                 ///< the caller names the cluster
};

/// What the files say. Texts are plan text in which `@std.models.llama.dense@` stands for a declaration of the library,
/// by its full name.
struct Imported {
  std::string name;   ///< an identifier for the model and the plan
  std::string title;  ///< what the files call it, on one line
  std::string model;  ///< the call of a model; empty: the caller names it
  bool usual = false; ///< the files say no layout: the caller may choose another recipe
  std::string recipe; ///< full name of the recipe; empty: the files say no layout
  std::vector<std::pair<std::string, std::string>> arguments; ///< of the recipe, without model and cluster
  std::vector<std::string> statements;                        ///< in the braces of the plan
  std::optional<int64_t> devices;
  std::vector<std::string> assumed, left; ///< for the comment
  FieldUse use;
  std::optional<double> named, namedActive; ///< parameters that the name of the file says
  std::string cluster;                      ///< word for the cluster if the caller names none; empty: none is needed
};

/// The names of the formats, in the order of the help.
std::vector<std::string> formatNames();
/// The words of `--set` that no field or variable of the files took, after `imported`.
/// Returns what the files say; nullopt after errors. `unused` receives the keys of `--set` that nothing took.
std::optional<Imported> imported(const ImportRequest& request, SourceManager& sources, DiagnosticEngine& found,
                                 std::vector<std::string>& unused);

/// What the caller knows about the text: names of declarations, and the cluster.
struct TextNames {
  std::function<std::string(const std::string& path)> name; ///< the name of a declaration in the text
  std::function<std::string()> imports;                     ///< the import lines, after all names were asked for
  std::string command;                                      ///< the command line that writes the text
  std::string before;                   ///< declarations in front of the plan, such as a derived cluster
  std::string model, cluster, software; ///< texts of the caller; empty: none
};

/// Returns the text of the plan, not formatted yet.
std::string textOf(const Imported& what, const TextNames& names);
/// Returns the text of a plan that only counts the parameters of the model.
std::string countingText(const Imported& what, const TextNames& names, std::string_view cluster);
/// The full name of the recipe for `countingText`.
std::string countingRecipe();
/// The name that recipes have for their parameter of a kind, `model` or `cluster`.
std::string recipeParameter(std::string_view kind);
/// The word of the cluster for `countingText`, and for a plan whose files name none.
std::string usualCluster();
/// Returns the last line of the command: `43 of 61 arguments used, 16 do not matter, 2 unknown: …`.
std::string useText(const FieldUse& use);

} // namespace planc::foreign
