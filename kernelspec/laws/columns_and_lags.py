"""Samples on some columns, of stretched lags, laws with parts replaced, and laws for rows that are zero elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.pairs import Pairs
from kernelspec.kernels.kernel import Kernel, rebuilt
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.sums_and_products import Power, Product, Sum
from kernelspec.kernels.stationary import Coordinatewise, Radial
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Cut, Law, Moments, indented
from kernelspec.laws.rules import Below, closed_to, own_law
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import mapped
from kernelspec.samples.keys import MappedKey
from kernelspec.samples.samples import Phasors, Samples, gather

__all__ = ["Derived", "SelectedLaw", "StretchLaw", "narrowed", "replaced", "stretched"]


@dataclass(frozen=True)
class Derived(Law):
    """The samples of its base for transformed pairs; subclasses state what else changes."""

    base: Law

    @property
    def dim(self) -> Scalar | None:
        return self.base.dim

    def seen(self, pairs: Pairs) -> Pairs:
        """The pairs of rows as the base sees them."""
        return pairs

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(self.seen(pairs))

    def mean(self, pairs: Pairs) -> Value:
        return self.base.mean(self.seen(pairs))

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(self.seen(pairs))

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    @property
    def cuts(self) -> tuple[Cut, ...]:
        return self.base.cuts

    @property
    def has_phasor(self) -> bool:
        return self.base.has_phasor

    @property
    def has_key(self) -> bool:
        return self.base.has_key

    @property
    def has_amplitude(self) -> bool:
        return self.base.has_amplitude

    @property
    def n_terms(self) -> int:
        return self.base.n_terms

    def work(self, n: int, nonzeros: float) -> float:
        return self.base.work(n, nonzeros)


def replaced(law: Law, change: Callable[[Law], Law | None]) -> Law:
    """The law with every law for which `change` returns a replacement replaced, from the top down.

    Returns the law itself if nothing changes.
    """
    found = change(law)
    if found is not None:
        return found
    if not is_dataclass(law):
        raise TypeError(f"{type(law).__name__} must be a dataclass, like all laws")
    return rebuilt(law, Law, lambda part: replaced(part, change))


@dataclass(frozen=True)
class SelectedLaw(Derived):
    """The samples of `base` on the columns at `positions`, out of `width`."""

    positions: tuple[int, ...]
    width: Scalar

    @property
    def dim(self) -> Scalar:
        return self.width

    def validate(self) -> None:
        super().validate()
        inside = all(0 <= position < self.width for position in self.positions)
        if not inside or self.base.dim not in (None, len(self.positions)):
            raise ValueError(f"a law on {self.base.dim} columns is applied to {self.positions} of {self.width}")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        return self.base.draw(stream, n, self.chosen(columns))

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        return self.base.draw_products(stream, counts, self.chosen(columns))

    def chosen(self, columns: tuple[int, ...]) -> tuple[int, ...]:
        """The columns that the base reads, among those given."""
        return tuple(columns[i] for i in self.positions)

    def seen(self, pairs: Pairs) -> Pairs:
        return pairs.select(self.positions)

    def fourier_kernel(self) -> Kernel | None:
        kernel = self.base.fourier_kernel()
        return (
            None if kernel is None else Select(base=kernel, positions=self.positions, dim=self.width, span=kernel.span)
        )

    @property
    def exactness(self) -> str:
        return self.base.exactness

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]] | None:
        return self.base.compared(self.chosen(columns))

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return self.base.lines(self.chosen(columns), names)


own_law.register(Select, lambda kernel, below: SelectedLaw(below(kernel.base), kernel.positions, kernel.dim))
closed_to.register(Select, lambda kernel: frozenset())


@dataclass(frozen=True)
class StretchLaw(Derived):
    """p of k(AΔ): samples of `base`, drawn on its own columns 0, 1, …, at the rows Ax: ω becomes A'ω.

    `matrix` is A: a number, one number per column, or rows; `base_dim` is the number of columns of Ax, `width` that of
    x.
    """

    matrix: Any
    base_dim: Scalar
    width: Scalar

    @property
    def dim(self) -> Scalar:
        return self.width

    def validate(self) -> None:
        super().validate()
        if type(self.base_dim) is not int or self.base.dim not in (None, self.base_dim):
            raise ValueError(f"a law on {self.base.dim} columns is applied to {self.base_dim}")
        rows = self.matrix if isinstance(self.matrix, tuple) else ()
        if rows and isinstance(rows[0], tuple):
            fits = len(rows) == self.base_dim and all(isinstance(row, tuple) and len(row) == self.width for row in rows)
        else:
            fits = self.base_dim == self.width and (not isinstance(self.matrix, tuple) or len(rows) == self.width)
        if not fits:
            raise ValueError(f"the matrix does not map {self.width} columns to {self.base_dim}")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        drawn = self.base.draw(stream, n, self._own())
        a = np.asarray(self.matrix, dtype=float)
        return gather(
            [
                replace(
                    batch,
                    phasors=_image(batch.phasors, a, columns),
                    growth=None if batch.growth is None else batch.growth.mapped(a, columns),
                    keys=tuple(MappedKey(key, a, columns) for key in batch.keys),
                )
                for batch in drawn
            ]
        )

    def seen(self, pairs: Pairs) -> Pairs:
        return pairs.map(self.matrix)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return ["linear image of", *indented(self.base.lines(self._own()))]

    def _own(self) -> tuple[int, ...]:
        return tuple(range(self.base_dim))


def stretched(base: Law, matrix: Any, base_dim: Scalar, dim: Scalar) -> Law:
    """The law of k(AΔ) from that of k, with frequencies of the push-forward measure if there is one."""
    kernel = base.fourier_kernel()
    if kernel is None:
        return StretchLaw(base, matrix, base_dim, dim)
    return FourierLaw(Stretch(base=kernel, matrix=matrix, dim=dim, span=kernel.span))


@own_law.register
def _(kernel: Stretch, below: Below) -> Law:
    return stretched(below(kernel.base), kernel.matrix, kernel.base.dim, kernel.dim)


closed_to.register(Stretch, lambda kernel: frozenset())


def _image(phasors: Phasors | None, a: NDArray[np.float64], columns: tuple[int, ...]) -> Phasors | None:
    if phasors is None:
        return None
    spread = phasors.on(tuple(range(a.shape[0] if a.ndim else len(columns))))
    return Phasors(columns, mapped(spread, a), phasors.left, phasors.right)


def narrowed(law: Law, kept: tuple[int, ...]) -> Law | None:
    """The law on the columns `kept` only, with the same samples as `law` on rows that are zero elsewhere.

    Frequencies on other columns multiply zeros, so a part of each frequency suffices. For products over the columns and
    mixtures of Gaussians, that part has the law of the same kernel on fewer columns. Norms of rows stay the same.
    Returns None for laws of other kernels, which are drawn on all columns.
    """
    from kernelspec.laws.coordinate import UnitRowsLaw
    from kernelspec.laws.sums_and_products import MixtureLaw, ProductLaw

    match law:
        case FourierLaw():
            kernel = _narrowed_kernel(law.kernel, kept)
            return None if kernel is None else FourierLaw(kernel)
        case UnitRowsLaw():
            return UnitRowsLaw(replace(law.kernel, dim=len(kept)))
        case MixtureLaw() | ProductLaw():
            parts = [narrowed(part, kept) for part in law.children()]
            return None if None in parts else rebuilt(law, Law, lambda _: parts.pop(0))
    return None


def _narrowed_kernel(kernel: Kernel, kept: tuple[int, ...]) -> Kernel | None:
    match kernel:
        case Radial() | Coordinatewise():
            return replace(kernel, dim=len(kept))
        case Stretch() if kernel.is_matrix:
            return None
        case Sum() | Product() | Power() | Stretch():
            parts = [_narrowed_kernel(part, kept) for part in kernel.children()]
            if None in parts:
                return None
            if isinstance(kernel, Stretch) and isinstance(kernel.matrix, tuple):
                kernel = replace(kernel, matrix=tuple(kernel.matrix[i] for i in kept))
            return replace(rebuilt(kernel, Kernel, lambda _: parts.pop(0)), dim=len(kept))
    return None
