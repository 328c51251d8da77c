# What a set of (predicted, measured) pairs says: median, mean, p90, bias, rank correlation; as numbers and as lines of a Markdown table.
# SPDX-License-Identifier: Apache-2.0
import statistics

COLUMNS = ("n", "median", "mean", "p90", "worst", "bias", "rho")


def percent(predicted, measured):
    """The signed error in percent: below zero planc is too fast."""
    return 100 * (predicted / measured - 1)


def ranks(values):
    """Ranks from 1, ties share their mean."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    out = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            out[order[k]] = (i + j) / 2 + 1
        i = j + 1
    return out


def spearman(a, b):
    """Rank correlation; none below three pairs or without spread."""
    if len(a) < 3 or len(set(a)) < 2 or len(set(b)) < 2:
        return None
    return statistics.correlation(ranks(a), ranks(b))


def summary(pairs):
    """Statistics of (predicted, measured) pairs: n, median, mean, p90, worst and signed mean of the error in percent, Spearman's rho."""
    errors = [percent(p, m) for p, m in pairs]
    size = sorted(abs(e) for e in errors)
    return {"n": len(size), "median": statistics.median(size), "mean": statistics.fmean(size),
            "p90": size[min(len(size) - 1, int(0.9 * len(size)))], "worst": size[-1], "bias": statistics.fmean(errors),
            "rho": spearman([p for p, _ in pairs], [m for _, m in pairs])}


def table(groups, extra=()):
    """The statistics of {name: pairs} as lines of a Markdown table; `extra` holds (heading, {name: text}) of columns behind them."""
    heads = ["source", "n", "median", "mean", "p90", "worst", "bias", "rank correlation"] + [head for head, _ in extra]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for name, pairs in groups.items():
        s = summary(pairs)
        cells = [name, str(s["n"])] + [f"{s[k]:.1f} %" for k in ("median", "mean", "p90", "worst")] + [f"{s['bias']:+.1f} %"]
        cells += ["" if s["rho"] is None else f"{s['rho']:.2f}"] + [cells_of.get(name, "") for _, cells_of in extra]
        lines.append("| " + " | ".join(cells) + " |")
    return lines
