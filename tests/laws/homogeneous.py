#!/usr/bin/env python3
# A machine that is twice as fast in everything halves every time and changes nothing else: neither a rate nor a time stands in the compiler itself. All
# rates are doubled, all times and, with the power as it is, all energies of a FLOP are halved in copies of the library's devices and stacks and in the
# machines of random plans.
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
from forms import estimate
from plan_text import file_text
from pricing import Price
from specification import draw

BASES = range(9000, 9030)
RATE, TIME = re.compile(r"\b(\d[\d.]*)((?:[GTP]FLOP|[MGT]B)/s|Gbps)"), re.compile(r"\b(\d[\d.]*)([num]?s)\b")
ENERGY = re.compile(r"\b(\d[\d.]*)(pJ/FLOP)\b")
IMPORTS = re.compile(r"^import .*\n", re.M)


def halved(match):
    return f"{float(match[1]) / 2!r}{match[2]}"


def twice_as_fast(text):
    text = RATE.sub(lambda m: f"{float(m[1]) * 2!r}{m[2]}", re.sub(r"//.*", "", text))
    return ENERGY.sub(halved, TIME.sub(halved, text))


def local(text):
    """Devices and stacks from the copies."""
    text = re.sub(r"^import std\.devices$", 'import "devices.plan" as devices', text, flags=re.M)
    return re.sub(r"^import std\.stacks\.(\w+)$", r'import "stack_\1.plan" as \1', text, flags=re.M)


def copy_library(library, target):
    devices = [IMPORTS.sub("", path.read_text()) for path in sorted((library / "devices").glob("*.plan"))]
    (target / "devices.plan").write_text(twice_as_fast("\n".join(devices)))
    for path in (library / "stacks").glob("*.plan"):
        (target / f"stack_{path.name}").write_text(twice_as_fast(local(path.read_text())))


def expected(name, value):
    """Of a machine that is twice as fast."""
    if "_per_s" in name or "tflops" in name:
        return 2 * value
    falls = name.endswith("_s") or any(part in name for part in ("hours", "usd", "kwh"))
    return value / 2 if falls else value


def price(planc, path, text):
    path.write_text(text)
    plans = json.loads(estimate(planc, path))["plans"]
    return Price(plans[0]).numbers() if plans else None


def main():
    planc, library = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        copy_library(library, folder)
        for seed in BASES:
            text, _ = file_text({"base": draw(seed)})
            before, after = price(planc, folder / "base.plan", text), price(planc, folder / "base.plan", twice_as_fast(local(text)))
            if not before or not after:
                wrong += 1
                print(f"seed {seed}: refused")
                continue
            for name, value in before.items():
                if abs(after[name] - expected(name, value)) > 1e-9 * max(abs(after[name]), 1e-12):
                    wrong += 1
                    print(f"seed {seed}: {name} {value:.9g}, twice as fast {after[name]:.9g}")
    print(f"{len(BASES)} plans on a machine that is twice as fast, {wrong} numbers wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
