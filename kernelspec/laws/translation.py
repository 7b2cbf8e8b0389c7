"""Translated lags: phases on the left, and keys of translated rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.kernels.nodes.shift import Shift
from kernelspec.laws.columns_shown import indented
from kernelspec.laws.derived import Derived
from kernelspec.laws.rules import OF_SHARES, Below, closed_to, own_law
from kernelspec.limits import MAX_SIZE
from kernelspec.samples.frequencies import products
from kernelspec.samples.keys.translated_key import TranslatedKey
from kernelspec.samples.samples import Phasors, gather

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.laws.moments import Moments
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream
    from kernelspec.samples.columns_read import ColumnRead
    from kernelspec.samples.growth import Growth
    from kernelspec.samples.samples import Samples

__all__ = ["TranslationLaw"]


@dataclass(frozen=True)
class TranslationLaw(Derived):
    """p of k(Δ + r), r = `by`: the samples of `base` at x + r and y."""

    by: tuple[Scalar, ...]

    def validate(self) -> None:
        super().validate()
        if self.dim not in (None, len(self.by)):
            raise ValueError(f"a vector of {len(self.by)} entries stands on {self.dim} columns")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        by = tuple(float(entry) for entry in self.by)
        return gather([_moved(batch, by, columns) for batch in self.base.draw(stream, n, columns)])

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs.translated(self.by))

    def mean(self, pairs: Pairs) -> Value:
        return self.base.mean(pairs.translated(self.by))

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs.translated(self.by))

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        shown = ", ".join(f"{float(entry):g}" for entry in self.by)
        return [f"at x + ({shown}) and y:", *indented(self.base.lines(columns, names))]


@own_law.register
def _(kernel: Shift, below: Below) -> TranslationLaw:
    return TranslationLaw(below(kernel.base), kernel.by)


@closed_to.register
def _(kernel: Shift) -> frozenset[str]:
    del kernel
    return OF_SHARES


def _moved(batch: Samples, by: tuple[float, ...], columns: tuple[int, ...]) -> Samples:
    weight = batch.weight if batch.growth is None else batch.weight * _grown(batch.growth, by, columns)
    keys = tuple(TranslatedKey(key, by, columns) for key in batch.keys)
    return replace(batch, phasors=_turned(batch.phasors, by, columns), keys=keys, weight=weight)


def _grown(growth: Growth, by: tuple[float, ...], columns: tuple[int, ...]) -> NDArray[np.float64]:
    """What the translation multiplies the samples by, exp(β·r). Raises PlanError beyond what can be sampled."""
    with np.errstate(over="ignore"):
        found = growth.at(columns, by)
    if not (found <= MAX_SIZE).all():
        raise PlanError(
            f"samples of this kernel grow like exp(β·Δ), and are translated so far that they have weights beyond "
            f"{MAX_SIZE:g}: no features are drawn of these"
        )
    return found


def _turned(phasors: Phasors | None, by: tuple[float, ...], columns: tuple[int, ...]) -> Phasors | None:
    if phasors is None:
        return None
    place: dict[ColumnRead, float] = dict(zip(columns, by, strict=True))
    steps = np.array([place.get(column, 0.0) for column in phasors.columns])
    return replace(phasors, left=phasors.left + products(steps[None], phasors.frequencies)[0])
