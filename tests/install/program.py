#!/usr/bin/env python3
"""What the built program is made of: what it loads, its bill of materials, and no name of a folder of this machine.

Usage: program.py BUILD SOURCE

Compares planc.spdx.json with what the linker was given (build.ninja, where Ninja builds) and with what the loader needs (readelf). A build with
PLANC_STATIC may load nothing but glibc.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import re
import subprocess
import sys
from pathlib import Path

GLIBC = re.compile(r"(libc|libm|ld-linux[\w-]*)\.so\.\d+")
REQUIRED = ("SPDXID", "name", "versionInfo", "supplier", "downloadLocation", "filesAnalyzed", "licenseConcluded", "licenseDeclared", "copyrightText")
LINKS = ("CONTAINS", "STATIC_LINK", "DYNAMIC_LINK")
EXPRESSION = re.compile(r"(?:[\w.+-]+)(?: (?:OR|AND|WITH) [\w.+-]+)*")


def needed(program):
    """The libraries that the loader looks for."""
    text = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def archives(build):
    """Archives from outside of the build folder in the link line of the program; none if Ninja does not build."""
    file = build / "build.ninja"
    rule = re.search(r"^build bin/planc: .*?LINK_LIBRARIES = (.*?)$", file.read_text(), re.M | re.S) if file.exists() else None
    return {Path(word).name for word in rule[1].split() if word.startswith("/") and word.endswith(".a")} if rule else set()


def structure(bill):
    """What SPDX 2.3 asks of a document and is not so."""
    if bill.get("spdxVersion") != "SPDX-2.3" or bill.get("dataLicense") != "CC0-1.0" or bill.get("SPDXID") != "SPDXRef-DOCUMENT":
        yield "not a document of SPDX 2.3"
    if not re.fullmatch(r"https://[^#\s]+", bill["documentNamespace"]):
        yield f"the namespace `{bill['documentNamespace']}` is no URI"
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["creationInfo"]["created"]) or not bill["creationInfo"]["creators"]:
        yield "no time or creator"
    ids = [package["SPDXID"] for package in bill["packages"]]
    if len(set(ids)) < len(ids):
        yield f"an identifier twice: {ids}"
    for package in bill["packages"]:
        for field in REQUIRED:
            if package.get(field) in (None, ""):
                yield f"{package['name']} has no {field}"
        if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]):
            yield f"{package['SPDXID']} is no identifier"
        if not re.fullmatch(r"(Organization|Person): .+|NOASSERTION", package.get("supplier", "")):
            yield f"{package['name']}: supplier `{package.get('supplier')}`"
        if not EXPRESSION.fullmatch(package["licenseDeclared"]):
            yield f"{package['name']}: licence `{package['licenseDeclared']}`"
    related = {r["relatedSpdxElement"]: r["relationshipType"] for r in bill["relationships"]}
    if sorted(related) != sorted(ids):
        yield f"packages and relationships differ: {set(related) ^ set(ids)}"
    if related.pop("SPDXRef-planc", None) != "DESCRIBES" or set(related.values()) - set(LINKS):
        yield f"relationships are {related}"


def main(build, source):
    program, library = build / "bin/planc", build / "libplanc.a"
    static = re.search(r"^PLANC_STATIC:BOOL=(ON|1|TRUE|YES)$", (build / "CMakeCache.txt").read_text(), re.M | re.I)
    bill = json.loads((build / "planc.spdx.json").read_text())
    problems = list(structure(bill))
    files = {w for package in bill["packages"] for w in re.findall(r"[\w.+-]+\.(?:so|a)\b[\w.]*", package.get("comment", ""))}
    stems = {re.sub(r"\.so.*$", ".so", name) for name in files}
    loaded, linked = needed(program), archives(build)
    for name in loaded:
        if name not in files and re.sub(r"\.so.*$", ".so", name) not in stems and not name.startswith("ld-linux"):
            problems.append(f"the program loads {name}, which the bill of materials does not list")
        if static and not GLIBC.fullmatch(name):
            problems.append(f"a static program loads {name}")
    problems += [f"{name} is linked, and the bill of materials does not list it" for name in linked - files]
    for file in (program, library):
        data = file.read_bytes()
        problems += [f"{file.name} holds the name of the folder {folder}" for folder in {build, source} if len(folder.parts) > 2 and str(folder).encode() in data]
    for problem in problems:
        print(problem)
    print(f"{len(bill['packages'])} packages, {len(loaded)} libraries loaded, {len(linked)} archives linked, {len(problems)} problems")
    return 1 if problems or len(loaded) == 0 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
