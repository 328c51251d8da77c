#!/usr/bin/env python3
"""Every diagnostic has one declaration, one page and one test; every page has a diagnostic and the agreed form."""
# SPDX-License-Identifier: Apache-2.0
import re
import sys
from pathlib import Path

import page as pages

TEXT = (".plan", ".cpp", ".h", ".py", ".txt", ".json", ".cfg", ".test", ".csv")


def codes_in_tests(root):
    """Codes that some test names, each with one file that does."""
    found = {}
    for path in sorted((root / "tests").rglob("*")):
        if path.suffix in TEXT and path.is_file():
            for code in re.findall(r"PLAN\d{4}", path.read_text(errors="replace")):
                found.setdefault(code, path)
    return found


def problems(root):
    declared, found = pages.declared(root)
    by_code, by_name = {}, pages.pages(root)
    for d in declared:
        other = by_code.setdefault(d.code, d)
        if other is not d:
            found.append(f"{d.where}: {d.code} ({d.name}) is declared before, as {other.name} at {other.where}")
    for code, d in sorted(by_code.items()):
        if code not in by_name:
            found.append(f"{d.where}: {code} ({d.name}) has no page docs/diagnostics/{code}.md")
    tested = codes_in_tests(root)
    for code, p in sorted(by_name.items()):
        where = p.path.relative_to(root)
        found += [f"{where}: {problem}" for problem in p.problems]
        if code not in by_code:
            found.append(f"{where}: no code declares {code}")
        if p.shown_by:
            shown = root / p.shown_by
            if not shown.is_file() or code not in shown.read_text(errors="replace"):
                found.append(f"{where}: {p.shown_by} does not name {code}")
        elif not p.example and code not in tested:
            found.append(f"{where}: no test shows {code}")
    return found, len(by_code)


def main(root):
    found, count = problems(root)
    for problem in found:
        print(problem)
    print(f"{count} diagnostics, {len(found)} problems")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
