"""How many samples find a bias of 1 % of k and a variance 5 % off, with probability 0.999, in every family.

Run with `python -m tests.power_table`: the table of docs/internals/smallest_errors.md. `pytest tests/test_power.py
--thorough` draws that many samples of every method and passes, so it would have found errors of this size.
"""

from __future__ import annotations

from kernelspec.errors import PlanError
from kernelspec.testing.samples import methods_of
from tests.laboratory import samples_to_find
from tests.test_power import ROWS, TEXTS

__all__ = ["table"]


def table() -> str:
    """A line for every family: the kernel, and by method how many thousand samples it takes."""
    lines = ["| kernel | thousands of samples |", "|---|---|"]
    for text in TEXTS.values():
        found = []
        for method in methods_of(text, ROWS):
            try:
                found.append(f"{method} {samples_to_find(text, ROWS, method, bias=0.01, variance=0.05) / 1000:,.0f}")
            except PlanError:
                found.append(f"{method} refused")
        lines.append(f"| `{text}` | {', '.join(found)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
