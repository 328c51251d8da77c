# The published sources, one module each, and how a row of theirs becomes a plan.
# SPDX-License-Identifier: Apache-2.0
from . import (amd, automodel, bloom, bridge, cards, dgxc, dlperf, fms, h200, internevo, korthikanti, layers, llm_foundry, maxtext, megatron_2020, model_zoo,
               mt_nlg, nemo, nemo_context, rapid_llm, sc21, simumax, stas00, torchtitan, vtrain, zero_bubble)

ALL = [korthikanti, sc21, megatron_2020, mt_nlg, bloom, vtrain, zero_bubble, llm_foundry, fms, torchtitan, nemo, nemo_context, bridge, simumax, stas00,
       automodel, dlperf, maxtext, layers, internevo, dgxc, model_zoo, rapid_llm, amd, cards, h200]
