"""The contract of a law: one way to draw unbiased samples of a kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel
    from kernelspec.laws.collisions import Collisions
    from kernelspec.laws.cut import Cut
    from kernelspec.laws.moments import Moments
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import NumericPairs, Pairs
    from kernelspec.numerics.phasor import Form
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["Law"]


class Law(ABC):
    """Draws samples p_j of a kernel k, E p_j = k, and knows how much they vary. Laws are frozen dataclasses.

    Moments and values are asked for pairs of rows of the kernel's own columns; `columns` are the places of these in
    the whole table, which samples read.
    """

    def children(self) -> Iterator[Law]:
        """The laws directly below this one."""
        if not is_dataclass(self):
            raise TypeError(f"{type(self).__name__} is no dataclass: laws are")
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
        """Raise ValueError unless the parts fit together, in numbers: a law from a file may hold any."""
        if self.dim is not None and (type(self.dim) is not int or self.dim < 1):
            raise ValueError(f"a law on {self.dim} columns")

    # -- what is drawn -----------------------------------------------------------------------------------------------

    @abstractmethod
    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        """Samples 0, …, n − 1, in batches that cover the indices; the first n do not depend on n.

        An index that occurs several times, in one batch or in several, is a sample that is the sum of these terms.
        """

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        """Products of counts_j independent samples, j = 0, 1, …, in one draw, where their law is known; else None."""
        del stream, counts, columns
        return None

    # -- what it is worth --------------------------------------------------------------------------------------------

    @abstractmethod
    def value(self, pairs: Pairs) -> Value:
        """k(x, y), of the kernel that the samples are of."""

    def mean(self, pairs: Pairs) -> Value:
        """E p(x, y): k(x, y), unless `cuts` leave something out."""
        return self.value(pairs)

    @abstractmethod
    def moments(self, pairs: Pairs) -> Moments:
        """Second moments of one sample."""

    @abstractmethod
    def magnitude(self) -> Scalar:
        """A bound on |p|, where the rows are not scaled: k(x, x) for positive weights, more for differences."""

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """What the samples leave out, for which their mean is not k. Empty for unbiased ones."""
        return ()

    @property
    def tolerance(self) -> float:
        """What the distribution functions that draws invert may be wrong by: 0 for draws that are exact."""
        return max((child.tolerance for child in self.children()), default=0.0)

    def variance(self, pairs: NumericPairs, n: int, form: Form, collisions: Collisions | None = None) -> NDArray[Any]:
        """Variance of the mean of samples 0, …, n − 1: that of one over n, for a law whose samples are independent."""
        from kernelspec.laws.variance import sample_variance

        return sample_variance(self, pairs, form, collisions) / n

    def fourier_kernel(self) -> Kernel | None:
        """The positive definite stationary kernel whose frequencies the samples are; None for samples that are none."""
        return None

    # -- what it costs -----------------------------------------------------------------------------------------------

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
        """The rule by which every sample is the kernel itself, without variance, in words; "" if samples vary.

        With frequencies it holds for cosine and sine, and not for random offsets.
        """
        return ""

    @property
    def is_exact(self) -> bool:
        """Whether one sample is enough."""
        return bool(self.exactness)

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]] | None:
        """Every set of columns, in order, whose categories all together are the key of some sample.

        A sample without a key compares no columns: the empty set. None if some key is anything else, such as the cell
        of a grid, or if the keys compare too many different sets of columns.
        """
        del columns
        return None if self.has_key else frozenset({()})

    @property
    def n_terms(self) -> int:
        """The most terms that one sample is a sum of, each of which has columns of its own."""
        return 1

    def work(self, n: int, nonzeros: float) -> float:
        """Predicted nanoseconds for n samples of a row with so many nonzeros, where samples of one law compete.

        Zero for laws whose cost follows from their stored entries alone.
        """
        del n, nonzeros
        return 0.0

    # -- in words ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        """The law and those below it as indented lines of the plan; `names` are those of the table's columns."""
