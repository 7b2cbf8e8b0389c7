"""Samples drawn together instead of independently, stratum by stratum, where that is measured to vary less."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from kernelspec.errors import PlanError
from kernelspec.laws.catalogue import DRAWS
from kernelspec.laws.joint import JointLaw, joint
from kernelspec.planning.proposal import Proposal
from kernelspec.planning.strata import Stratum

__all__ = ["Ratio", "drawn_together", "ratio_of_laws"]

_FEWEST = 4
"""Samples of a stratum: fewer have nothing to gain from each other."""

_SIMILAR = 1.25
"""Numbers of samples whose ratios of variances differ by less than a ratio can be measured."""

_MEASURED = 4
"""Terms with laws of one kind whose ratios are measured; all others take the mean."""

Ratio: TypeAlias = Callable[[Stratum, int], float]
"""The variance of a stratum's joint samples over that of as many independent ones."""

Reallocate: TypeAlias = Callable[[Sequence[Stratum]], Proposal]
"""The best use of the budget for strata some of which are drawn together."""


def drawn_together(
    alone: Proposal, kinds: Sequence[str], ratio: Ratio, reallocate: Reallocate, *, asked: bool
) -> Proposal | None:
    """The proposal with the draws, of these kinds, that vary least in every stratum; None where none varies less.

    A kind that is `asked` for is taken wherever it can be, whether or not it varies less. The budget is divided anew,
    and the ratios are measured again where the numbers of samples are then others.
    Raises PlanError where draws are asked for that no stratum has.
    """
    pairs = list(zip(alone.strata, alone.candidate.counts, strict=True))
    found = [_best(stratum, n, kinds, ratio, asked=asked) for stratum, n in pairs]
    if not any(stratum.draws for stratum in found):
        if asked:
            accepted = DRAWS[kinds[0]].accepts
            raise PlanError(
                f"draws={kinds[0]!r} changes nothing for this kernel" + f": it is for {accepted}" * bool(accepted)
            )
        return None
    divided = reallocate(found)
    if len(found) == 1:
        return divided
    again = [
        _redrawn(stratum, ratio(stratum, n)) if stratum.draws and not _is_about(n, before) else stratum
        for stratum, n, before in zip(found, divided.candidate.counts, alone.candidate.counts, strict=True)
    ]
    return reallocate(again) if again != found else divided


def ratio_of_laws(alone: Proposal, ratio: Ratio) -> Ratio:
    """The same ratio for terms that are many: measured for those of the most samples, whose mean the others of a kind have.

    Of a kind are laws of one class on as many columns.
    """
    counts = dict(zip(map(_law, alone.strata), alone.candidate.counts, strict=True))
    kinds: dict[tuple[type, int], list[Stratum]] = {}
    for stratum in alone.strata:
        kinds.setdefault(_kind(stratum), []).append(stratum)
    chosen = {_law(own) for many in kinds.values() for own in sorted(many, key=lambda one: -counts[_law(one)])[:_MEASURED]}
    found: dict[tuple[str | None, tuple[type, int]], list[float]] = {}

    def of(stratum: Stratum, n: int) -> float:
        key = stratum.draws, _kind(stratum)
        if _law(stratum) in chosen or key not in found:
            found.setdefault(key, []).append(ratio(stratum, n))
            return found[key][-1]
        return math.fsum(found[key]) / len(found[key])

    return of


def _law(stratum: Stratum) -> int:
    return id(stratum.independent.law)


def _kind(stratum: Stratum) -> tuple[type, int]:
    return type(stratum.independent.law), len(stratum.positions)


def _is_about(n: int, before: int) -> bool:
    return max(n, before) <= _SIMILAR * min(n, before)


def _redrawn(stratum: Stratum, ratio: float) -> Stratum:
    """The stratum of joint samples with another ratio of their variance to that of independent ones."""
    assert isinstance(stratum.law, JointLaw)
    return replace(stratum, law=replace(stratum.law, ratio=ratio))


def _best(stratum: Stratum, n: int, kinds: Sequence[str], ratio: Ratio, *, asked: bool) -> Stratum:
    best, least = stratum, float("inf") if asked else 1.0
    for kind in kinds if asked or n >= _FEWEST else ():
        law = joint(stratum.law, kind, stratum.positions)
        if law is not None and (measured := ratio(replace(stratum, law=law), n)) < least:
            best, least = _redrawn(replace(stratum, law=law), measured), measured
    return best
