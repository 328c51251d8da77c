"""What NVIDIA's tables of NeMo and Megatron Bridge have in common.

| field | rule |
|---|---|
| step time | global batch x sequence / (printed tokens per second and GPU x GPUs): rates are printed by two conventions, tokens are not |
| recomputation | none; DeepSeek-V3: the up-projections of its attention, with two nodes and more of experts (B200) or on H100 the dense layers' feed-forward part, too |
| sequence parallelism | with tensor parallelism |
| states | optimizer sharded over data and context parallel ranks, overlapped; with FSDP the parameters |
| gradients | travel in bf16: `grad_reduce_in_fp32 = False` in the performance scripts of NeMo and Megatron Bridge |
| data parallelism | GPUs / (tensor x pipeline x context) |
| experts | over data and tensor ranks together (expert tensor parallelism 1), loads forced to be balanced |
| fp8, mxfp8, current scaling | one fp8: the tables' pairs of rows differ by 4 % |
| vocabulary | of the model: 51200 (GPT-3), 32000 (Llama 2), 256000 (Nemotron) |
| DeepSeek-V3 | stages and recomputation: scripts/performance/configs/deepseek/deepseek_workload_base_configs.py at 042641823 |
| stack of dense models | one, with user buffers where tensor parallelism is (`tp_comm_overlap` of the performance scripts) |
| stack of experts | launched kernel by kernel: `te_2602`. Rows of 25.09 that print "tokendrop": equal slots per expert and the all-to-all dispatcher (`apply_moe_token_drop`), with Qwen3 on Blackwell in one CUDA graph (configs/qwen3/qwen3_30b_a3b_llm_pretrain.py at 4054233ae): `te_2509`, `te_2509_graph`. From 26.06 on Blackwell one CUDA graph and fused grouped products (deepseek_workload_base_configs.py at 042641823; pull requests 4249 and 4606): `te_2606` |
| exchange beside another micro-batch | `moe_a2a_overlap` of the same files and pull requests: on Blackwell from 26.06, DeepSeek-V3 on H100 (configs/deepseek/deepseek_llm_pretrain.py at 013284246) and on B200 with 32 ranks of experts |
| DeepSeek-V3 on H100 | gradients are not reduced beside backward: `overlap_grad_reduce = False`, the same file |
| second token | DeepSeek-V3 predicts it unless the row says "w/o MTP" |
| stages without chunks | their sends block: Megatron Core overlaps them in the interleaved schedule only |
| racks | 64 of the 72 GPUs of a GB200 rack |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Incomplete, Run, need, number

VOCABULARY = {"GPT3": 51200, "LLAMA2": 32000, "Nemotron": 256000, "Mixtral": 32000}


def device(row):
    for name in ("GB200", "B200", "H100"):
        if row["gpu"].startswith(name):
            return name
    raise Incomplete(f"a device for {row['gpu']}")


def cluster(row):
    gpus = number(row, "gpus")
    if device(row) == "GB200":
        racks = -(-gpus // 64)
        return f"nvl72.gb200_nvl72(racks = {racks}, gpus = {gpus // racks})"
    if gpus % 8:
        return (f"generic.cluster(gpu = devices.h100_sxm5_80gb, per_node = {gpus}, nodes = 1, intra = fabrics.nvlink4, "
                "intra_bandwidth = 450GB/s, inter = fabrics.ndr, nic = 50GB/s)")
    return f"hgx.hgx_b200(nodes = {gpus // 8})" if device(row) == "B200" else f"dgx_h100.eos(nodes = {gpus // 8})"


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
                f"k = {row['moe_topk']}, ffn = {ffn}, vocab = {vocab})"), "moe", False
    if family.startswith("Qwen3-30B"):  # experts of width 768, heads of 128
        slots = ", capacity = 1.0" if drops(row) else ""
        return (f"qwen.moe(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, head_dim = 128, experts = {row['moe_experts']}, "
                f"k = {row['moe_topk']}, ffn = 768, vocab = {vocab}, qk_norm = true{slots})"), "moe", False
    if family.startswith("DeepSeekV3"):
        options = ["capacity = 1.0"] * drops(row) + ["mtp_depth = 0"] * ("w/o MTP" in row["notes"])
        return "deepseek.deepseek_v3" + (f"({', '.join(options)})" if options else ""), "moe", False
    raise Incomplete(f"a model for {family}")


def release(row):
    """Year and month of a Megatron Bridge release as a number, 0 for NeMo."""
    text = row["notes"].split("release ")
    return float(".".join(text[1].split(";")[0].split(".")[:2])) if len(text) > 1 else 0.0


def stack(row, kind):
    if kind == "dense":
        return "te.te_ub" if number(row, "tp") > 1 else "te.te"
    blackwell, deepseek = device(row) != "H100", row["model_family"].startswith("DeepSeekV3")
    if drops(row):
        return "te.te_2509_graph" if blackwell and not deepseek else "te.te_2509"
    return "te.te_2606" if release(row) >= 26.06 and blackwell else "te.te_2602"


def drops(row):
    """Whether experts have fixed slots: the table says so."""
    return "token-drop;" in row["notes"]


def overlaps(row):
    """Whether the performance scripts run a forward pass beside the backward pass of another micro-batch, so that exchanges hide."""
    if drops(row):
        return False
    if device(row) != "H100" and release(row) >= 26.06:
        return True
    return row["model_family"].startswith("DeepSeekV3") and (device(row) == "H100" or device(row) == "B200" and number(row, "ep") == 32)


def schedule(row, kind, stages, chunks):
    if kind == "moe" and overlaps(row) and (chunks > 1 or stages == 1):
        return f"paired_1f1b(chunks = {chunks})"
    return f"interleaved_1f1b(chunks = {chunks})" if chunks > 1 else "one_f_one_b"


def deepseek_stages(parts, ahead):
    """The scripts' layouts (`Et*4|(t*4|)*14tmL` in 16 parts, `Et|(tt|)*30mL` in 32): 61 layers, of which three are dense, then the head;
    `ahead`: with the prediction of a second token."""
    per, lines, at = -(-64 // parts), [], 0
    for i in range(parts):
        end = min(61, at + (1 if parts == 32 and i == 0 else per))
        dense = f"dense[{at}:{min(end, 3)}]" if at < 3 else ""
        routed = f"decoder[{max(at, 3) - 3}:{end - 3}]" if end > max(at, 3) else ""
        lines.append(", ".join(x for x in ("embed" if i == 0 else "", dense, routed, ("norm, head, mtp, loss" if ahead else "norm, head, loss") if i == parts - 1 else "") if x))
        at = end
    return lines


def deepseek_recompute(row):
    """The up-projections and the rotary positions after them; the dense layers where memory is short."""
    names = [f"{layer}.attn.{name}" for layer in ("decoder", "dense") for name in ("q_up", "q", "k_up", "v")]
    return ", ".join(names + (["dense.mlp"] if device(row) == "H100" or device(row) == "B200" and number(row, "ep") > 8 else []))


def precision(row):
    text = row["precision"].lower()
    compute = "fp4" if "fp4" in text else "fp8" if "fp8" in text else "bf16"
    return {"compute": compute, "grads": "fp32", "reduce": "bf16", "optimizer": "fp32"}


def run(row, group, mbs=None):
    expression, kind, positions = model(row)
    tp, gbs, gpus, seq = need(row, "tp", "gbs", "gpus", "seq")
    mbs = mbs or need(row, "mbs")
    pp = need(row, "pp")
    cp, ep, chunks = number(row, "cp") or 1, number(row, "ep") or 1, number(row, "vp") or 1
    if kind == "moe" and ep * pp > gpus:
        raise Incomplete(f"consistent degrees ({pp} stages of {ep} ranks with experts, {gpus} GPUs)")
    mla = row["model_family"].startswith("DeepSeekV3")
    return Run(
        name=row["id"].replace("-", "_"), group=f"{group} {kind}, {device(row)}", kind=kind, model=expression, cluster=cluster(row),
        software=stack(row, kind), seq=seq, global_batch=gbs, micro_batch=mbs, precision=precision(row),
        data=gpus // (tp * pp * cp), tensor=tp, context=cp, pipeline=pp, expert=ep if kind == "moe" else 1, mla=mla, positions=positions,
        sequence_parallel=tp > 1, stored="params" if "fsdp" in row["sharding"] else "optimizer",
        schedule=schedule(row, kind, pp, chunks),
        overlap="pipeline = 100%" if pp > 1 and chunks == 1 else "gradient = 100%" if mla and device(row) == "H100" else "",
        stages=deepseek_stages(pp * chunks, "w/o MTP" not in row["notes"]) if mla and pp > 1 else [],
        recompute=deepseek_recompute(row) if mla else "", seconds=seconds(row, seq, gbs, gpus), citation=cite(row))


def seconds(row, seq, gbs, gpus):
    return gbs * seq / (float(row["value"]) * gpus)


def cite(row):
    return row["provenance"].split(" (")[0].split(" release")[0].replace('"', "'")
