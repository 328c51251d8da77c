"""NVIDIA DGX Cloud benchmarking, NVIDIA/dgxc-benchmarking: Paxml at v25.01.1, NeMo fine-tuning at v25.04.02, Nemotron-H at v25.05.05, all on H100.

| field | rule |
|---|---|
| step time, batch | printed |
| data parallelism | GPUs / (tensor x pipeline); a printed degree that does not multiply out is not used |
| machine | Eos |

NeMo, by the rules of nvidia.py, and

| field | rule |
|---|---|
| Nemotron-H 56B | the order of layers and the sizes of NemotronHConfig56B (NVIDIA/NeMo, collections/llm/gpt/model/ssm.py): 10 layers of attention, state of 256, width of 32768; chunks of 128, the default of Megatron Core |
| fp8 | one fp8, as in nvidia.py; the first and last layer of Nemotron-H are in bf16 there, and are not separated here |
| parameters of Nemotron-H | gathered after the step, not beside the forward pass: `overlap_param_gather = False` (recipes/nemotronh_56b.py) |
| packed samples | SQuAD packed to the sequence (`SquadDataModule`, `performance_mode`): documents of 170 tokens on average, spread 70, from 117 words of context, 10 of a question and 3 of an answer (arXiv 1606.05250) |
| stack | NeMo 25.04 (Nemotron-H): user buffers, `te_ub`; NeMo 24.12 (fine-tuning): `te_2407`, whose release is the nearest |

Paxml:

| field | rule |
|---|---|
| architecture | GPT-3 with the printed sizes; 5B: 24 layers of 4096 with 32 heads, vocabulary of 51200 (README_5b.md, notes; `GPT5B` of google/paxml, contrib/gpu/scripts_gpu/configs.py) |
| sharding | parameters over the 8 GPUs of a node and FSDP nodes, 1 for 5B and 16 for 175B (paxml/configure.sh); copies between them |
| precision | parameters and states in fp32; gathered and reduced in bf16 (`FPROP_DTYPE`) |
| recomputation | 5B: all but the products (`SAVE_DOT_ONLY`); 175B: all but query, key, value and output projections (`SAVE_QKV_OUT_PROJ`): paxml/paxml_mod_configs.py |
| stack | `paxml_gpu`: no run of Paxml was fitted |
"""
# SPDX-License-Identifier: Apache-2.0
from . import nvidia
from .common import Run, need

TITLE = "DGX Cloud benchmarking: Paxml, Nemotron-H, packed fine-tuning."
PUBLISHER = "nvidia"
PAXML, NEMO, TUNE = ("NVIDIA DGX Cloud benchmarking (Paxml)", "NVIDIA DGX Cloud benchmarking (NeMo)",
                     "NVIDIA DGX Cloud benchmarking (NeMo finetune SFT)")
SOURCES = (PAXML, NEMO, TUNE)

NEMOTRON_H = "nemotron_h.nemotron_h(first = 3, periods = 10, between = 4, rest = 1, hidden = 8192, heads = 64, ffn = 32768, state = 256)"
HYBRID = ("batch -> dp", "start, decoder, finish { seq -> tp }", "start.both, finish.both { heads -> tp; ffn -> tp }",
          "decoder.mixer, decoder.attn, decoder.pairs { heads -> tp }", "decoder.mlp, decoder.pairs { ffn -> tp }",
          "norm { seq -> tp }", "embed, head, loss { vocab -> tp }")
SIZES = {"GPT-5B": (24, 4096, 32, 51200)}
FSDP = {"GPT-5B": 1, "GPT3-175B": 16}  # nodes that share parameters
SAVED = {"GPT-5B": "attn.q, attn.k, attn.v, attn.out, mlp.up, mlp.out", "GPT3-175B": "attn.q, attn.k, attn.v, attn.out"}


def paxml(row):
    family = row["model_family"]
    layers, hidden, heads, vocab = SIZES.get(family) or need(row, "layers", "hidden", "heads", "vocab")
    seq, mbs, gbs, gpus = need(row, "seq", "mbs", "gbs", "gpus")
    return Run(
        name=row["id"].replace("-", "_"), group="Paxml, H100", kind="dense",
        model=f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = {vocab}, dropout = 0.0)", cluster=nvidia.cluster(row),
        software="jax.paxml_gpu", seq=seq, global_batch=gbs, micro_batch=mbs,
        precision={"compute": row["precision"], "params": "fp32", "grads": "fp32", "reduce": "bf16", "optimizer": "fp32"},
        data=gpus, copies=gpus // (8 * FSDP[family]), stored="params", recompute=f"decoder {{ save = [{SAVED[family]}] }}", positions=True,
        seconds=float(row["value"]), citation=nvidia.cite(row))


def nemotron_h(row):
    tp, mbs, gbs, gpus, seq = need(row, "tp", "mbs", "gbs", "gpus", "seq")
    return Run(
        name=row["id"].replace("-", "_"), group="Nemotron-H, H100", kind="dense", model=NEMOTRON_H, cluster=nvidia.cluster(row), software="te.te_ub",
        seq=seq, global_batch=gbs, micro_batch=mbs, precision={"compute": row["precision"], "grads": "bf16", "optimizer": "fp32"},
        data=gpus // tp, tensor=tp, place=HYBRID, stored="optimizer", overlap="state = 100%", seconds=float(row["value"]), citation=nvidia.cite(row))


def run(row):
    if row["source"] == PAXML:
        return paxml(row)
    if row["source"] == NEMO:
        return nemotron_h(row)
    result = nvidia.run(row, "NeMo fine-tuning")
    result.software = "te.te_2407"
    result.group = f"NeMo packed fine-tuning, {nvidia.device(row)}"
    result.documents = "{ mean = 170; spread = 70 }"
    result.seconds = float(row["value"])
    return result
