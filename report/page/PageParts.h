// The sections of a step's page. Each returns elements of HTML; empty if there is nothing to show.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/page/StepPage.h"

namespace planc::report {

/// Width of the pictures in pixels.
inline constexpr double kPictureWidth = 1120;

/// Where the step goes: its parts, one behind the other.
std::string waterfall(const PlanReport& report);
/// Streams as lanes: all stages with their passes, and the inside of the passes of the critical stage.
std::string timelinePicture(const timeline::Timeline& line);
std::string passPicture(const timeline::Timeline& line);
/// Memory of the stages over time, stacked, with the capacity of the device.
std::string memoryPicture(const PlanReport& report, const timeline::Timeline& line);
/// Layers by FLOPs per byte and FLOP/s, below the peaks of the device.
std::string roofline(const PlanReport& report);
/// Axes of the mesh on the levels of the cluster.
std::string meshPicture(const PlanReport& report);
/// The text of the plan with the exposed seconds that its lines cause.
std::string sourceText(const PlanReport& report);

/// Returns a figure. `zooms`: its horizontal axis is time, which the script zooms.
std::string figure(const std::string& svg, bool zooms = false);
/// Returns the key of colours: class and words of each.
std::string keyOf(std::span<const std::pair<std::string_view, std::string_view>> colours);

} // namespace planc::report
