// The formats, each read by the file of its name.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "import/Import.h"
#include "import/Targets.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace planc::foreign {

/// The state of an import, with what is common to all formats.
struct Reading : Import {
  const ImportRequest& request;
  std::vector<ForeignField> set{};       ///< `--set`, as fields whose places are in a text of their own
  std::vector<ForeignValue> setValues{}; ///< the values of `set`
  std::vector<std::string> taken{};      ///< keys of `set` that were used
  TargetTable layouts{};                 ///< the recipes that the format may use; empty: it says no layout
  bool layout = false;                   ///< the files say how the model is trained
  std::optional<double> named{}, namedActive{};
  std::string call{};   ///< the call of a model that the files name; empty: settings describe it
  bool settles = false; ///< the files say a layout, of which `Format::settle` computes the rest
  std::string inside{}; ///< path from a repeated layer of the model to its parts
  bool repeats = false; ///< further tokens of the model are repeated layers

  Reading(Import base, const ImportRequest& asked) : Import(std::move(base)), request(asked) {}

  /// Replaces and adds fields by those of `--set` whose keys the table knows. `spelled` changes a key of the command
  /// line to the spelling of the format.
  void override(std::vector<ForeignField>& fields, const FieldTable& table,
                std::string (*spelled)(std::string_view) = nullptr);
  /// Takes a value of `--set` that is no field, such as the number of devices; nullptr if it is not given.
  const ForeignField* takeSet(std::string_view key);
  /// Takes `--set devices=N`: sets `devices`, which replaces what the files say.
  void takeDevices();
};

/// A format. Its functions return false after errors.
struct Format {
  std::string_view name;
  bool (*read)(Reading& reading);             ///< reads its files into settings
  bool (*settle)(Reading& reading) = nullptr; ///< computes settings of the layout, after the model was chosen
};

/// Reports that the files name no model; code 1218.
extern const DiagnosticKind& kForeignNoModel;

bool readHf(Reading& reading);
bool readMegatron(Reading& reading);
bool settleMegatron(Reading& reading);
bool settleTorchtitan(Reading& reading);
bool settleDeepspeed(Reading& reading);
bool readTorchtitan(Reading& reading);
bool readDeepspeed(Reading& reading);
bool readCalculon(Reading& reading);
bool readSimumax(Reading& reading);
bool readMadmax(Reading& reading);

/// Sets the data-parallel degree from the devices and the other degrees, and reports degrees that do not divide them.
bool settleDegrees(Reading& reading, std::initializer_list<std::string_view> degrees);
/// Experts lie over `ep` ranks, each of them split over `etp`: sets the axes of the recipe that hold them. `axis` holds
/// the data-parallel ranks that share experts. Returns false after errors.
bool settleExpertAxes(Reading& reading, const std::string& axis);
/// Reads a JSON file whose root is a table; nullopt after errors.
std::optional<ForeignValue> readJsonTable(Reading& reading, FileId file);
/// The tables of a format whose files are told apart by their fields, in `parts` of its table: reads each file by the
/// first part one of whose `marks` it has. Adds the names of the parts to `parts`. Returns false after errors.
bool readParts(Reading& reading, std::vector<std::string>& parts);
/// After `readParts`: sets the name and the recipes, and reports parts that are missing. `layout` is the part that says
/// a layout.
bool settleParts(Reading& reading, const std::vector<std::string>& parts, const std::string& layout);

} // namespace planc::foreign
