// What comes out of fits: facts for records of the library, and how well each predicts samples that it was not fitted
// to.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fitted.h"
#include "calibrate/samples/Robust.h"
#include "calibrate/samples/Sample.h"
#include "ir/machine/Machine.h"

#include <optional>

namespace planc::calibrate {

/// The part that samples were taken on: the record of the library that the calibrated one extends, and the links of a
/// usual cluster of it.
struct Part {
  std::string name;  ///< `a100_sxm4_80gb`, of `std.devices`
  ir::Device device; ///< datasheet peaks, and its calibration for what samples do not say
  double link = 0;   ///< B/s per device and direction inside a node; 0: not known
  double card = 0;   ///< B/s of a device's share of the network cards; 0: not known
  std::optional<double> linkLatency{}, cardLatency{}; ///< seconds of a step over these; nothing: not known
  double unit = 0; ///< devices of one unit that network cards serve; 0: a unit is a host
  double host = 0; ///< devices of one host of such a unit; 0: as many as a run has ranks on one
};

enum class Direction { Forward, Backward };
std::string_view name(Direction d);
/// Seconds; 0: not measured.
double timeOf(const Sample& sample, Direction direction);

using Points = std::vector<const Sample*>;
/// Seconds of a sample.
using Predict = std::function<double(const Sample&)>;
/// A way to fit: given points, what they say of any other.
using Fitter = std::function<Predict(const Points&)>;

/// What x of a table and the range of validity count.
enum class Size { Flops, Bytes, Params, HeadDim, None };
double sizeOf(const Sample& sample, Size size);

/// A sample that the fit misses by far more than the others.
struct Outlier {
  const Sample* sample = nullptr;
  double measured = 0, predicted = 0; ///< seconds
};

/// `Factors`: a number or a table by one size, times a table by another.
enum class Form { Closed, Table, Factors };

/// How well a fit predicts shapes that it has not seen. Errors are relative.
struct Quality {
  std::string subject; ///< `gemm fp16`, `layer_norm`, `all_reduce of 8`
  Direction direction = Direction::Forward;
  Form form = Form::Closed;
  size_t samples = 0, shapes = 0;
  double median = 0, p75 = 0, p90 = 0;
  double closedMedian = 0; ///< of the closed form
  Size size = Size::None;
  double low = 0, high = 0;      ///< what the samples span
  std::vector<Outlier> outliers; ///< the farthest first
  std::string constants;         ///< what was found, for people
  /// Whether the errors are of samples that the fit had not seen: of one shape none can be left out.
  bool heldOut() const { return shapes > 1; }
};

/// Held-out errors by folds over shapes: repeats of one shape are in one fold. Of a single shape the errors are those
/// of its own fit.
Quality judge(const Points& points, Direction direction, Size size, const Fitter& fitter);
/// A closed form whose held-out errors are above these is replaced by a table, if that is nearer.
inline constexpr double kTolerance = 0.10, kToleranceP75 = 0.15;
/// A fact whose fit misses by more than this is no fact: it is not written.
inline constexpr double kUseless = 0.25;

/// One number or table of a record.
struct Fact {
  ir::FactRef of;
  double number = 0;
  ir::Table table{}; ///< in place of the number where it is not empty
};

/// The records that calibration writes.
enum class Record { Device, Stack, Node, Network };

/// Facts that were fitted together, one statement of a record with what is known about it, or a row of samples.
struct Section {
  Record record = Record::Device;
  std::vector<Fact> facts;     ///< of one section of the record
  bool alone = false;          ///< its one fact is written as a number, without statistics
  ir::FactRef samplesOf{};     ///< of a row: the fact of the fabric that is a list of these
  ir::Fabric::Sample sample{}; ///< of a row
  /// Of facts that the extended record has beside these: what the measured times hold already. They are not taken over.
  std::vector<ir::FactRef> within{};
  bool row() const { return samplesOf != ir::FactRef(); }
  bool holds(std::string_view path) const;
  /// What its statement is called: `calibration.gemm.fp16`.
  std::string path() const;
  size_t samples = 0;
  bool heldOut = false;      ///< `error` and `p90` are known
  double error = 0, p90 = 0; ///< of the direction that is predicted worst
  double low = 0, high = 0;  ///< both 0: not given
  Size size = Size::None;
  std::string source;
};

/// The result for one device.
struct Calibration {
  std::string label; ///< as the files call it
  const Part* part = nullptr;
  size_t samples = 0, excluded = 0;
  Fitted fitted{}; ///< whoever read the files says it
  std::vector<Section> sections;
  std::vector<Quality> qualities;
  std::vector<std::string> notes;
};

} // namespace planc::calibrate
