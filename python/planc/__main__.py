"""`python -m planc`: the program that is installed with the package. SPDX-License-Identifier: Apache-2.0"""
import os
import sys

from ._results import PROGRAM


def main() -> None:
    os.execv(PROGRAM, ["planc", *sys.argv[1:]])  # the program takes over: its exit code, its signals


if __name__ == "__main__":
    main()
