"""Wide rows on which pilot samples are evaluated, keeping amplitudes instead of frequencies.

A frequency is as wide as the table, but a pilot only needs its products with the rows on which the plan is judged. So
samples are drawn a few at a time, evaluated on all of these rows, and discarded.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.loading import loaded
from kernelspec.random.streams import Stream
from kernelspec.samples.factor import AmplitudeFactor, amplitude_values, has_sides
from kernelspec.samples.frequencies import compiled_phasors
from kernelspec.samples.samples import Samples, Side, gather
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.laws.law import Law

__all__ = ["drawn_for", "most_drawn_for", "numbered"]

_NARROW = 2048
"""Up to this many columns of dense rows, pilots are drawn with all their frequencies at once."""

_NUMBERS_AT_ONCE = 1 << 21
"""Numbers (samples times columns) drawn at a time: 16 MiB of reused memory."""

_MOST_NUMBERS, _MOST_AMPLITUDES = 1 << 26, 1 << 23
"""Numbers to draw in all, and amplitudes to keep, when screening samples."""


@dataclass(frozen=True, eq=False)
class KnownRows(Rows):
    """Rows with their `places` among `every` row on which pilots are evaluated."""

    places: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    every: Rows | None = None

    def take(self, index: slice | NDArray[Any]) -> KnownRows:
        taken = Rows.take(self, index)
        return KnownRows(taken.numbers, taken.categories, taken.first, places=self.places[index], every=self.every)


@dataclass(frozen=True, eq=False)
class Tabulated(AmplitudeFactor):
    """Amplitudes z_L and conj z_R of all known rows, (rows, samples); `right` is `left` if both sides are the same."""

    left: NDArray[Any]
    right: NDArray[Any]

    @property
    def structure(self) -> Hashable:
        return ("tabulated", self.is_complex)

    @property
    def columns(self) -> tuple[int, ...]:
        return ()

    @property
    def is_complex(self) -> bool:
        return np.iscomplexobj(self.left)

    @property
    def has_sides(self) -> bool:
        return self.right is not self.left

    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        if not isinstance(rows, KnownRows):
            raise TypeError("tabulated amplitudes are those of known rows alone")
        return np.asarray((self.left if side == "left" else self.right)[rows.places])

    def take(self, index: NDArray[np.intp]) -> Tabulated:
        left = self.left[:, index]
        return Tabulated(left, self.right[:, index] if self.has_sides else left)

    def join(self, others: Sequence[AmplitudeFactor]) -> Tabulated:
        parts = [self, *(other for other in others if isinstance(other, Tabulated))]
        left = np.concatenate([part.left for part in parts], axis=1)
        both = any(part.has_sides for part in parts)
        return Tabulated(left, np.concatenate([part.right for part in parts], axis=1) if both else left)

    @property
    def n_samples(self) -> int:
        return int(self.left.shape[1])


def numbered(*parts: Rows) -> tuple[Rows, ...]:
    """Wide rows as known rows, others and rows already known unchanged; identical objects stay identical."""
    first = parts[0]
    tables = {id(part.every) if isinstance(part, KnownRows) else None for part in parts}
    if (len(tables) == 1 and None not in tables) or not (first.is_wide or first.n_columns > _NARROW):
        return parts
    distinct = list({id(part): part for part in parts}.values())
    every, start, known = Rows(first.numbers, first.categories), 0, {}
    for part in distinct[1:]:
        every = every.followed_by(part)
    for part in distinct:
        places = np.arange(start, start + len(part))
        known[id(part)] = KnownRows(part.numbers, part.categories, part.first, places=places, every=every)
        start += len(part)
    return tuple(known[id(part)] for part in parts)


def most_drawn_for(rows: Rows, positions: tuple[int, ...], most: int) -> int:
    """How many samples on these columns to screen: fewer on wide ones, whose drawing dominates."""
    if not isinstance(rows, KnownRows) or rows.every is None:
        return most
    return min(most, _MOST_NUMBERS // max(1, len(positions)), _MOST_AMPLITUDES // max(1, len(rows.every)))


def drawn_for(rows: Rows | None, law: Law, stream: Stream, n: int, positions: tuple[int, ...]) -> list[Samples]:
    """n independent samples for these rows: of known rows only amplitudes, unless they have keys."""
    every = rows.every if isinstance(rows, KnownRows) else None
    if every is None or law.has_key:
        return law.draw(stream, n, positions)
    law, every = _on_filled_columns(law, every.select(positions))
    columns = tuple(range(every.n_columns))
    at_once = max(1, _NUMBERS_AT_ONCE // max(1, len(columns)))
    batches: list[Samples] = []
    for start in range(0, n, at_once):
        own_stream = stream if n <= at_once else stream.child(start)
        for batch in law.draw(own_stream, min(at_once, n - start), columns):
            left = amplitude_values(batch, every, "left", compiled_phasors)
            right = amplitude_values(batch, every, "right", compiled_phasors) if has_sides(batch) else left
            ones, tabulated = np.ones(len(batch)), (Tabulated(left, right),)
            batches.append(Samples(batch.index + start, ones, batch.sign, keys=batch.keys, amplitudes=tabulated))
    return gather(batches)


def _on_filled_columns(law: Law, rows: Rows) -> tuple[Law, Rows]:
    """The law and the rows on the columns with entries; both unchanged if the law cannot be narrowed."""
    if isinstance(rows.numbers, np.ndarray):
        return law, rows
    kept = tuple(np.unique(rows.numbers.indices).tolist()) or (0,)
    from kernelspec.laws.columns_and_lags import narrowed

    fewer = narrowed(law, kept)
    if fewer is None:
        return law, rows
    if isinstance(fewer, loaded("kernelspec.laws.coordinate:UnitRowsLaw")):  # divide by the norms once, not per batch
        return fewer.base, rows.select(kept).on_unit_sphere()
    return fewer, rows.select(kept)
