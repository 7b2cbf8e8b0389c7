"""Verdicts with known answers: ties and their neighbours, kernels decided by hand, and random signed sums.

Run from the repository root: python -m benchmarks.verdicts [RESULTS]. The answers are written down with their sources
in tests/verdicts/test_ties.py and test_known_answers.py; those of random sums come from formulas of the densities here,
on a grid of frequencies.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import kernelspec as ks
from benchmarks.provenance import made_by
from tests.verdicts.test_ties import Case
from tests.verdicts.test_ties import cases as tie_cases

__all__ = ["Answer", "asked", "random_sums"]

Array = NDArray[np.float64]

SUMS = 150
SECONDS = 5.0


class Answer(NamedTuple):
    """ "right", "unknown" or "wrong", and the seconds of CPU time that it took."""

    word: str
    seconds: float


def asked(text: str, dim: int, is_positive_definite: bool) -> Answer:
    """What the package says, beside the answer that is known; a spec that is refused counts as unknown."""
    start = time.process_time()
    try:
        found = ks.analyze(text, dim=dim).verdict.positive_definite
    except ks.KernelspecError:
        found = "unknown"
    right = found == ("proved" if is_positive_definite else "disproved")
    return Answer("right" if right else "unknown" if found == "unknown" else "wrong", time.process_time() - start)


def _laplace(s: float) -> Callable[[Array], Array]:
    return lambda w: s / np.pi / (1 + s * s * w * w)


def _matern(order: int, scale: float) -> Callable[[Array], Array]:
    a = np.sqrt(2 * order - 1) / scale
    size = {2: 2 * a**3, 3: 8 / 3 * a**5}[order]
    return lambda w: size / np.pi / (a * a + w * w) ** order


def _moved(p: Callable[[Array], Array], by: float) -> Callable[[Array], Array]:
    return lambda w: (p(w - by) + p(w + by)) / 2


def _gaussian(s: float) -> Callable[[Array], Array]:
    return lambda w: s / np.sqrt(2 * np.pi) * np.exp(-s * s * w * w / 2)


def _leaf(generator: np.random.Generator) -> tuple[str, Callable[[Array], Array]]:
    """A kernel on one column with rational arguments, and its density."""
    s, w = int(generator.integers(1, 9)) / 4, int(generator.integers(1, 9)) / 4
    return [
        (f"gaussian(scale={s})", _gaussian(s)),
        (f"laplace(scale={s})", _laplace(s)),
        (f"cauchy(scale={s})", lambda u: s / 2 * np.exp(-s * np.abs(u))),
        (f"matern(3/2, scale={s})", _matern(2, s)),
        (f"matern(5/2, scale={s})", _matern(3, s)),
        (f"laplace(scale={s})*cosine({w})", _moved(_laplace(s), w)),
        (f"gaussian(scale={s})*cosine({w})", _moved(_gaussian(s), w)),
    ][int(generator.integers(7))]


def random_sums(count: int, seed: int = 0) -> Iterator[Case]:
    """Σ ± w k of two to four kernels on a line whose density is negative beyond rounding on a grid, or far from it.

    Far is a thousandth of the positive part at every frequency of the grid, which reaches to 1e4.
    """
    generator = np.random.default_rng(seed)
    grid = np.concatenate([np.linspace(0, 20, 8001), np.geomspace(20, 1e4, 2000)])
    while count:
        terms = [_leaf(generator) for _ in range(int(generator.integers(2, 5)))]
        weights = [1.0, *(-int(generator.integers(1, 100)) / 100 * generator.choice([-1, 1, 1]) for _ in terms[1:])]
        values = np.array([weight * density(grid) for weight, (_, density) in zip(weights, terms, strict=True)])
        rest, size = values.sum(axis=0), np.abs(values).sum(axis=0)
        share = (rest / np.where(size > 0, size, 1))[size > 1e-200].min()
        if -1e-9 < share < 1e-3:
            continue
        count -= 1
        text = " + ".join(f"({weight})*{kernel}" for weight, (kernel, _) in zip(weights, terms, strict=True))
        yield Case(text, 1, bool(share > 0), "the density on a grid")


def _row(name: str, answers: Sequence[Answer]) -> str:
    count, slowest = Counter(answer.word for answer in answers), max(answer.seconds for answer in answers)
    late = sum(answer.seconds > SECONDS for answer in answers)
    words = " | ".join(str(count[word]) for word in ("right", "unknown", "wrong"))
    return f"| {name} | {len(answers)} | {words} | {slowest:.1f} | {late} |"


def main(arguments: Sequence[str]) -> int:
    """Print the table, or write it to the file; the exit status is 1 if an answer is wrong."""
    from tests.verdicts.test_known_answers import cases as known_cases

    groups: dict[str, list[Answer]] = {}
    open_cases: list[str] = []

    def ask(group: str, text: str, dim: int, is_positive_definite: bool) -> None:
        answer = asked(text, dim, is_positive_definite)
        groups.setdefault(group, []).append(answer)
        if answer.word != "right":
            open_cases.append(f"{answer.word}, d = {dim}: `{text}`")

    for case in tie_cases():
        distance = next((d for d in ("1e-12", "1e-16", "1e-20", "1e-25", "1e-30") if d in case.text), "0: the ties")
        ask(f"distance {distance}", *case[:3])
    for text, dim, expected, _ in known_cases():
        ask(f"by hand, {dim} column{'s' * (dim > 1)}", text, dim, expected == "proved")
    for case in random_sums(SUMS):
        ask("random signed sums", *case[:3])
    lines = [
        "# Verdicts with known answers",
        "",
        f"{made_by('python -m benchmarks.verdicts')} Ties come from",
        "theorems, with rational, algebraic and transcendental numbers, and kernels at a relative distance on both",
        "sides of each. Kernels by hand have their sources beside them in `tests/verdicts/test_known_answers.py`. The",
        "densities of random sums were evaluated on a grid. Seconds are CPU time of one `ks.analyze`.",
        "",
        "| cases | count | right | unknown | wrong | slowest, s | beyond 5 s |",
        "|---|---|---|---|---|---|---|",
        *(_row(name, groups[name]) for name in sorted(groups)),
        _row("all", [answer for answers in groups.values() for answer in answers]),
        "",
        "Not decided:",
        "",
        *(f"- {line}" for line in open_cases),
    ]
    text = "\n".join(lines) + "\n"
    if arguments:
        Path(arguments[0]).write_text(text)
    else:
        print(text)
    return int(any(answer.word == "wrong" for answers in groups.values() for answer in answers))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
