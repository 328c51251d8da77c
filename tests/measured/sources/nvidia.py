"""What NVIDIA's tables of NeMo and Megatron Bridge have in common.

| field | rule |
|---|---|
| step time | global batch x sequence / (printed tokens per second and GPU x GPUs): rates are printed by two conventions, tokens are not |
| recomputation | none; DeepSeek-V3: the up-projections of its attention, with two nodes and more of experts (B200) or on H100 the dense layers' feed-forward part, too |
| micro-batch | printed; where the printed accumulation contradicts it, the preset's: one sequence for Llama 70B on GB200 in mxfp8 (llama3_workload_base_configs.py at 00919dcf1), by its accumulation, too, and for GPT-OSS on H100 (gpt_oss_workload_base_configs.py at 07eea52d4; the row repeats the batch of B200's) |
| sequence parallelism | with tensor parallelism |
| states | optimizer sharded over data and context parallel ranks, overlapped; with FSDP the parameters |
| gradients | accumulated in bf16, and so they travel: `grad_reduce_in_fp32 = False` in the performance scripts of NeMo and Megatron Bridge, which also gives Megatron Core's gradient buffer the type of the parameters |
| optimizer | states in fp32; DeepSeek-V3's moments in bf16 (`exp_avg_dtype`, `exp_avg_sq_dtype` of Megatron Bridge's recipes/deepseek/deepseek_v3.py) |
| weights of experts | multiplied into their activation, as Megatron Core does (`activation_func_with_probs`, moe/experts.py), so that their results are not kept |
| data parallelism | GPUs / (tensor x pipeline x context) |
| experts | over data and tensor ranks together (expert tensor parallelism 1), loads forced to be balanced |
| fp8, mxfp8, current scaling | one fp8: the tables' pairs of rows differ by 4 %. In eight bits are the layer that predicts a second token, too (NVIDIA Megatron-LM, multi_token_prediction.py, `_proj_and_transformer_layer`), and with mxfp8 from 26.06 on GB200 and GB300 the output layers of DeepSeek-V3 (`fp8_output_proj`: pull requests 3983 and 4226) |
| vocabulary | of the model: 51200 (GPT-3), 32000 (Llama 2), 256000 (Nemotron) |
| DeepSeek-V3 | stages and recomputation: scripts/performance/configs/deepseek/deepseek_workload_base_configs.py at 042641823 |
| stack of dense models | one, with user buffers where tensor parallelism is (`tp_comm_overlap` of the performance scripts); 24.07 and the page of long sequences with the attention of 2024: `te_2407`; 25.02 to 25.07: `te_2504` |
| stack of experts | launched kernel by kernel: `te_2602`, in eight bits on H100 with current scaling (`H100_FP8_CS` of the presets): `te_2602_current`. Rows of 25.09 that print "tokendrop": equal slots per expert and the all-to-all dispatcher (`apply_moe_token_drop`), with Qwen3 on Blackwell in one CUDA graph (configs/qwen3/qwen3_30b_a3b_llm_pretrain.py at 4054233ae): `te_2509`, `te_2509_graph`. From 26.06 on Blackwell one CUDA graph and fused grouped products (deepseek_workload_base_configs.py at 042641823; pull requests 4249 and 4606): `te_2606`, and but for DeepSeek-V3 on GB200 with attention in eight bits (`fp8_dot_product_attention`: pull requests 3983 and 4606): `te_2606_fp8_attention` |
| exchange during another micro-batch | `moe_a2a_overlap` of the same files and pull requests: on Blackwell from 26.06, DeepSeek-V3 on H100 (configs/deepseek/deepseek_llm_pretrain.py at 013284246) and on B200 with 32 ranks of experts |
| DeepSeek-V3 on H100 | gradients are not reduced beside backward: `overlap_grad_reduce = False`, the same file |
| second token | DeepSeek-V3 predicts it unless the row says "w/o MTP" |
| stages without chunks | their sends block: Megatron Core overlaps them in the interleaved schedule only |
| offloading | under FSDP the first layers keep what backward needs in the host's memory (`cpu_offloading_num_layers`): Llama 405B on GB200 95 of 126 (configs/llama31/llama31_405b_llm_pretrain.py at 27dfb3df3), 70B in fp8 40 of 80 on GB200 and 20 on GB300, in bf16 20 and 30 (configs/llama/llama3_workload_base_configs.py at 00919dcf1) |
| racks | 64 of the 72 GPUs of a GB200 rack |

Second table: more machines, types and models by the same rules, and

| field | rule |
|---|---|
| recomputation | not printed. DeepSeek-V3: up-projections, but nothing on GB300 from 26.06 on (deepseek_workload_base_configs.py at 042641823). Kimi K2: up-projections (kimi_workload_base_configs.py at 013180a75). GPT-OSS from 26.02 to 26.06: norms and activation of experts, but nothing on GB300 and B300 (gpt_oss_workload_base_configs.py at 07eea52d4). All others: none |
| device, network | GB300 racks of 64 in use and B300 nodes of eight, with a card of 800 Gb/s per GPU |
| stages | layers that do not divide, as 405B's 126 and Qwen3 235B's 94: table and head count as a layer each (`account_for_embedding_in_pipeline_split`, `account_for_loss_in_pipeline_split`). DeepSeek-V3 and Kimi K2 by their layouts, with a last stage that is shorter. GPT-OSS's 36 layers in four stages of nine |
| fp8, mxfp8, current scaling | all priced as one type fp8, as in the first table; NVFP4 is priced as fp4 |
| stack of experts | as in the first table, by release; 25.09's Qwen3 235B in a CUDA graph on GB200, not on B200 (configs/qwen3/qwen3_235b_a22b_llm_pretrain.py at 27dfb3df3). Launched kernel by kernel also in 26.06: Kimi K2 and DeepSeek-V3, if their micro-batch is two (their presets; B300's changed with pull request 4458). GPT-OSS before 26.08 is launched kernel by kernel, too, because fused grouped products accepted only SiLU (NVIDIA Megatron-LM, moe/experts.py, `_is_fused_impl_supported`). `te_2602_a2a` has the all-to-all dispatcher, which sends a row per expert. Rows that are launched kernel by kernel and drop no tokens use it for Qwen3 235B on B300, B200 and H100 (qwen3_workload_base_configs.py at 01b2977e5) and for GPT-OSS. The presets of GPT-OSS have had both dispatchers, which differ by at most 4 % (pull request 3561) |
| exchange during another micro-batch | as in the first table; Qwen3 235B on H100, too (qwen3_workload_base_configs.py at 01b2977e5). Kimi K2 never |
| optimizer | Adam; Kimi K2's recipe has Muon |
"""
# SPDX-License-Identifier: Apache-2.0
import re

from .common import Incomplete, Run, need, number, stage_lines

EXPERT_WIDTHS = {"Qwen3-30B-A3B": 768, "Qwen3-235B-A22B": 1536}
# cpu_offloading_num_layers of runs with FSDP, by model, device and type.
OFFLOADED = {("LLAMA3-70B", "GB200", "fp8"): 40, ("LLAMA3-70B", "GB300", "fp8"): 20, ("LLAMA3-70B", "GB300", "bf16"): 30, ("LLAMA3-70B", "GB200", "bf16"): 20,
             ("LLAMA3-405B", "GB200", "fp8"): 95}
# Micro-batches of presets whose rows print an accumulation that contradicts the printed one.
MICRO_BATCHES = {("LLAMA3-70B", "GB200"): 1, ("GPT-OSS-120B", "H100"): 1}
VOCABULARY = {"GPT3": 51200, "LLAMA2": 32000, "Nemotron": 256000, "Mixtral": 32000}


CLUSTERS = {"GB300": "nvl72.gb300_nvl72", "GB200": "nvl72.gb200_nvl72", "B300": "hgx.hgx_b300", "B200": "hgx.hgx_b200", "H100": "dgx_h100.eos"}


def device(row):
    for name in CLUSTERS:
        if row["gpu"].startswith(name):
            return name
    raise Incomplete(f"a device for {row['gpu']}")


def cluster(row):
    gpus, name = number(row, "gpus"), CLUSTERS[device(row)]
    if name.startswith("nvl72"):
        racks = -(-gpus // 64)
        return f"{name}(racks = {racks}, gpus = {gpus // racks})"
    if gpus % 8:
        return (f"generic.cluster(gpu = devices.h100_sxm5_80gb, per_node = {gpus}, nodes = 1, intra = fabrics.nvlink4, "
                "intra_bandwidth = 450GB/s, inter = fabrics.ndr, nic = 50GB/s)")
    return f"{name}(nodes = {gpus // 8})"


def model(row):
    """(expression, kind, learned positions)."""
    family = row["model_family"]
    layers, hidden, heads, ffn = need(row, "layers", "hidden", "heads", "ffn")
    kv = number(row, "kv_heads") or heads
    vocab = number(row, "vocab") or next((v for k, v in VOCABULARY.items() if family.startswith(k)), None)
    if vocab is None:
        raise Incomplete("vocab")
    if family.startswith("GPT3"):
        return f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = {vocab}, dropout = 0.0)", "dense", True
    if family.startswith("LLAMA"):
        return f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, ffn = {ffn}, vocab = {vocab})", "dense", False
    if family.startswith("Nemotron"):
        return f"nemotron.nemotron(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, ffn = {ffn}, vocab = {vocab})", "dense", False
    if family.startswith("Mixtral"):
        return (f"moe.mixtral(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, experts = {row['moe_experts']}, "
                f"k = {row['moe_topk']}, ffn = {ffn}, vocab = {vocab}, weigh = activation)"), "moe", False
    if family.startswith("Qwen3-"):  # heads of 128
        slots = ", capacity = 1.0" if drops(row) else ""
        return (f"qwen.moe(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, head_dim = 128, experts = {row['moe_experts']}, "
                f"k = {row['moe_topk']}, ffn = {EXPERT_WIDTHS[family]}, vocab = {vocab}, qk_norm = true, weigh = activation{slots})"), "moe", False
    if family.startswith("DeepSeekV3"):
        options = ["weigh = activation"] + ["capacity = 1.0"] * drops(row) + ["mtp_depth = 0"] * ("w/o MTP" in row["notes"])
        return f"deepseek.deepseek_v3({', '.join(options)})", "moe", False
    if family.startswith("Kimi-K2"):
        return "kimi.kimi_k2(mtp_depth = 0, weigh = activation)", "moe", False
    if family.startswith("GPT-OSS-120B"):
        return "gpt_oss.gpt_oss_120b(weigh = activation)", "moe", False
    raise Incomplete(f"a model for {family}")


def release(row):
    """Year and month of a Megatron Bridge release as a number, 0 for NeMo."""
    text = row["notes"].split("release ")
    return float(".".join(text[1].split(";")[0].split(".")[:2])) if len(text) > 1 else 0.0


def installed(row):
    """Year and month of a release of NeMo or Megatron Bridge, where the row has one."""
    found = re.search(r"(?:release|NeMo) (2\d)\.(0[1-9]|1[0-2])\b", row["notes"] + " " + row["source"])
    return f"20{found[1]}-{found[2]}" if found else ""


def stack(row, kind):
    if kind == "dense" and row["source"].startswith(("NeMo 24", "NeMo long")):
        return "te.te_2407"
    if kind == "dense":
        early = row["source"].startswith(("NeMo 25.02", "NeMo 25.04", "NeMo 25.07"))
        return ("te.te_2504" if early else "te.te_ub") if number(row, "tp") > 1 else "te.te"
    blackwell, family = device(row) != "H100", row["model_family"]
    if drops(row):
        return "te.te_2509_graph" if blackwell and not family.startswith("DeepSeekV3") and not (family == "Qwen3-235B-A22B" and device(row) == "B200") else "te.te_2509"
    if graphed(row):
        return "te.te_2606" if family.startswith("DeepSeekV3") and device(row) == "GB200" else "te.te_2606_fp8_attention"
    all_to_all = family == "Qwen3-235B-A22B" and not device(row).startswith("GB") or family.startswith("GPT-OSS")
    return ("te.te_2602_a2a" if all_to_all else "te.te_2602") + ("" if blackwell or row["precision"] == "BF16" else "_current")


def graphed(row):
    """Whether a step is one CUDA graph, with fused grouped products."""
    latent = row["model_family"].startswith(("DeepSeekV3", "Kimi"))
    return release(row) >= (26.08 if row["model_family"].startswith("GPT-OSS") else 26.06) and device(row) != "H100" and not (latent and number(row, "mbs") > 1)


def drops(row):
    """Whether experts have fixed slots: the table says so."""
    return "token-drop;" in row["notes"]


def overlaps(row):
    """Whether the performance scripts run a forward pass beside the backward pass of another micro-batch, so that exchanges hide."""
    if drops(row) or row["model_family"].startswith("Kimi"):
        return False
    if graphed(row):
        return True
    if row["model_family"].startswith("Qwen3-235B"):
        return device(row) == "H100"
    return row["model_family"].startswith("DeepSeekV3") and (device(row) == "H100" or device(row) == "B200" and number(row, "ep") == 32)


def schedule(row, kind, stages, chunks):
    if kind == "moe" and overlaps(row) and (chunks > 1 or stages == 1):
        return f"paired_1f1b(chunks = {chunks})"
    return f"interleaved_1f1b(chunks = {chunks})" if chunks > 1 else "one_f_one_b"


def latent_stages(parts, dense, ahead):
    """The scripts' layouts (`Et*4|(t*4|)*14tmL` in 16 parts, `Et|(tt|)*30mL` in 32): 61 layers, of which the first are dense, then the head;
    `ahead`: with the prediction of a second token."""
    per, lines, at = -(-64 // parts), [], 0
    for i in range(parts):
        end = min(61, at + (1 if parts == 32 and i == 0 else per))
        first = f"dense[{at}:{min(end, dense)}]" if at < dense else ""
        routed = f"decoder[{max(at, dense) - dense}:{end - dense}]" if end > max(at, dense) else ""
        lines.append(", ".join(x for x in ("embed" if i == 0 else "", first, routed, ("norm, head, mtp, loss" if ahead else "norm, head, loss") if i == parts - 1 else "") if x))
        at = end
    return lines


def gpt_oss_stages(pp):
    """Stages of equally many layers; the model's instances are pairs of them, a stage may begin with the second of one."""
    def part(begin, end):
        pieces = [f"decoder[{begin // 2}].global"] if begin % 2 else []
        pieces += [f"decoder[{-(-begin // 2)}:{end // 2}]"] if end // 2 > -(-begin // 2) else []
        return ", ".join(pieces + ([f"decoder[{end // 2}].local"] if end % 2 else []))
    per = 36 // pp
    return [("embed, " if i == 0 else "") + part(i * per, (i + 1) * per) + (", norm, head, loss" if i == pp - 1 else "") for i in range(pp)]


def stages(row, parts):
    """The stage lines of a run in so many virtual stages; none where layers divide."""
    family, layers = row["model_family"], number(row, "layers")
    if family.startswith("DeepSeekV3"):
        return latent_stages(parts, 3, "w/o MTP" not in row["notes"])
    if family.startswith("Kimi"):
        return latent_stages(parts, 1, False)
    if family.startswith("GPT-OSS"):
        return gpt_oss_stages(parts)
    if layers % parts and (layers + 2) % parts == 0:
        share = (layers + 2) // parts
        return stage_lines([share - 1] + [share] * (parts - 2) + [share - 1], "embed", "norm, head, loss")
    return []


def recomputation(row):
    """Latent attention: the up-projections and the rotary positions after them; the dense layers where memory is short. GPT-OSS: norms and activations."""
    family = row["model_family"]
    if family.startswith("DeepSeekV3") and not (device(row) == "GB300" and release(row) >= 26.06) or family.startswith("Kimi"):
        names = [f"{layer}.attn.{name}" for layer in ("decoder", "dense") for name in ("q_up", "q", "k_up", "v")]
        short = ["dense.mlp"] if device(row) == "H100" or device(row) == "B200" and number(row, "ep") > 8 else []
        return ", ".join(names + short) + " { outputs = true }"
    if family.startswith("GPT-OSS") and 26.02 <= release(row) < 26.08 and device(row) not in ("GB300", "B300"):
        return ", ".join(f"decoder.{layer}.{name}" for layer in ("local", "global") for name in ("norm1", "norm2", "moe.act")) + " { outputs = true }"
    return ""


def precision(row):
    text = row["precision"].lower()
    compute = "fp4" if "fp4" in text else "fp8" if "fp8" in text else "bf16"
    states = "{ m = bf16; v = bf16 }" if row["model_family"].startswith("DeepSeekV3") else "fp32"
    types = {"compute": compute, "grads": "bf16", "optimizer": states}
    if row["model_family"].startswith("DeepSeekV3") and compute != "bf16":
        ahead, narrow_head = "w/o MTP" not in row["notes"], release(row) >= 26.06 and device(row) in ("GB200", "GB300") and "mx" in text
        types |= {"at mtp": f"{{ compute = {compute} }}"} if ahead else {}
        types |= {"at mtp.logits": "{ compute = bf16 }"} if ahead and not narrow_head else {}
        types |= {"at head": f"{{ compute = {compute} }}"} if narrow_head else {}
    return types


def offloaded(row):
    """The layers whose activations lie in the host's memory meanwhile."""
    if "fsdp" not in row["sharding"]:
        return ""
    layers = OFFLOADED.get((row["model_family"], device(row), "bf16" if row["precision"] == "BF16" else "fp8"))
    return f"decoder[0:{layers}] = host" if layers else ""


def micro_batch(row, data):
    printed, gbs = need(row, "mbs", "gbs")
    passes = re.search(r"\bGA=(\d+)", row["notes"])
    agrees = not passes or gbs == printed * int(passes[1]) * data
    return printed if agrees else MICRO_BATCHES.get((row["model_family"], device(row)), printed)


def run(row, group, mbs=None):
    expression, kind, positions = model(row)
    tp, gbs, gpus, seq = need(row, "tp", "gbs", "gpus", "seq")
    pp = need(row, "pp")
    cp, ep, chunks = number(row, "cp") or 1, number(row, "ep") or 1, number(row, "vp") or 1
    data = gpus // (tp * pp * cp)
    mbs = mbs or micro_batch(row, data)
    if kind == "moe" and ep * pp > gpus:
        raise Incomplete(f"consistent degrees ({pp} stages of {ep} ranks with experts, {gpus} GPUs)")
    family, fsdp = row["model_family"], "fsdp" in row["sharding"]
    blocking = family.startswith("DeepSeekV3") and device(row) == "H100"
    return Run(
        name=row["id"].replace("-", "_"), group=f"{group} {kind}, {device(row)}", kind=kind, model=expression, cluster=cluster(row),
        software=stack(row, kind), installed=installed(row), balanced=kind == "moe", seq=seq, global_batch=gbs, micro_batch=mbs, precision=precision(row),
        data=data, tensor=tp, context=cp, pipeline=pp, expert=ep if kind == "moe" else 1,
        mla=family.startswith(("DeepSeekV3", "Kimi")), positions=positions, optimizer="muon" if family.startswith("Kimi") else "adam",
        place=("batch -> dp", "decoder.local, decoder.global { moe { experts -> ep } }") if family.startswith("GPT-OSS") else (),
        sequence_parallel=tp > 1, stored="params" if fsdp else "optimizer",
        schedule=schedule(row, kind, pp, chunks),
        overlap="pipeline = 100%" if pp > 1 and chunks == 1 else "gradient = 100%" if blocking else "",
        stages=stages(row, pp * chunks) if pp > 1 else [], keep=offloaded(row),
        recompute=recomputation(row), seconds=seconds(row, seq, gbs, gpus), citation=cite(row))


def seconds(row, seq, gbs, gpus):
    return gbs * seq / (float(row["value"]) * gpus)


def cite(row):
    return row["provenance"].split(" (")[0].split(" release")[0].replace('"', "'")
