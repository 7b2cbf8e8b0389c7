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

__all__ = ["Ratio", "drawn_together", "replicates_by_share"]

_FEWEST = 4
"""Samples of a stratum: fewer have nothing to gain from each other."""

_SIMILAR = 1.25
"""Numbers of samples whose ratios of variances differ by less than a ratio can be measured."""

_DRAWN = 8192
"""Samples in all of the independent draws on which a ratio is measured: of small draws more, for they vary more."""

_MOST_DRAWN = 1 << 18
"""Samples in all of these draws: of large draws fewer, down to the least."""

_LEAST, _FEW, _MANY = 16, 64, 512
"""Draws of a stratum at least; of all strata together about these at least, and at most."""

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


def replicates_by_share(strata: Sequence[Stratum], variances: Sequence[float]) -> Callable[[Stratum, int], int]:
    """On how many independent draws of n samples to measure each stratum: by its share of the variance of the whole.

    The whole is then known as well as one stratum from all the draws.
    """
    total = math.fsum(variances)
    known = math.isfinite(total) and total > 0
    shares = {
        id(stratum.independent.law): variance / total if known else 1 / len(strata)
        for stratum, variance in zip(strata, variances, strict=True)
    }

    def replicates(stratum: Stratum, n: int) -> int:
        draws = min(max(_FEW, _DRAWN // n), _MANY, max(_LEAST, _MOST_DRAWN // n))
        return max(_LEAST, math.ceil(draws * shares[id(stratum.independent.law)]))

    return replicates


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
