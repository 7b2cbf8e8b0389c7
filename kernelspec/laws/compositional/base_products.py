"""Products of samples of base kernels of which many on one column are a number, for the random paths of skeletons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.leaves.binary import Binary
from kernelspec.laws.category_phases import CategoryPhasesLaw
from kernelspec.laws.compositional.degree_sums import MOST_DRAWS
from kernelspec.laws.coordinate import CoordinateLaw
from kernelspec.laws.match import MatchLaw
from kernelspec.laws.runs import ones
from kernelspec.measures.measure_of import measure_of
from kernelspec.notation.elementary import known_number
from kernelspec.samples.amplitudes.amplitude_factor import AmplitudeRuns
from kernelspec.samples.amplitudes.category_phases import CategoryPhases
from kernelspec.samples.amplitudes.linear_forms import LinearForms
from kernelspec.samples.keys.chosen_key import ChosenKey
from kernelspec.samples.keys.run_key import RunKey
from kernelspec.samples.samples import Phasors

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.laws.law import Law
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["check_base", "draw_factors", "is_drawn_at_once", "multiply_factors"]

_ROUNDING = 1e-9


def check_base(base: Kernel, law: Law) -> None:
    """Raises PlanError for a base kernel whose samples cannot be multiplied: larger than 1, or sums of terms."""
    size = known_number(law.magnitude()) if base.has_constant_diagonal else None
    if size is None or abs(size - 1) > _ROUNDING:
        raise PlanError(
            f"features of a skeleton over {base} cannot be drawn: the samples of its base must be of at most 1, as "
            "those of a positive definite kernel with k(x, x) = 1 are, and not of a difference of kernels"
        )
    if law.n_terms > 1:
        raise PlanError(
            f"features of a skeleton over {base} cannot be drawn: its samples are sums of terms, whose powers have too "
            "many"
        )


def is_drawn_at_once(base: Law) -> bool:
    """Whether many factors of one column are one number: a frequency, a word, how many there are."""
    signs = isinstance(base, CoordinateLaw) and isinstance(base.kernel, Binary)
    return base.fourier_kernel() is not None or signs or isinstance(base, MatchLaw | CategoryPhasesLaw)


def draw_factors(base: Law, stream: Stream, counts: NDArray[np.int64]) -> NDArray[Any]:
    """What counts_j independent samples of `base`, one that is drawn at once, on one column are together, (n,).

    The sum of their frequencies; of random phases one word, since their product is one, too; else how many they are.
    Raises PlanError for more frequencies than can be drawn.
    """
    if isinstance(base, CategoryPhasesLaw):
        return stream.words("category", counts.shape)
    kernel = base.fourier_kernel()
    if kernel is None:
        return counts.astype(np.float64)
    drawn = kernel.draw_sums(stream, counts) if isinstance(kernel, Stationary) else None
    if drawn is not None:
        return np.asarray(drawn[:, 0])
    total = int(counts.sum())
    if total > MOST_DRAWS:
        raise PlanError(
            f"a batch of features has {total:,} base factors, and at most {MOST_DRAWS:,} frequencies of {kernel} are "
            "drawn: those of circle() and gaussian() are drawn at once"
        )
    if not total:
        return np.zeros(0)
    return np.asarray(np.add.reduceat(measure_of(kernel).sample(stream, total)[:, 0], np.cumsum(counts) - counts))


def multiply_factors(
    base: Law, positions: Sequence[int], node: NDArray[np.intp], values: NDArray[Any], starts: NDArray[np.intp]
) -> Samples:
    """Samples that are the products of the factors `values` from each of `starts` to the next.

    Each is on the column that its `node` has in `positions`. No run is empty. Frequencies of a column add up, in one
    sparse matrix for all samples; categories are mixed into one key, or their phases multiplied; signs are a product of
    columns.
    """
    whole, read = ones(np.arange(len(starts) - 1)), np.array(positions, dtype=np.intp)[node]
    if isinstance(base, MatchLaw):  # a category agrees with itself however often it is asked
        return replace(whole, keys=(RunKey(ChosenKey(read), starts),))
    if isinstance(base, CategoryPhasesLaw):
        return replace(whole, amplitudes=(AmplitudeRuns(CategoryPhases(values, ChosenKey(read)), starts),))
    unique, place = np.unique(np.array(positions, dtype=np.intp), return_inverse=True)
    columns, places = tuple(unique.tolist()), place[node]
    if base.fourier_kernel() is not None:
        from scipy.sparse import csr_array

        frequencies = csr_array((values, places, starts), shape=(len(whole), len(columns)))
        frequencies.sum_duplicates()
        frequencies.eliminate_zeros()
        return replace(whole, phasors=Phasors.symmetric(columns, frequencies))
    odd = values % 2 == 1  # x² = 1
    kept = np.concatenate([[0], np.cumsum(odd)])[starts].astype(np.intp)
    one = np.ones(int(odd.sum()))
    forms = LinearForms(columns, kept, places[odd], np.full(len(one), -1), one, one)
    return replace(whole, amplitudes=(forms,))
