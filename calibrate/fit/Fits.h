// The results of fits: facts for records of the library, and how well each fit predicts samples that it has not seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fitted.h"
#include "calibrate/samples/Robust.h"
#include "calibrate/samples/Sample.h"
#include "ir/machine/Machine.h"

#include <optional>

namespace planc::calibrate {

/// The hardware that samples were taken on: the library's device record, which the calibrated record extends, and the
/// links of its usual cluster.
struct Part {
  std::string name;  ///< `a100_sxm4_80gb`, a name of `std.devices`
  ir::Device device; ///< datasheet peaks, and its calibration for values that no sample determines
  double link = 0;   ///< B/s per device and direction inside a node; 0: unknown
  double card = 0;   ///< B/s of a device's share of the network cards; 0: unknown
  std::optional<double> linkLatency{}, cardLatency{}; ///< seconds of a step over each; nothing: unknown
  double unit = 0; ///< devices of a unit that network cards serve; 0: a unit is one host
  double host = 0; ///< devices on a host of such a unit; 0: as many as a run has ranks per host
};

enum class Direction { Forward, Backward };
std::string_view name(Direction d);
/// Returns the time in seconds; 0 if it was not measured.
double timeOf(const Sample& sample, Direction direction);

using Points = std::vector<const Sample*>;
/// Predicts the time of a sample in seconds.
using Predict = std::function<double(const Sample&)>;
/// A way to fit: takes points, and returns a function that predicts any sample.
using Fitter = std::function<Predict(const Points&)>;

/// The size by which a table and the range of validity are given.
enum class Size { Flops, Bytes, Params, HeadDim, None };
double sizeOf(const Sample& sample, Size size);

/// A sample that the fit misses by far more than other samples.
struct Outlier {
  const Sample* sample = nullptr;
  double measured = 0, predicted = 0; ///< seconds
};

/// The form of a fit. `Factors`: a number or a table by one size, times a table by another size.
enum class Form { Closed, Table, Factors };

/// How well a fit predicts shapes that it has not seen. Errors are relative.
struct Quality {
  std::string subject; ///< `gemm fp16`, `layer_norm`, `all_reduce of 8`
  Direction direction = Direction::Forward;
  Form form = Form::Closed;
  size_t samples = 0, shapes = 0;
  double median = 0, p75 = 0, p90 = 0;
  double closedMedian = 0; ///< median error of the closed form
  Size size = Size::None;
  double low = 0, high = 0;      ///< smallest and largest size of the samples
  std::vector<Outlier> outliers; ///< largest error first
  std::string constants;         ///< the fitted values as text for the report
  /// Returns whether the errors are held-out errors. With a single shape, no shape can be held out.
  bool heldOut() const { return shapes > 1; }
};

/// Computes held-out errors by cross-validation over shapes; repeats of one shape are in the same fold. With a single
/// shape, the errors are those of the fit itself.
Quality judge(const Points& points, Direction direction, Size size, const Fitter& fitter);
/// If the held-out errors of a closed form exceed these values and a table predicts better, the table replaces it.
inline constexpr double kTolerance = 0.10, kToleranceP75 = 0.15;
/// Facts whose fit has a larger error are not written.
inline constexpr double kUseless = 0.25;

/// One fact of a record: a number or a table.
struct Fact {
  ir::FactRef of;
  double number = 0;
  ir::Table table{}; ///< replaces `number` unless it is empty
};

/// The records that calibration writes.
enum class Record { Device, Stack, Node, Network };

/// Facts that were fitted together and are written as one statement of a record, or one row of a list of samples.
struct Section {
  Record record = Record::Device;
  std::vector<Fact> facts;     ///< in the same section of the record
  bool alone = false;          ///< its only fact is written as a plain number, without statistics
  ir::FactRef samplesOf{};     ///< for a row: the list of samples in the fabric that it belongs to
  ir::Fabric::Sample sample{}; ///< for a row: its values
  /// Facts of the extended record that the measured times already include, so they are not copied.
  std::vector<ir::FactRef> within{};
  bool row() const { return samplesOf != ir::FactRef(); }
  bool holds(std::string_view path) const;
  /// Returns the path of its statement: `calibration.gemm.fp16`.
  std::string path() const;
  size_t samples = 0;
  bool heldOut = false;      ///< `error` and `p90` are known
  double error = 0, p90 = 0; ///< errors of the direction with the largest error
  double low = 0, high = 0;  ///< range of validity; both 0: not given
  Size size = Size::None;
  std::string source;
};

/// The calibration of one device.
struct Calibration {
  std::string label; ///< the device's name in the files
  const Part* part = nullptr;
  size_t samples = 0, excluded = 0;
  Fitted fitted{}; ///< filled in by the caller, who read the files
  std::vector<Section> sections;
  std::vector<Quality> qualities;
  std::vector<std::string> notes;
};

} // namespace planc::calibrate
