// The fits, one function per family of equations. Each takes the good samples of one device and adds the facts it
// finds.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"
#include "ir/plan/Plan.h"

#include <map>

namespace planc::calibrate {

/// The good samples of one device, and the intermediate results that the fits share.
class Fitting {
public:
  Fitting(const Part& of, const SourceManager& texts, const std::vector<Series>& sampled,
          std::span<const ir::Optimizer> known, Calibration& result)
      : part(of), sources(texts), series(sampled), optimizers(known), out(result) {}

  const Part& part;
  const SourceManager& sources;
  const std::vector<Series>& series;
  std::span<const ir::Optimizer> optimizers; ///< the library's optimizers
  Calibration& out;
  std::vector<const Sample*> all; ///< samples that passed the checks in at least one direction; see `usable`
  /// Returns whether the checks accepted a direction of a sample.
  std::function<bool(const Sample&, Direction)> usable;

  /// Returns the samples of a kind that were measured in a direction, are usable, and satisfy `also` (if given).
  Points points(Kind kind, Direction direction, const std::function<bool(const Sample&)>& also = {}) const;
  /// The fit of matrix products of one type, which other equations build on.
  struct Products {
    double efficiency = 1, memoryEfficiency = 1, start = 0;
    ir::Table table; ///< efficiency by FLOPs; empty if a number fits
    double at(double flops) const { return table.empty() ? efficiency : table.at(flops); }
  };
  std::map<ir::DType, Products> products;
  double memoryRate = 1, memoryStart = 0; ///< reached bandwidth in B/s; start in seconds

  double peak(ir::DType type) const;
  double bandwidth() const;
  /// Returns the fit of a type. If no sample has the type, returns the library's figures.
  const Products& productsOf(ir::DType type);
  /// Chooses between the closed form and the table. Takes the table if the closed form's error exceeds the tolerance
  /// and the table's error is smaller. Does the same with `factors`, a table with a factor by a second size.
  Quality choose(std::string subject, const Points& points, Direction direction, Size size, const Fitter& closed,
                 const Fitter& table, const Fitter& factors = {}) const;
  bool fullClocks = false; ///< product samples of profiles ran at full clocks: too short to reach the power limit

  /// Returns whether the times of all points were taken at the clocks of long training, so that prices need no power
  /// limit.
  bool sustained(const Points& points) const;
  /// Returns the source text of a fact: the files of these points, the count of samples and the errors.
  std::string source(const Points& points, const std::vector<const Quality*>& qualities) const;
  /// Returns a section with the statistics of its fits and without facts.
  Section section(Record record, const Points& points, const std::vector<const Quality*>& qualities) const;
};

/// Returns the measured times of points, in their order.
std::vector<double> times(const Points& points, Direction direction);
/// Returns the seconds of a measured time without the start-up time; at least a twentieth of the measured time.
double working(double measured, double start);

void fitProducts(Fitting& f);
void fitMemory(Fitting& f);
void fitAttention(Fitting& f);
void fitScores(Fitting& f);
void fitLookup(Fitting& f);
void fitOptimizers(Fitting& f);
void fitCollectives(Fitting& f);

} // namespace planc::calibrate
