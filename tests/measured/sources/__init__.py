# The published sources, one module each, and how a row of theirs becomes a plan.
# SPDX-License-Identifier: Apache-2.0
from . import (bridge, dlperf, fms, korthikanti, layers, llm_foundry, maxtext, megatron_2020, nemo, nemo_context, sc21, torchtitan,
               vtrain, zero_bubble)

ALL = [korthikanti, sc21, megatron_2020, vtrain, zero_bubble, llm_foundry, fms, torchtitan, nemo, nemo_context, bridge, dlperf, maxtext, layers]
