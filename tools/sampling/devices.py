"""What std.devices calls the GPU that a driver names: read from `names` of the devices in stdlib/devices, as `planc calibrate` does. Needs no
GPU, no torch and no planc."""

import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "stdlib" / "devices"
DECLARATION = re.compile(r"^(export )?device (\w+)")
NAMES = re.compile(r"\bnames\s*=\s*\[([^\]]*)\]")


def names(folder=FOLDER):
    """Pieces of driver names by exported device, in the order of the library's files. A device without `names` of its own is left out:
    those that it inherits are its base's."""
    found = {}
    for path in sorted(folder.glob("*.plan")):
        device = None
        for line in path.read_text(encoding="utf-8").splitlines():
            declared, listed = DECLARATION.match(line), NAMES.search(line)
            if declared:
                device = declared.group(2) if declared.group(1) else None
            elif listed and device:
                found[device] = re.findall(r'"([^"]*)"', listed.group(1))
    return found


def device_of(driver_name, folder=FOLDER):
    """The device of the library whose longest piece stands in the name that the driver has for a GPU; None if there is none. Only letters
    and digits count."""
    fits = [(len(plain(piece)), device) for device, pieces in names(folder).items() for piece in pieces if plain(piece) in plain(driver_name)]
    return max(fits, key=lambda fit: fit[0])[1] if fits else None


def plain(name):
    return "".join(c for c in name.lower() if c.isascii() and c.isalnum())
