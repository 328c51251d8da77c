// The metrics that a plan may assert, compare with a measurement, or search by: `step_time`, `memory.peak`. Rows of
// backends/verdict read each metric from an estimate.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/vocabulary/Vocabulary.h"

namespace planc::ir {

/// A metric and the two ends of its interval, each a word of its own.
#define PLANC_WITH_ENDS(name, doc)                                                                                     \
  {name, doc}, {name ".low", "the lower end of its interval"}, {                                                       \
    name ".high", "the upper end of its interval"                                                                      \
  }

inline constexpr Word kMetricWords[] = {
    PLANC_WITH_ENDS("step_time", "how long a training step takes"),
    PLANC_WITH_ENDS("tokens_per_second", "tokens of all devices in a second"),
    {"tokens_per_second_per_device", "tokens of one device in a second"},
    PLANC_WITH_ENDS("samples_per_second", "samples of all devices in a second"),
    {"model_rate", "FLOPs of the model in a second, per device: without recomputation, with full attention"},
    {"model_rate_causal", "`model_rate` with only the unmasked part of attention"},
    {"hardware_rate", "FLOPs that a device executes in a second"},
    PLANC_WITH_ENDS("mfu", "`model_rate` over the peak of the types that products run in"),
    {"mfu_causal", "`model_rate_causal` over the same peak"},
    {"hfu", "`hardware_rate` over the same peak"},
    {"compute", "operators of the critical stage, each as long as it takes alone"},
    {"comm.total", "collectives of the critical stage, hidden ones too"},
    {"comm.exposed", "communication that occupies the critical stage or makes it wait"},
    {"slowed", "time that operators lose to concurrent communication"},
    {"launches", "waiting for the host"},
    {"bubble", "waiting for other stages"},
    {"bubble.even", "the part of the bubble that equal stages would have"},
    {"bubble.imbalance", "the rest of the bubble"},
    {"optimizer", "the update of the parameters, with its collectives"},
    {"overhead", "fixed and proportional extra time of the stack"},
    {"straggler", "waiting for the slowest device"},
    {"params", "parameters of the model"},
    {"params.active", "parameters that one token uses"},
    {"cluster.devices", "devices of the cluster"},
    PLANC_WITH_ENDS("device_hours", "time of all devices in a step"),
    PLANC_WITH_ENDS("cost", "price of a step"),
    PLANC_WITH_ENDS("energy", "energy of a step"),
    {"device_hours.per_1t_tokens", "time of all devices for a trillion tokens"},
    {"cost.per_1t_tokens", "price of a trillion tokens"},
    {"energy.per_1t_tokens", "energy of a trillion tokens"},
    {"memory.peak", "largest allocated memory of a device of the fullest stage"},
    {"memory.pool", "largest memory held by its allocator, cached blocks included"},
    {"memory.capacity", "memory of a device"},
    {"memory.fits", "whether the peak fits in the capacity minus reserved and lost memory"},
    {"memory.fits_probability", "probability that it fits, by the stack's error of peaks"},
    {"memory.params", "parameters at the peak"},
    {"memory.grads", "gradients at the peak"},
    {"memory.optimizer", "states of the optimizer at the peak"},
    {"memory.activations", "activations at the peak"},
    {"memory.buffers", "buffers and the software's own memory at the peak"},
    {"layer.forward", "forward pass of one instance of a layer"},
    {"layer.backward", "its backward pass"},
    {"layer.recompute", "recomputation in its backward pass"},
    {"layer.comm", "its collectives"},
    {"layer.exposed", "exposed collectives of the layer"},
    PLANC_WITH_ENDS("run.days", "how long a run takes"),
    PLANC_WITH_ENDS("run.device_hours", "time of all devices in a run"),
    PLANC_WITH_ENDS("run.cost", "price of a run"),
    PLANC_WITH_ENDS("run.energy", "energy of a run"),
    PLANC_WITH_ENDS("run.emissions", "carbon of the run's energy"),
    {"run.goodput", "share of a run that makes progress"},
    {"run.productive", "time of a run that makes progress"},
    {"run.checkpointing", "time of a run that writes checkpoints"},
    {"run.lost", "time of a run that failures undo"},
    {"run.restarting", "time of a run that starts again after failures"},
    {"run.unused", "time of a run in which the job does not run"},
    {"run.failures", "failures of a run"},
    {"run.checkpoints", "checkpoints of a run"},
    {"run.steps", "steps of a run"},
    {"run.job_mtbf", "time between failures of all devices together"},
    {"run.every", "time between checkpoints"},
    {"run.checkpoint", "pause of the run for a checkpoint"},
    {"run.checkpoint_bytes", "size of a checkpoint"},
};

#undef PLANC_WITH_ENDS

Vocabulary& metricWords();

} // namespace planc::ir
