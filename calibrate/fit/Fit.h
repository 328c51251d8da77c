// The fits, one function per family of equations; each takes the good samples of one device and adds what it found.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/fit/Fits.h"
#include "ir/plan/Plan.h"

#include <map>

namespace planc::calibrate {

/// The good samples of one device, by what is fitted together.
class Fitting {
public:
  Fitting(const Part& of, const SourceManager& texts, const std::vector<Series>& sampled,
          std::span<const ir::Optimizer> known, Calibration& result)
      : part(of), sources(texts), series(sampled), optimizers(known), out(result) {}

  const Part& part;
  const SourceManager& sources;
  const std::vector<Series>& series;
  std::span<const ir::Optimizer> optimizers; ///< of the library
  Calibration& out;
  std::vector<const Sample*> all; ///< whose checks they passed; a direction that failed is taken out of `usable`
  /// Whether the direction of a sample is fit for use.
  std::function<bool(const Sample&, Direction)> usable;

  /// Samples of a kind that were measured and are usable.
  Points points(Kind kind, Direction direction, const std::function<bool(const Sample&)>& also = {}) const;
  /// Fitted before the rest: what other equations build on.
  struct Products {
    double efficiency = 1, memoryEfficiency = 1, start = 0;
    ir::Table table; ///< of the efficiency, by FLOPs
    double at(double flops) const { return table.empty() ? efficiency : table.at(flops); }
  };
  std::map<ir::DType, Products> products;
  double memoryRate = 1, memoryStart = 0; ///< B/s reached, seconds

  double peak(ir::DType type) const;
  double bandwidth() const;
  /// Of a type without samples: the library's figures.
  const Products& productsOf(ir::DType type);
  /// The closed form, or the table where the closed form misses by more than the tolerance and the table by less; the
  /// same once more with a second size's factor.
  Quality choose(std::string subject, const Points& points, Direction direction, Size size, const Fitter& closed,
                 const Fitter& table, const Fitter& factors = {}) const;
  bool fullClocks = false; ///< of the products of profiles, which were too short for power to matter

  /// Whether the clocks of these times are those of long training: no energy slows them further.
  bool sustained(const Points& points) const;
  /// The files of these points, counts and errors: the source text of a fact.
  std::string source(const Points& points, const std::vector<const Quality*>& qualities) const;
  /// A section without facts yet, with statistics of its fits.
  Section section(Record record, const Points& points, const std::vector<const Quality*>& qualities) const;
};

/// The measured times of points, in their order.
std::vector<double> times(const Points& points, Direction direction);
/// Seconds of a measured time that are work and not start: at least a twentieth, where starting is all there is.
double working(double measured, double start);

void fitProducts(Fitting& f);
void fitMemory(Fitting& f);
void fitAttention(Fitting& f);
void fitScores(Fitting& f);
void fitLookup(Fitting& f);
void fitOptimizers(Fitting& f);
void fitCollectives(Fitting& f);

} // namespace planc::calibrate
