"""The one sample type: a weight, a sign, and left and right maps from a row to a key and an amplitude.

p(x, y) = weight · sign · 1[key_L(x) = key_R(y)] · z_L(x) · conj z_R(y), with E p = k(x, y). A sample without keys
always agrees. The amplitudes z are products of a phasor, of real exponentials (a growth) and of further factors, of
those that there are; without any they are 1.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import RangeError
from kernelspec.random.streams import Hashes
from kernelspec.samples.declared_arrays import array, places
from kernelspec.samples.factor import AmplitudeFactor, Factor, multiply_amplitudes
from kernelspec.samples.frequencies import ColumnRead, Frequencies, in_order, moved, stacked, summed
from kernelspec.samples.growth import Growth
from kernelspec.samples.hadamard_frequencies import HadamardFrequencies
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.numerics.phasor import Form

__all__ = [
    "BucketArguments",
    "KeyFactor",
    "Phasors",
    "Samples",
    "Side",
    "check_weights",
    "gather",
    "merge_equal",
    "multiply",
]

Side = Literal["left", "right"]
"""Which argument of k(x, y) the features are of."""

BucketArguments: TypeAlias = tuple[
    Hashes, np.uint64, np.uint64, NDArray[Any], NDArray[np.int64], int, NDArray[Any], NDArray[Any]
]
"""What `write_buckets` takes beside the keys of rows: the samples' own, their salt, how many buckets there are, the
values and the first columns of the samples, the first entry, and the values and columns of a table to write to."""


@dataclass(frozen=True)
class Phasors:
    """z_L(x) = exp(i(ω·x + left)), z_R(y) = exp(i(ω·y + right)), one per sample.

    `frequencies` (n, p), dense, CSR or structured, are taken on `columns` of the table, or of unit vectors, only; all
    others are zero.
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
        """The frequencies spread over a larger set of columns, in its order."""
        return self.frequencies if columns == self.columns else moved(self.frequencies, self.columns, columns)

    def merged(self) -> Phasors:
        """Each column once, in order: one that was selected twice gets the sum of its frequencies."""
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

    @property
    def has_sides(self) -> bool:
        """Whether a row may have another key as y in k(x, y) than it has as x."""
        return False

    @abstractmethod
    def keys(self, rows: Rows, side: Side) -> Hashes:
        """64-bit keys, (rows, samples), or (rows, 1) where every sample has the same: a new array, the caller's own."""

    def keys_into(self, rows: Rows, side: Side, out: Hashes) -> Hashes:
        """The keys, written over `out` (rows, samples) where that saves memory; else an array of their own."""
        del out
        return self.keys(rows, side)

    def write_buckets(self, rows: Rows, arguments: BucketArguments) -> bool:
        """Whether the keys, the same on both sides, can be hashed into entries without being kept, and now are."""
        del rows, arguments
        return False


@dataclass(frozen=True)
class Samples:
    """A batch of samples of one structure; `index` says which samples of the node they are.

    An index may occur several times: the sample is the sum of these terms.
    """

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
        """Batches of equal structure are gathered into one."""
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
        """The same samples under other indices, the weights times `factor`, the signs times `sign`."""
        return replace(self, index=index, weight=_scaled(self.weight, factor), sign=self.sign * sign)

    def __mul__(self, other: Samples) -> Samples:
        """Sample by sample: weights and signs multiply, phasors fuse, keys stand side by side."""
        phasors = [part for part in (self.phasors, other.phasors) if part is not None]
        fused = phasors[0] * phasors[1] if len(phasors) == 2 else phasors[0] if phasors else None
        growths = [part for part in (self.growth, other.growth) if part is not None]
        grown = growths[0] * growths[1] if len(growths) == 2 else growths[0] if growths else None
        keys = (*self.keys, *other.keys)
        amplitudes = multiply_amplitudes(self.amplitudes, other.amplitudes)
        weight = _scaled(self.weight, other.weight)
        return Samples(self.index, weight, self.sign * other.sign, fused, keys, grown, amplitudes)


def check_weights(weights: NDArray[np.float64] | float) -> None:
    """Raise RangeError for weights beyond all floats, as high powers of kernels with a large measure have them."""
    if not np.isfinite(weights).all():
        raise RangeError("this kernel has samples that weigh more than any float: no features are drawn of it")


def _scaled(weight: NDArray[np.float64], factor: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """The product, infinite where it is beyond all floats: features are refused when they are drawn."""
    with np.errstate(over="ignore"):
        return weight * factor


def multiply(left: Sequence[Samples], right: Sequence[Samples]) -> list[Samples]:
    """The product of two nodes' samples, index by index (sums term by term); both sides cover the same indices."""
    products = []
    for a in left:
        for b in right:
            if _is_one_of_each(a.index, b.index):
                products.append(a * b)
                continue
            in_a, in_b = _matches(a.index, b.index)
            if len(in_a):
                products.append(a.take(in_a) * b.take(in_b))
    return gather(products)


def _is_one_of_each(a: NDArray[np.intp], b: NDArray[np.intp]) -> bool:
    """Whether both are the same indices in order, none of them twice, so that samples match place by place."""
    return np.array_equal(a, b) and bool((a[1:] > a[:-1]).all())


def _matches(a: NDArray[np.intp], b: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All pairs of places with a[i] = b[j], by i and then j."""
    order = np.argsort(b, kind="stable")
    first, last = (np.searchsorted(b[order], a, side=side) for side in ("left", "right"))
    counts = last - first
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(np.arange(len(a)), counts), order[np.repeat(first, counts) + within]


def gather(batches: Sequence[Samples]) -> list[Samples]:
    """Batches of equal structure joined, each in the order of its indices."""
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
    """The batches with m samples that are equal, or conjugate, as one of m times the weight: the first of each kind.

    The real part of e^{iω·(x − y)} is that of e^{−iω·(x − y)}. Only samples of sparse frequencies are compared, and the
    constants beside them: others meet with probability zero. With random offsets (`phase`) equal frequencies have
    features that differ. Exact: nothing is compared by a hash alone.
    Reference: Daniely, Frostig, Gupta and Singer 2017, section 6.
    """
    if not any(_is_sparse(batch.phasors) for batch in batches):
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


def _is_sparse(phasors: Phasors | None) -> bool:
    return phasors is not None and not isinstance(phasors.frequencies, np.ndarray | HadamardFrequencies)


def _kinds(matrix: csr_array, phasors: Phasors, sign: NDArray[np.float64]) -> list[bytes]:
    """Columns, frequencies, phases and sign of every sample as bytes, the first number but zeros made positive."""
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
