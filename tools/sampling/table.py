"""The table of samples that `planc calibrate` reads (docs/calibrate.md): comments with the facts of the machine, a header, one line per case."""

COLUMNS = ("kind", "name", "dtype", "device", "batch", "m", "n", "k", "heads", "seq", "kv_seq", "head_dim", "causal", "bytes", "row", "params",
           "ranks", "nodes", "forward_us", "backward_us")


class Table:
    """Writes line by line, so that an interrupted run leaves what it has measured."""

    def __init__(self, stream, device, facts):
        self.stream, self.device = stream, device
        self.comment("planc samples; `planc calibrate FILE` reads them")
        for name, value in facts.items():
            self.comment(f"{name}: {value}")
        self.line(COLUMNS)

    def comment(self, text):
        self.stream.write("# " + " ".join(str(text).split()) + "\n")

    def line(self, cells):
        self.stream.write(",".join(str(cell) for cell in cells) + "\n")
        self.stream.flush()

    def add(self, case, seconds):
        """A measured case; `seconds` by phase. Backward of a product is both gradients, and is left out if either is missing."""
        values = {"forward_us": seconds.get("forward"), "backward_us": backward(case, seconds)}
        times = {name: f"{value * 1e6:.3f}" for name, value in values.items() if value is not None}
        if not times:
            return
        if not case.kind:
            self.comment(f"{case.name} {case.dtype} {case.shape()} " + " ".join(f"{name}={value}" for name, value in times.items()))
            return
        cells = {"kind": case.kind, "name": case.name, "dtype": case.dtype, "device": self.device, **case.extents, **times}
        self.line(cells.get(column, "") for column in COLUMNS)


def backward(case, seconds):
    parts = [phase for phase in case.phases if phase != "forward"]
    if not parts or any(part not in seconds for part in parts):
        return None
    return sum(seconds[part] for part in parts)


def device_word(name):
    """A device's name as one cell: `NVIDIA H100 80GB HBM3` has no commas or quotes, another's might."""
    return " ".join(name.replace(",", " ").replace('"', " ").split())
