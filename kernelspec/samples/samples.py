"""The one sample type: a weight, a sign, and left and right maps from a row to a key and an amplitude.

p(x, y) = weight · sign · 1[key_L(x) = key_R(y)] · z_L(x) · conj z_R(y), with E p = k(x, y). Samples without keys always
agree. Amplitudes z are products of a phasor, real exponentials (a growth) and further factors, if any; otherwise 1.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import RangeError
from kernelspec.random.streams import Hashes
from kernelspec.samples.declared_arrays import array, places
from kernelspec.samples.factor import AmplitudeFactor, Factor, factor_values, multiply_amplitudes
from kernelspec.samples.frequencies import (
    ColumnRead,
    Frequencies,
    Growth,
    cosines,
    in_order,
    moved,
    numbers_on,
    phasors,
    stacked,
    summed,
)
from kernelspec.samples.hadamard_frequencies import HadamardFrequencies
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.numerics.phasor import Form

__all__ = [
    "SIDES",
    "KeyFactor",
    "Phasors",
    "Samples",
    "Side",
    "check_weights",
    "gather",
    "mean_products",
    "means_of_runs",
    "merge_equal",
    "multiply",
]

Side = Literal["left", "right"]
"""The argument of k(x, y) for which features are computed."""

SIDES: tuple[Side, Side] = ("left", "right")


@dataclass(frozen=True)
class Phasors:
    """z_L(x) = exp(i(ω·x + left)), z_R(y) = exp(i(ω·y + right)), one per sample.

    `frequencies` (n, p), dense, CSR or structured, are on `columns` of the table, or of unit vectors; all others are
    zero.
    """

    columns: tuple[ColumnRead, ...] = places("columns")
    frequencies: Frequencies = array("float64", "samples", "columns", sparse=True, structured=True)
    left: NDArray[np.float64] = array("float64", "samples")
    right: NDArray[np.float64] = array("float64", "samples")

    @classmethod
    def symmetric(cls, columns: tuple[ColumnRead, ...], frequencies: Frequencies) -> Phasors:
        """The same phasor on both sides."""
        zeros = np.zeros(frequencies.shape[0])
        return cls(columns, frequencies, zeros, zeros)

    def take(self, index: NDArray[np.intp]) -> Phasors:
        """Some of the samples."""
        return Phasors(self.columns, self.frequencies[index], self.left[index], self.right[index])

    def on(self, columns: tuple[ColumnRead, ...]) -> Frequencies:
        """The frequencies on a larger set of columns, in its order."""
        return self.frequencies if columns == self.columns else moved(self.frequencies, self.columns, columns)

    def merged(self) -> Phasors:
        """Distinct sorted columns; the frequencies of repeated columns are added."""
        columns = in_order(self.columns)
        return self if columns == self.columns else replace(self, columns=columns, frequencies=self.on(columns))

    def __mul__(self, other: Phasors) -> Phasors:
        """A product of phasors is one phasor: frequencies and phases add."""
        columns = in_order([*self.columns, *other.columns])
        frequencies = summed(self.on(columns), other.on(columns))
        return Phasors(columns, frequencies, self.left + other.left, self.right + other.right)

    @staticmethod
    def join(parts: Sequence[Phasors]) -> Phasors:
        """Samples one after the other."""
        columns = in_order(column for part in parts for column in part.columns)
        return Phasors(
            columns,
            stacked([(part.frequencies, part.columns) for part in parts], columns),
            np.concatenate([part.left for part in parts]),
            np.concatenate([part.right for part in parts]),
        )


class KeyFactor(Factor):
    """One factor of the key of each sample in a batch."""

    @abstractmethod
    def keys(self, rows: Rows, side: Side) -> Hashes:
        """64-bit keys, (rows, samples), or (rows, 1) if all are equal: a new array that the caller may change."""

    def keys_into(self, rows: Rows, side: Side, out: Hashes) -> Hashes:
        """The keys, written to `out` (rows, samples) if that saves memory; else in an array of their own."""
        return self.keys(rows, side)


@dataclass(frozen=True)
class Samples:
    """A batch of samples of one structure; `index` numbers them within the node, equal ones are summed."""

    index: NDArray[np.intp]
    weight: NDArray[np.float64]
    sign: NDArray[np.float64]
    phasors: Phasors | None = None
    keys: tuple[KeyFactor, ...] = ()
    growth: Growth | None = None
    amplitudes: tuple[AmplitudeFactor, ...] = ()

    def __len__(self) -> int:
        return len(self.index)

    @property
    def structure(self) -> Hashable:
        """Batches of equal structure are joined."""
        keys, amplitudes = (tuple(part.structure for part in parts) for parts in (self.keys, self.amplitudes))
        return (self.phasors is not None, self.growth is not None, keys, amplitudes)

    @property
    def is_complex(self) -> bool:
        """Whether the amplitudes are complex."""
        return self.phasors is not None or any(factor.is_complex for factor in self.amplitudes)

    def take(self, index: NDArray[np.intp]) -> Samples:
        """Some of the samples."""
        return Samples(
            self.index[index],
            self.weight[index],
            self.sign[index],
            None if self.phasors is None else self.phasors.take(index),
            tuple(key.take(index) for key in self.keys),
            None if self.growth is None else self.growth.take(index),
            tuple(factor.take(index) for factor in self.amplitudes),
        )

    def relabelled(self, index: NDArray[np.intp], factor: float = 1.0, sign: float = 1.0) -> Samples:
        """The same samples under other indices, with weights times `factor` and signs times `sign`."""
        return replace(self, index=index, weight=_scaled(self.weight, factor), sign=self.sign * sign)

    def __mul__(self, other: Samples) -> Samples:
        """Sample by sample: weights and signs multiply, phasors fuse, keys are combined."""
        phasors = [part for part in (self.phasors, other.phasors) if part is not None]
        fused = phasors[0] * phasors[1] if len(phasors) == 2 else phasors[0] if phasors else None
        growths = [part for part in (self.growth, other.growth) if part is not None]
        grown = growths[0] * growths[1] if len(growths) == 2 else growths[0] if growths else None
        keys = (*self.keys, *other.keys)
        amplitudes = multiply_amplitudes(self.amplitudes, other.amplitudes)
        weight = _scaled(self.weight, other.weight)
        return Samples(self.index, weight, self.sign * other.sign, fused, keys, grown, amplitudes)


def check_weights(weights: NDArray[np.float64] | float) -> None:
    """Raise RangeError for weights beyond floats, as in high powers of kernels with a large measure."""
    if not np.isfinite(weights).all():
        raise RangeError("this kernel has sample weights beyond floats, so no features can be drawn")


def _scaled(weight: NDArray[np.float64], factor: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """The product, infinite on overflow: such features are rejected when they are drawn."""
    with np.errstate(over="ignore"):
        return weight * factor


def multiply(left: Sequence[Samples], right: Sequence[Samples]) -> list[Samples]:
    """The product of two nodes' samples, index by index (sums term by term); both sides cover the same indices."""
    products = []
    holder = np.repeat(np.arange(len(right)), [len(b) for b in right])
    every = np.concatenate([b.index for b in right]) if right else holder
    for a in left:
        # most of many batches share no index
        met = np.unique(holder[_matches(a.index, every)[1]]) if len(right) > 1 else range(len(right))
        for b in (right[j] for j in met):
            # the same indices in order, without repetition: samples match by position
            if np.array_equal(a.index, b.index) and (a.index[1:] > a.index[:-1]).all():
                products.append(a * b)
                continue
            in_a, in_b = _matches(a.index, b.index)
            if len(in_a):
                products.append(a.take(in_a) * b.take(in_b))
    return gather(products)


def _matches(a: NDArray[np.intp], b: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All pairs of positions with a[i] = b[j], sorted by i and then j."""
    order = np.argsort(b, kind="stable")
    first, last = (np.searchsorted(b[order], a, side=side) for side in ("left", "right"))
    counts = last - first
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(np.arange(len(a)), counts), order[np.repeat(first, counts) + within]


def gather(batches: Sequence[Samples]) -> list[Samples]:
    """Batches of equal structure joined, each sorted by index."""
    groups: dict[Hashable, list[Samples]] = {}
    for batch in batches:
        if len(batch):
            groups.setdefault(batch.structure, []).append(batch)
    return [_join(group) for group in groups.values()]


def _join(group: list[Samples]) -> Samples:
    first, others = group[0], group[1:]
    if not others:
        return first
    phasors = [batch.phasors for batch in group if batch.phasors is not None]
    joined = Samples(
        np.concatenate([batch.index for batch in group]),
        np.concatenate([batch.weight for batch in group]),
        np.concatenate([batch.sign for batch in group]),
        Phasors.join(phasors) if phasors else None,
        tuple(key.join([batch.keys[i] for batch in others]) for i, key in enumerate(first.keys)),
        Growth.join([(batch.growth, len(batch)) for batch in group]),
        tuple(own.join([batch.amplitudes[i] for batch in others]) for i, own in enumerate(first.amplitudes)),
    )
    return joined.take(np.argsort(joined.index, kind="stable"))


def merge_equal(batches: Sequence[Samples], form: Form) -> list[Samples]:
    """Merge m equal, or conjugate, samples into one with m times the weight.

    The real part of e^{iω·(x − y)} is that of e^{−iω·(x − y)}. Compares only samples with sparse frequencies, and the
    constants beside them: others are equal with probability zero. With random offsets (`phase`), features of equal
    frequencies differ. Exact: no comparison relies on a hash alone. Reference: Daniely, Frostig, Gupta and Singer 2017,
    section 6.
    """
    drawn = [batch.phasors.frequencies for batch in batches if batch.phasors is not None]
    if all(isinstance(frequencies, np.ndarray | HadamardFrequencies) for frequencies in drawn):
        return list(batches)
    return [_merged(batch, form) for batch in batches]


def _merged(batch: Samples, form: Form) -> Samples:
    if batch.keys or batch.growth is not None or batch.amplitudes:
        return batch
    if batch.phasors is None:
        kinds = [sign.tobytes() for sign in batch.sign]
    elif form == "phase" or isinstance(batch.phasors.frequencies, np.ndarray | HadamardFrequencies):
        return batch
    else:
        kinds = _kinds(batch.phasors.frequencies, batch.phasors, batch.sign)
    found: dict[bytes, int] = {}
    group = np.array([found.setdefault(kind, len(found)) for kind in kinds], dtype=np.intp)
    _, first = np.unique(group, return_index=True)
    weight = np.zeros(len(found))
    np.add.at(weight, group, batch.weight)
    return replace(batch.take(first), weight=weight)


def _kinds(matrix: csr_array, phasors: Phasors, sign: NDArray[np.float64]) -> list[bytes]:
    """Columns, frequencies, phases and sign of every sample as bytes, with the first nonzero number made positive."""
    edges, many = matrix.indptr, np.diff(matrix.indptr)
    phases = np.stack([phasors.left, phasors.right], axis=1)
    lead = np.where(phases[:, 0] != 0, phases[:, 0], phases[:, 1])
    lead[many > 0] = matrix.data[edges[:-1][many > 0]]
    turn = np.where(lead < 0, -1.0, 1.0)
    heads = np.column_stack([phases * turn[:, None] + 0.0, sign])  # −0.0 + 0.0 is 0.0
    values, places = matrix.data * np.repeat(turn, many), matrix.indices
    return [
        head.tobytes() + places[a:b].tobytes() + values[a:b].tobytes()
        for head, a, b in zip(heads, edges[:-1], edges[1:], strict=True)
    ]


_AT_ONCE = 1 << 17
"""Products of pairs and samples per chunk, so that intermediate results stay in the CPU cache."""


def mean_products(batches: Iterable[Samples], x: Rows, y: Rows, n: int) -> NDArray[np.float64]:
    """(1/n) Σ_j Re p_j(x_i, y_i) over all samples of the batches, for pairs of rows (x_i, y_i): (pairs,)."""
    return np.asarray(means_of_runs(batches, x, y, n, 1)[0])


def means_of_runs(batches: Iterable[Samples], x: Rows, y: Rows, n: int, runs: int) -> NDArray[np.float64]:
    """The same for each of several draws, the samples r n, …, r n + n − 1 being those of draw r: (runs, pairs)."""
    total = np.zeros((runs, len(x)))
    for batch in batches:
        if not len(batch):
            continue
        run, weights = batch.index // n, batch.weight * batch.sign
        order = None if (run[1:] >= run[:-1]).all() else np.argsort(run, kind="stable")
        found, first = np.unique(run if order is None else run[order], return_index=True)
        products = _real_products(batch, x, y)
        if order is None and len(found) == runs and (np.diff(first, append=len(batch)) == n).all():  # n per draw
            total += (weights.reshape(runs, 1, n) @ products.reshape(runs, n, len(x)))[:, 0]
            continue
        products *= weights[:, None]
        total[found] += np.add.reduceat(products if order is None else products[order], first, axis=0)
    return total / n


def _real_products(batch: Samples, x: Rows, y: Rows) -> NDArray[np.float64]:
    """Re 1[keys agree] z_L(x) conj z_R(y) of every pair and sample, (samples, pairs)."""
    found: NDArray[Any] | None = None
    if batch.amplitudes or batch.growth is not None:
        found = (factor_values(batch, x, "left") * np.conj(factor_values(batch, y, "right"))).T
    for key in batch.keys:
        agree = np.broadcast_to((key.keys(x, "left") == key.keys(y, "right")).T, (len(batch), len(x)))
        found = agree if found is None else found * agree
    if batch.phasors is None:
        return np.ones((len(batch), len(x))) if found is None else np.array(np.real(found), dtype=float, order="C")
    drawn = batch.phasors
    lag = np.asarray(_dense(numbers_on(x, drawn.columns)) - _dense(numbers_on(y, drawn.columns)), dtype=float)
    offsets = (drawn.left - drawn.right)[:, None]
    products = np.empty((len(batch), len(x)))
    frequencies = drawn.frequencies
    turned = frequencies.products(lag).T if isinstance(frequencies, HadamardFrequencies) else None
    step = max(1, _AT_ONCE // max(1, len(x)))
    for start in range(0, len(batch), step):
        part = slice(start, start + step)
        phase = (frequencies[part] @ lag.T if turned is None else turned[part]) + offsets[part]
        own = None if found is None else found[part]
        if own is not None and np.iscomplexobj(own):
            wave = phasors(phase)
            products[part] = np.real(own) * wave.real - np.imag(own) * wave.imag
        else:
            products[part] = cosines(phase) if own is None else own * cosines(phase)
    return products


def _dense(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return numbers if isinstance(numbers, np.ndarray) else numbers.toarray()
