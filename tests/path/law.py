#!/usr/bin/env python3
"""Tests run with a PATH that holds the programs of listed packages and of Debian's essential set, and no other program.

Usage: law.py FOLDER ROOT

Runs under ctest and once more under lit, and fails unless FOLDER, which links.py made, is the whole PATH. A program that no listed package brings
must not start by its name, although the machine has it; a program of a package that leaves the list must go with it.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import links

FOLDER, ROOT = Path(sys.argv[1]), Path(sys.argv[2])


def starts(name, path):
    """Whether a shell with this PATH finds the program."""
    return subprocess.run(["/bin/sh", "-c", f"command -v {name}"], env={"PATH": str(path)}, capture_output=True).returncode == 0


class Law(unittest.TestCase):
    def test_the_folder_is_the_whole_path(self):
        self.assertEqual(os.environ["PATH"], str(FOLDER))

    def test_programs_that_tests_need(self):
        for name in ("sh", "sed", "grep", "diff", "find", "tar", "gzip", "git", "cmake", "python3"):
            self.assertTrue(starts(name, FOLDER), name)

    def test_every_link_leads_to_a_listed_or_essential_package(self):
        packages = links.listed(ROOT) | {name for name, _, essential in links.installed() if essential}
        targets = [os.readlink(entry) for entry in FOLDER.iterdir() if entry.is_symlink()]
        owners = links.output("dpkg-query", "-S", *targets).splitlines()
        for line in owners:
            if not line.startswith("diversion "):
                names = {name.split(":")[0] for name in line.split(": /")[0].split(", ")}
                self.assertTrue(names & packages, line)
        self.assertGreater(len(owners), 100)

    def test_a_program_of_another_package_does_not_start(self):
        others = [full for name, full, essential in links.installed() if not essential and name not in links.listed(ROOT)]
        mine = {entry.name for entry in FOLDER.iterdir()}
        unlisted = sorted(set(links.programs(others)) - mine)
        self.assertEqual([name for name in unlisted[:20] if starts(name, FOLDER)], [])

    def test_a_package_that_leaves_the_list_takes_its_programs_along(self):
        with tempfile.TemporaryDirectory() as temporary:
            root = Path(temporary)
            (root / ".ci").mkdir()
            script = (Path(ROOT) / ".ci/install").read_text()
            self.assertIn(" git ", script)
            (root / ".ci/install").write_text(script.replace(" git ", " "))
            (root / ".ci/install").chmod(0o755)
            links.make(root / "path", root, [])
            self.assertFalse(starts("git", root / "path"))
            self.assertTrue(starts("cmake", root / "path"))

    def test_a_program_that_cmake_found_stands_for_a_package_that_dpkg_lacks(self):
        with tempfile.TemporaryDirectory() as temporary:
            root = Path(temporary)
            (root / ".ci").mkdir()
            (root / ".ci/install").write_text("#!/bin/sh\necho own-tool\n")
            (root / ".ci/install").chmod(0o755)
            links.make(root / "path", root, ["own-tool:tool=/bin/true", "other:unlisted=/bin/true"])
            self.assertTrue(starts("tool", root / "path"))
            self.assertFalse(starts("unlisted", root / "path"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
