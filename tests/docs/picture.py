#!/usr/bin/env python3
"""The picture in docs/architecture.md is the one that the build and the includes give.

Usage: picture.py BUILD ROOT [--update]

Arrows between rooms are the link dependencies that CMake wrote to BUILD/rooms.txt; those between the rooms of a hall (a
room with folders) are its `#include`s. What follows from other arrows is left out. `--update` writes the picture.
"""
# SPDX-License-Identifier: Apache-2.0
import re
import sys
from pathlib import Path

PAGE = "docs/architecture.md"
PICTURE = re.compile(r"(<!-- picture.py -->\n```mermaid\n).*?(```\n)", re.S)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
HALLS = ("frontend", "backends", "backends/cost", "calibrate")


def rooms_of_the_build(build):
    """{room: the rooms that it links to}, in the order in which the build names them."""
    arrows = {}
    for line in (build / "rooms.txt").read_text().splitlines():
        room, _, depends = line.partition(":")
        arrows[room] = {d[len("planc_"):] for d in re.findall(r"planc_\w+", depends)} - {room}
    return {room: {d for d in to if d in arrows} for room, to in arrows.items()}


def rooms_of_a_hall(root, hall):
    """{folder: the folders of the same hall that its files include}."""
    folders = sorted(p.name for p in (root / hall).iterdir() if p.is_dir() and any(p.rglob("*.cpp")))
    arrows = {}
    for folder in folders:
        texts = [p.read_text() for p in (root / hall / folder).rglob("*") if p.suffix in (".h", ".cpp")]
        found = {t[len(hall) + 1:].split("/")[0] for text in texts for t in INCLUDE.findall(text) if t.startswith(hall + "/")}
        arrows[folder] = (found & set(folders)) - {folder}
    return arrows


def reduced(arrows):
    """Without the arrows that others imply; a cycle keeps its own."""
    def reach(start, skip):
        seen, todo = set(), [n for n in arrows[start] if n != skip]
        while todo:
            at = todo.pop()
            if at not in seen and at != start:
                seen.add(at)
                todo += arrows[at]
        return seen
    return {room: sorted(to for to in targets if to not in reach(room, to)) for room, targets in arrows.items()}


def node(path):
    return path.replace("/", "_")


def frame(root, hall, indent):
    """A hall as a frame around its rooms, with the arrows between them."""
    lines = [f"{indent}subgraph {node(hall)} [{hall.split('/')[-1]}]"]
    for folder, targets in sorted(reduced(rooms_of_a_hall(root, hall)).items()):
        path = f"{hall}/{folder}"
        lines += frame(root, path, indent + "  ") if path in HALLS else [f"{indent}  {node(path)}[{folder}]"]
        lines += [f"{indent}  {node(path)} --> {node(hall + '/' + to)}" for to in targets]
    return lines + [f"{indent}end"]


def picture(build, root):
    rooms = rooms_of_the_build(build)
    rooms["driver"] = set(rooms)  # the executable: its CMake target is no room
    lines = ["flowchart BT"]
    for room, targets in sorted(reduced(rooms).items()):
        lines += frame(root, room, "  ") if room in HALLS else [f"  {room}"]
        lines += [f"  {room} --> {to}" for to in targets]
    return "\n".join(lines) + "\n"


def main(build, root, update):
    path = root / PAGE
    page, made = path.read_text(), picture(build, root)
    wanted, count = PICTURE.subn(lambda m: m.group(1) + made + m.group(2), page)
    if count != 1:
        sys.exit(f"{PAGE} has no place for the picture")
    if page == wanted:
        return
    if update:
        path.write_text(wanted)
        return
    sys.exit(f"the picture in {PAGE} is not what the build gives: python3 tests/docs/picture.py {build} . --update")


if __name__ == "__main__":
    words = [a for a in sys.argv[1:] if a != "--update"]
    if len(words) != 2:
        sys.exit(__doc__)
    main(Path(words[0]), Path(words[1]), "--update" in sys.argv)
