"""Figures in the prose of a page: each that stands in a section with a run is printed by a run of that section, or says that it is of none.

A run is a command whose output the page prints, or a generated part between `<!-- name -->` and its end. A figure is a number with a unit,
`2.2 %`, `278 thousand dollars`, or a bare number from 10 on. It agrees with a printed one of the same unit that rounds to it. Text in backticks and
links is no prose. Bare numbers beside a generated part are versions, years and rows, and are passed over. A figure from elsewhere (a data sheet, a
rule of planc) stands in a comment of its section:

    <!-- from elsewhere: 400 Gb/s, 15 % -->

A section that quotes another page names it. Its figures are compared with that page:

    <!-- figures of evidence/errors.md -->
"""
# SPDX-License-Identifier: Apache-2.0
import re
from dataclasses import dataclass, field

WORDS = {"percent": "%", "seconds": "s", "second": "s", "milliseconds": "ms", "microseconds": "us", "days": "d", "day": "d", "hours": "h", "hour": "h",
         "minutes": "min", "dollars": "USD"}
UNITS = ("%", "s", "ms", "us", "min", "h", "d", "kB", "MB", "GB", "TB", "GiB", "B/s", "MB/s", "GB/s", "TB/s", "Gb/s", "TFLOP/s", "PFLOP/s", "W", "kW",
         "kWh", "MWh", "GWh", "USD", "t", "kg")
IN_HEADINGS = ("USD",)  # of a column: its cells are bare numbers
SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
UNIT = "|".join(re.escape(u) for u in sorted([*UNITS, *WORDS], key=len, reverse=True))
WITH_UNIT = re.compile(rf"(?<![\w.,])({NUMBER})(?: ({'|'.join(SCALES)}))? ?({UNIT})(?![\w/])")
SHARES_UNIT = re.compile(rf"(?<![\w.,])({NUMBER})(?= (?:of|to|and|or) (?:{NUMBER})(?: (?:{'|'.join(SCALES)}))? ?({UNIT})(?![\w/]))")
BARE = re.compile(rf"(?<![\w.,/+^*=#(-])({NUMBER})(?![\w/^*=)]|[.,]\d|-\w|:\d)")
LEAST_BARE = 10
NO_PROSE = re.compile(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|https?://\S+|arXiv \d+\.\d+|<!--.*?-->")
EXEMPT = re.compile(r"<!-- from elsewhere: (.*?) -->")
QUOTED = re.compile(r"<!-- figures of ([\w./-]+) -->")
PART, END = re.compile(r"<!-- (?!from elsewhere|figures of)[\w :./-]+ -->"), re.compile(r"<!-- (end( of table)?|\w+: end) -->")


@dataclass
class Figure:
    line: int
    text: str
    value: float
    half: float  # of its last digit
    unit: str  # empty: bare

    def agrees(self, values):
        return any(abs(value - self.value) <= self.half * (1 + 1e-6) for value in values)


@dataclass
class Section:
    prose: list = field(default_factory=list)  # (line, text)
    printed: str = ""  # by its runs
    shown: str = ""  # its blocks: plans, commands
    exempt: list = field(default_factory=list)
    runs: int = 0  # commands and generated parts
    commands: int = 0


def number(text):
    return float(text.replace(",", ""))


def figure(line, text, digits, scale, unit):
    times = SCALES.get(scale, 1)
    decimals = len(digits.split(".")[1]) if "." in digits else 0
    return Figure(line, text, number(digits) * times, 10 ** -decimals * times / 2, WORDS.get(unit, unit))


def figures(line, text):
    """The figures of a line of prose."""
    def blank(match):
        return " " * len(match[0])
    text = NO_PROSE.sub(blank, text)
    for match in SHARES_UNIT.finditer(text):
        yield figure(line, f"{match[1]} {match[2]}", match[1], None, match[2])
    text = SHARES_UNIT.sub(blank, text)
    for match in WITH_UNIT.finditer(text):
        yield figure(line, match[0], match[1], match[2], match[3])
    for match in BARE.finditer(WITH_UNIT.sub(blank, text)):
        if number(match[1]) >= LEAST_BARE:
            yield figure(line, match[1], match[1], None, "")


def values(text, unit):
    """All numbers of the text that are printed with a unit; all that there are for a bare number."""
    if not unit or unit in IN_HEADINGS:
        return [number(found) for found in re.findall(rf"(?<![\w.])({NUMBER})", text)]
    return [number(match[1]) for match in WITH_UNIT.finditer(text) if WORDS.get(match[3], match[3]) == unit]


def sections(text, blocks, printed, read=None):
    """The sections of a page, cut at headings of every level. `printed`: what the commands of a block print, by the line of its fence.
    `read` returns the text of a page that a section quotes."""
    fenced = {}
    for block in blocks:
        for line in range(block.line, block.line + block.text.count("\n") + 2):
            fenced[line] = block
    found, part = [Section()], False
    for number_, line in enumerate(text.splitlines(), 1):
        here = found[-1]
        block = fenced.get(number_)
        if block:
            if number_ == block.line:
                here.shown += block.text
                here.printed += printed.get(block.line, "")
                here.runs += block.line in printed
                here.commands += block.line in printed
        elif END.fullmatch(line.strip()):
            part = False
        elif PART.fullmatch(line.strip()):
            part = True
            here.runs += 1
        elif quoted := QUOTED.fullmatch(line.strip()):
            here.runs += 1
            here.printed += read(quoted[1])
        elif part:
            here.printed += line + "\n"
        elif re.match(r"#+ ", line):
            found.append(Section())
        else:
            here.exempt += [word.strip() for said in EXEMPT.findall(line) for word in re.split(r", (?=\d)", said)]
            here.prose.append((number_, line))
    return found


def problems(text, blocks, printed, read=None):
    """(line, what is wrong) of figures that no run of their section prints, and of exemptions that nothing needs."""
    for section in sections(text, blocks, printed, read):
        if not section.runs:
            continue
        needed, pool = set(), section.printed + section.shown
        for one in (f for line, prose in section.prose for f in figures(line, prose) if f.unit or section.commands):
            known = values(pool, one.unit)
            if one.agrees(known):
                continue
            needed.add(one.text)
            if one.text not in section.exempt:
                near = sorted(set(known), key=lambda value: abs(value - one.value))[:3]
                yield one.line, (f"`{one.text}` is printed by no run of its section (nearest: {', '.join(f'{v:g}' for v in near) or 'none'}); "
                                 f"mend it, or say `<!-- from elsewhere: {one.text} -->`")
        for word in section.exempt:
            if word not in needed:
                yield section.prose[0][0], f"`<!-- from elsewhere: {word} -->` is not needed"


def renewed(text, blocks, updates):
    """The page with figures that follow numbers which moved: those that agree with a number of an old output, and with the new one no more.
    `updates`: (old output, new output), line by line the same but for numbers."""
    moved = []
    for old, new in updates:
        for before, after in zip(old.splitlines(), new.splitlines()):
            was, now = re.findall(rf"({NUMBER}) ?({UNIT})?(?![\w/])", before), re.findall(rf"({NUMBER}) ?({UNIT})?(?![\w/])", after)
            if len(was) == len(now):
                moved += [(number(a), number(b), u) for (a, u), (b, v) in zip(was, now) if u == v and a != b]
    if not moved:
        return text
    lines = text.splitlines(keepends=True)
    inside = {line for block in blocks for line in range(block.line, block.line + block.text.count("\n") + 2)}
    for at, line in enumerate(lines, 1):
        for one in [] if at in inside else list(figures(at, line)):
            follow = {b for a, b, unit in moved if (unit == one.unit or one.unit in IN_HEADINGS) and one.agrees([a]) and not one.agrees([b])}
            if len(follow) == 1 and one.unit:
                digits = re.match(NUMBER, one.text)[0]
                decimals = len(digits.split(".")[1]) if "." in digits else 0
                scale = next((times for word, times in SCALES.items() if f" {word} " in one.text), 1)
                new = f"{follow.pop() / scale:{',' if ',' in digits else ''}.{decimals}f}"
                lines[at - 1] = lines[at - 1].replace(one.text, one.text.replace(digits, new, 1), 1)
    return "".join(lines)
