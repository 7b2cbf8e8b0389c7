"""The interface of a law: a way to draw unbiased samples of a kernel, with its moments and variance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.activations.activation import Activation
from kernelspec.errors import PlanError
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import whole_power
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.limits import MAX_BITS
from kernelspec.numerics.phasor import Form
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import ColumnRead
from kernelspec.samples.samples import Samples

__all__ = [
    "Collisions",
    "CombinedLaw",
    "Cut",
    "KernelLaw",
    "Law",
    "Moments",
    "PhasorLaw",
    "SampleMoments",
    "columns_shown",
    "cut_lines",
    "indented",
    "lost_by",
    "reads_shown",
    "sample_variance",
    "size_on",
]

_MOST_NAMES = 12


def columns_shown(columns: Sequence[int], names: Sequence[str] | None) -> str:
    """Columns by name if they have names; a long run of positions as a slice."""
    if names is not None:
        shown = [names[column] for column in columns[:_MOST_NAMES]]
        return ", ".join([*shown, f"… ({len(columns)})"] if len(columns) > _MOST_NAMES else shown)
    if len(columns) > 3 and tuple(columns) == tuple(range(columns[0], columns[-1] + 1)):
        return f"{columns[0]}:{columns[-1] + 1}"
    return ", ".join(map(str, columns))


def reads_shown(reads: Sequence[ColumnRead], columns: Sequence[int], names: Sequence[str] | None) -> str:
    """The columns, and whether rows are divided by their norms."""
    unit = "" if all(isinstance(read, int) for read in reads) else ", divided by the norm of the row"
    return columns_shown(columns, names) + unit


def indented(lines: list[str]) -> list[str]:
    """Lines of a law, indented by two columns."""
    return ["  " + line for line in lines]


@dataclass(frozen=True)
class Cut:
    """A description of a dual, what it leaves out, and the largest bias of its samples."""

    what: str
    omitted: float


def cut_lines(cuts: Iterable[Cut]) -> list[str]:
    """What is left out, in words."""
    return [f"  biased: {cut.what}, so that its features have a mean within {cut.omitted:.3g} of it" for cut in cuts]


def lost_by(activation: Activation) -> str:
    """What an incomplete activation leaves out, in words."""
    return f"leaves out {100 * activation.omitted:.2g} % of E σ², in its exact values too"


def size_on(pairs: Pairs, size: Scalar) -> Scalar:
    """A size as a float if the pairs are rows, because exact numbers would make slow object arrays."""
    return float(size) if isinstance(pairs, NumericPairs) else size


@dataclass(frozen=True, slots=True)
class Moments:
    """A = E|p|² and B = E Re p² of one sample p(x, y) with E p = k(x, y).

    `real` is the share of both from samples without a phasor (a key alone, for example), which need no random offset
    and cost one column. Moments of products, powers and mixtures of independent samples follow.
    """

    a: Value
    b: Value
    real: Value

    def __mul__(self, other: Moments) -> Moments:
        return Moments(self.a * other.a, self.b * other.b, self.real * other.real)

    def __pow__(self, n: int) -> Moments:
        return Moments(whole_power(self.a, n), whole_power(self.b, n), whole_power(self.real, n))

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.a + other.a, self.b + other.b, self.real + other.real)

    def scaled(self, factor: Scalar) -> Moments:
        """The moments times a number."""
        return Moments(factor * self.a, factor * self.b, factor * self.real)

    def paired(self) -> Value:
        """Second moment of a sample's estimate with cosine and sine (or one complex) column: (A + B)/2."""
        return (self.a + self.b) / 2

    def phase(self) -> Value:
        """Second moment with one column √2 cos(ω·x + b), b uniform: A + B/2, and A without a phasor."""
        return self.a + (self.b - self.real) / 2


class Law(ABC):
    """Draws samples p_j of a kernel k, E p_j = k, and states how much they vary. Laws are frozen dataclasses.

    Moments and values are for pairs of rows of the kernel's own columns; `columns` are the positions of these in the
    whole table, which samples read.
    """

    def children(self) -> Iterator[Law]:
        """The laws directly below this one."""
        if not is_dataclass(self):
            raise TypeError(f"{type(self).__name__} must be a dataclass, like all laws")
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, Law):
                yield value
            elif isinstance(value, tuple):
                yield from (item for item in value if isinstance(item, Law))

    @property
    @abstractmethod
    def dim(self) -> Scalar | None:
        """The number of columns that samples read; None for samples that read none, on any number."""

    def validate(self) -> None:
        """Raise ValueError unless the parts are consistent, since a law from a file may hold anything."""
        if self.dim is not None and (type(self.dim) is not int or self.dim < 1):
            raise ValueError(f"a law on {self.dim} columns")

    # -- drawing -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        """Samples 0, …, n − 1, in batches that cover the indices; the first n do not depend on n.

        If an index occurs several times, in one batch or in several, its sample is the sum of these terms.
        """

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        """Products of counts_j independent samples, j = 0, 1, …, in one draw, if their distribution is known; else
        None.
        """
        return None

    # -- moments -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def value(self, pairs: Pairs) -> Value:
        """k(x, y) of the sampled kernel."""

    def mean(self, pairs: Pairs) -> Value:
        """E p(x, y): k(x, y), unless `cuts` leave something out."""
        return self.value(pairs)

    @abstractmethod
    def moments(self, pairs: Pairs) -> Moments:
        """Second moments of one sample."""

    @abstractmethod
    def magnitude(self) -> Scalar:
        """A bound on |p| for rows that are not scaled: k(x, x) for positive weights, more for differences."""

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """What the samples leave out, so that their mean is not k. Empty for unbiased ones."""
        return ()

    @property
    def tolerance(self) -> float:
        """The largest error of the distribution functions that draws invert: 0 for exact draws."""
        return max((child.tolerance for child in self.children()), default=0.0)

    def variance(self, pairs: NumericPairs, n: int, form: Form, collisions: Collisions | None = None) -> NDArray[Any]:
        """Variance of the mean of samples 0, …, n − 1; for independent samples, that of one over n."""

        return sample_variance(self, pairs, form, collisions) / n

    def fourier_kernel(self) -> Kernel | None:
        """The positive definite stationary kernel whose frequencies the samples are; None for other samples."""
        return None

    # -- cost --------------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def has_phasor(self) -> bool:
        """Whether some sample has a complex amplitude, and so costs two columns when paired."""

    @property
    @abstractmethod
    def has_key(self) -> bool:
        """Whether some sample has a key, so that the features are sparse."""

    @property
    def has_amplitude(self) -> bool:
        """Whether some sample has an amplitude that depends on the row."""
        return self.has_phasor

    @property
    def exactness(self) -> str:
        """The rule by which every sample equals the kernel, without variance, in words; "" if samples vary.

        With frequencies it holds for cosine and sine, not for random offsets.
        """
        return ""

    @property
    def is_one_sided(self) -> bool:
        """Whether all samples have the same amplitude on both sides and a positive sign, whatever is drawn."""
        return all(child.is_one_sided for child in self.children())

    @property
    def is_exact(self) -> bool:
        """Whether one sample is enough."""
        return bool(self.exactness)

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]] | None:
        """Every sorted set of columns whose joint categories are the key of some sample.

        A sample without a key compares the empty set. None if some key is anything else, such as a grid cell, or if the
        keys compare too many different sets.
        """
        return None if self.has_key else frozenset({()})

    @property
    def n_terms(self) -> int:
        """The most terms of one sample, each of which has its own columns."""
        return 1

    def work(self, n: int, nonzeros: float) -> float:
        """Predicted nanoseconds for n samples of a row with this many nonzeros, if samples of one law compete.

        Zero for laws whose cost follows from their nonzeros.
        """
        return 0.0

    # -- description -------------------------------------------------------------------------------------------------

    @abstractmethod
    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        """The law and those below it as indented lines of the plan; `names` are those of the table's columns."""


class CombinedLaw(Law):
    """Samples made of those of several laws, its children, on the same columns: the base of sums and products."""

    @property
    def dim(self) -> Scalar | None:
        return next((part.dim for part in self.children() if part.dim is not None), None)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        return tuple(dict.fromkeys(cut for part in self.children() for cut in part.cuts))

    @property
    def has_phasor(self) -> bool:
        return any(part.has_phasor for part in self.children())

    @property
    def has_key(self) -> bool:
        return any(part.has_key for part in self.children())

    @property
    def has_amplitude(self) -> bool:
        return any(part.has_amplitude for part in self.children())


class KernelLaw(Law):
    """Samples of `kernel`, on its columns: the base of most laws of one kernel."""

    kernel: Kernel

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    def value(self, pairs: Pairs) -> Value:
        return self.kernel.value(pairs)

    def magnitude(self) -> Scalar:
        return self.kernel.magnitude()


class PhasorLaw(KernelLaw):
    """Samples of one kernel that are phasors, without keys."""

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False


@dataclass(frozen=True)
class Collisions:
    """Two different keys share one of `columns` B columns with probability 1/B.

    With random signs, such pairs add ±1, which has mean zero. Without signs, as one-hot bits, each sample counts
    (B·1[same column] − 1)/(B − 1), whose mean is 1[same key] ("b-bit" hashing, Li and König 2010).
    """

    columns: int
    signed: bool
    concerned: Value = field(default=1, compare=False)
    """The share of hashed keys for every pair of rows: 0 for keys that have their own columns."""

    @classmethod
    def none(cls) -> Collisions:
        """For features whose keys all have their own columns."""
        return cls(1, signed=True, concerned=0)

    @classmethod
    def of(cls, buckets: int | None, bits: int | None) -> Collisions | None:
        """For keys hashed into buckets with signs, or whose bits are columns; None for learned columns.

        Raises PlanError for fewer than two buckets, or bits outside 1 … 24.
        """
        if bits is not None:
            if not 1 <= bits <= MAX_BITS:
                raise PlanError(f"bits must be from 1 to {MAX_BITS}, not {bits}")
            return cls(1 << bits, signed=False)
        if buckets is None:
            return None
        if buckets < 2:
            raise PlanError(f"buckets must be at least 2, not {buckets}")
        return cls(buckets, signed=True)

    def second_moment(self, met: Value, free: Value) -> Value:
        """E of one sample's square, from `met`, that of the keys themselves, and `free`, as if all keys agreed."""
        b = self.columns
        shared = met + (free - met) * self.concerned / b
        return shared if self.signed else ((b * b - 2 * b) * shared + free) / (b - 1) ** 2


_ROUNDING = 2.0**-49  # rounding error of sums of a few terms, relative to the second moment


@dataclass(frozen=True)
class SampleMoments:
    """First and second moments of one sample for some pairs of rows, from which its variance in every form follows.

    `free` are the second moments as if all keys agreed, used if `collisions` add to the variance of keys.
    """

    mean: Value
    met: Moments
    free: Moments | None
    collisions: Collisions | None
    shape: tuple[int, ...]

    @classmethod
    def of(cls, law: Law, pairs: NumericPairs, collisions: Collisions | None = None) -> SampleMoments:
        """The moments of a law, with `collisions` if its keys are hashed into columns."""
        with np.errstate(over="ignore", invalid="ignore"):  # a divergent series gives infinity
            hashed = collisions is not None and law.has_key
            free = law.moments(pairs.with_keys_agreeing()) if hashed else None
            moments = law.moments(pairs)
            if not isinstance(moments, Moments):  # of a plug-in
                raise TypeError(f"moments() gives {moments!r:.60}, not Moments")
            return cls(law.mean(pairs), moments, free, collisions, pairs.shape)

    def variance(self, form: Form) -> NDArray[Any]:
        """(A + B)/2 − k² with cosine and sine, A + B/2 − k² with a random offset, k the mean of the sample.

        Complex features have the paired variance in their real part. Infinite if the second moment is.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            second = _second_moment(self.met, form)
            if self.collisions is not None and self.free is not None:
                second = self.collisions.second_moment(second, _second_moment(self.free, form))
            variance = np.broadcast_to(np.asarray(second - np.square(self.mean), dtype=float), self.shape)
            # rounding may leave ±1e-17 for a zero variance; 0·∞, ∞ − ∞ or k² beyond floats count as ∞
            variance = np.where(np.isfinite(variance), variance, np.inf)
            return np.where(np.isfinite(variance) & (variance <= _ROUNDING * np.abs(self.met.a)), 0.0, variance)


def sample_variance(law: Law, pairs: NumericPairs, form: Form, collisions: Collisions | None = None) -> NDArray[Any]:
    """Variance of one sample's inner product for these pairs; with `collisions`, for keys hashed into columns."""
    return SampleMoments.of(law, pairs, collisions).variance(form)


def _second_moment(moments: Moments, form: Form) -> Any:
    return moments.phase() if form == "phase" else moments.paired()
