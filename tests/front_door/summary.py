"""What many judgements say together."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from scipy import stats

__all__ = ["summary"]


def summary(found: Sequence[Mapping[str, Any]]) -> str:
    """Counts by kind of case, the largest |z|, p-values against uniform ones, the time, refusals and faults."""
    fates = {own["number"]: _fate(own) for own in found}
    columns = ("right", "fault", "refused", "unjudged")
    lines = ["| cases | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for key in ("family", "form"):
        kinds = sorted({own["case"][key] for own in found})
        for kind in kinds:
            counts = Counter(fates[own["number"]] for own in found if own["case"][key] == kind)
            lines.append(f"| {kind} | " + " | ".join(str(counts[name]) for name in columns) + " |")
    counts = Counter(fates.values())
    lines.append(f"| all {len(found)} | " + " | ".join(str(counts[name]) for name in columns) + " |")
    scores = [own for own in found if own["z"] is not None]
    if scores:
        worst = max(scores, key=lambda own: abs(own["z"]))
        uniform = stats.kstest([own["p_value"] for own in scores], "uniform")
        lines += [
            f"largest |t| of one random projection each, 15 degrees of freedom: {abs(worst['z']):.2f} "
            f"(case {worst['number']}) of {len(scores)}",
            f"p-values against uniform ones, Kolmogorov–Smirnov: D = {uniform.statistic:.3f}, p = {uniform.pvalue:.2g}",
        ]
    ratios = sorted(own["ratio"] for own in found if own["ratio"] is not None)
    if ratios:
        parts = [
            f"{share:g} %: {ratios[int(share / 100 * (len(ratios) - 1))]:.2f}" for share in (0, 1, 5, 50, 95, 99, 100)
        ]
        lines.append(f"root mean square error of 16 maps over the predicted one: {', '.join(parts)}")
    again = sum(own["maps"] > 16 for own in found)
    slowest = max(found, key=lambda own: own["seconds"], default={"seconds": 0.0, "number": None})
    lines.append(
        f"{again} cases were judged on more than 16 maps; {sum(own['seconds'] for own in found):.0f} s CPU, "
        f"at most {slowest['seconds']:.0f} s (case {slowest['number']})"
    )
    refusals = Counter(_without_names(own["refused"]) for own in found if own["refused"])
    lines += [f"refused {n} times: {words}" for words, n in refusals.most_common()]
    for own in found:
        for fault in own["faults"]:
            lines.append(
                f"FAULT {fault['kind']} ({own['plan']}): {fault['words']}: "
                f"python -m tests.front_door --case {shlex.quote(json.dumps(own['case']))}"
            )
    return "\n".join(lines)


def _fate(own: Mapping[str, Any]) -> str:
    if own["faults"]:
        return "fault"
    return "refused" if own["refused"] else "unjudged" if own["unjudged"] else "right"


def _without_names(words: str) -> str:
    """A message without what differs from case to case."""
    return words[:60]
