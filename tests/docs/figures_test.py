#!/usr/bin/env python3
"""The check of figures in prose (figures.py), on made-up pages: what agrees, what does not, what an update writes."""
# SPDX-License-Identifier: Apache-2.0
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "coverage"))
import figures  # noqa: E402
import markdown  # noqa: E402

RUN = "```console\n$ planc estimate p.plan\nstep time 9.978 s, +2.2 %, 29.48 GB of 80 GB\n  run USD  285936\nrun 108.2 d\n```\n"


def wrong(prose, run=RUN):
    """Figures of the prose before a run that the check reports."""
    page = f"# Page\n\n{prose}\n\n{run}"
    blocks = markdown.blocks(page)
    return [what.split("`")[1] for _, what in figures.problems(page, blocks, {block.line: block.text for block in blocks})]


class Prose(unittest.TestCase):
    def test_a_figure_that_the_run_prints(self):
        self.assertEqual(wrong("It takes 9.978 s, 9.98 s or 10 s, 2.2 % longer, 108 days and 286 thousand dollars."), [])

    def test_a_figure_that_it_does_not_print(self):
        self.assertEqual(wrong("It takes 9.5 s, 2.3 % longer, 105 days and 278 thousand dollars."),
                         ["9.5 s", "2.3 %", "105 days", "278 thousand dollars"])

    def test_a_number_agrees_with_one_of_its_unit_only(self):
        self.assertEqual(wrong("It takes 108 s."), ["108 s"])

    def test_the_first_of_two_numbers_has_the_unit_of_the_second(self):
        self.assertEqual(wrong("29 of 80 GB are in use, not 35 of 80 GB."), ["35 GB"])

    def test_bare_numbers(self):
        self.assertEqual(wrong("There are 285,936 of one and 27 of the other."), ["27"])

    def test_a_figure_from_elsewhere_says_so(self):
        self.assertEqual(wrong("The card has 400 Gb/s.\n<!-- from elsewhere: 400 Gb/s -->"), [])

    def test_what_says_so_without_need_is_reported(self):
        self.assertEqual(wrong("It takes 9.978 s.\n<!-- from elsewhere: 9.978 s -->"), ["<!-- from elsewhere: 9.978 s -->"])

    def test_a_section_without_a_run_is_left_alone(self):
        self.assertEqual(wrong("It takes 5 s.", run="## Other\n\n" + RUN), [])

    def test_a_generated_part_is_a_run(self):
        self.assertEqual(wrong("Off by 3.4 % or 3.9 %.", run="<!-- errors -->\n| a | 3.4 % |\n<!-- end -->\n"), ["3.9 %"])

    def test_a_section_that_quotes_a_page_is_compared_with_it(self):
        page = "# Page\n\nOff by 3.4 % or 3.9 %.\n\n<!-- figures of errors.md -->\n"
        found = figures.problems(page, [], {}, {"errors.md": "| a | 3.4 % |"}.get)
        self.assertEqual([what.split("`")[1] for _, what in found], ["3.9 %"])

    def test_an_update_moves_the_figures_that_follow(self):
        page = f"# Page\n\nIt takes 9.98 s, 108 days and 286 thousand dollars.\n\n{RUN}"
        old = RUN.split("\n", 2)[2].rsplit("```", 1)[0]
        new = old.replace("9.978", "9.5").replace("285936", "270100").replace("108.2", "101.9")
        self.assertIn("It takes 9.50 s, 102 days and 270 thousand dollars.", figures.renewed(page, markdown.blocks(page), [(old, new)]))


if __name__ == "__main__":
    unittest.main()
