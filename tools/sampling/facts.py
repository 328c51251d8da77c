"""What is known about the GPU and its software, for the head of a table: PyTorch's own facts, and the driver's from nvidia-smi."""

import subprocess

import torch

SMI_FIELDS = {
    "driver": "driver_version",
    "power limit": "power.limit",
    "clock of the SMs, highest": "clocks.max.sm",
    "clock of the memory": "clocks.mem",
    "memory": "memory.total",
}


def device_facts(device):
    """Name, software, limits: in the order in which they are shown."""
    properties = torch.cuda.get_device_properties(device)
    facts = {
        "device": properties.name,
        "compute capability": f"{properties.major}.{properties.minor}",
        "multiprocessors": properties.multi_processor_count,
        "memory of the device": f"{properties.total_memory} bytes",
        "torch": torch.__version__,
        "CUDA": torch.version.cuda or "none",
        "cuDNN": torch.backends.cudnn.version() or "none",
    }
    if torch.distributed.is_available() and torch.cuda.nccl.is_available([torch.empty(1, device=device)]):
        facts["NCCL"] = ".".join(str(part) for part in torch.cuda.nccl.version())
    facts.update(smi(device, SMI_FIELDS))
    return facts


def clocks(device):
    """Clock and power now: taken during a run, they say whether it was throttled."""
    return smi(device, {"clock of the SMs": "clocks.sm", "power": "power.draw", "temperature": "temperature.gpu"})


def smi(device, fields):
    """Fields that nvidia-smi knows; those that it does not are left out."""
    uuid = getattr(torch.cuda.get_device_properties(device), "uuid", None)
    which = f"GPU-{uuid}" if uuid else str(torch.device(device).index or 0)
    command = ["nvidia-smi", "-i", which, "--query-gpu=" + ",".join(fields.values()), "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    values = [value.strip() for value in answer.strip().split(",")]
    return {name: value for name, value in zip(fields, values) if value and not value.startswith("[")}
