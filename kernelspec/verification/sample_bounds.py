"""How large a sample of a law can be at a pair of rows: |p(x, y)| ≤ the bound, for every draw."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.kernels.leaves.binary import Binary
from kernelspec.laws.compositional.neurons import NeuronLaw
from kernelspec.laws.coordinate import CoordinateLaw
from kernelspec.laws.exact_features import ExactFeaturesLaw
from kernelspec.laws.joint import JointLaw
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.product import ProductLaw
from kernelspec.laws.selection import SelectedLaw
from kernelspec.laws.sinh_rows import SinhRowsLaw
from kernelspec.laws.stretch import StretchLaw
from kernelspec.laws.tilt import TiltLaw
from kernelspec.laws.translation import TranslationLaw
from kernelspec.notation.pair_function import ExponentialOf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.laws.law import Law
    from kernelspec.notation.pairs import NumericPairs
    from kernelspec.tables.rows import Rows

__all__ = ["largest_sample"]


def largest_sample(law: Law, pairs: NumericPairs) -> NDArray[np.float64]:
    """A bound on |p(x, y)|, of the shape of the pairs; infinite where none is known.

    `magnitude`, unless amplitudes depend on the rows: then that of tilts is e^{β·Δ}, of inner products on d columns
    d·max|x_i|·max|y_i|, and those of sums, products and the like follow. Of normal neurons there is none.
    """
    if not _grows(law):
        return np.full(pairs.shape, float(law.magnitude()))
    match law:
        case MixtureLaw():
            shares = zip(law.weights, law.probabilities, law.parts, strict=True)
            sizes = [abs(float(w)) / float(q) * largest_sample(part, pairs) for w, q, part in shares if q > 0]
            return np.asarray(np.max(sizes, axis=0))
        case ProductLaw():
            return np.asarray(prod(largest_sample(factor, pairs) for factor in law.factors))
        case SelectedLaw():
            return largest_sample(law.base, pairs.select(law.positions))
        case StretchLaw():
            return largest_sample(law.base, pairs.map(law.matrix))
        case TranslationLaw():
            return largest_sample(law.base, pairs.translated(law.by))
        case JointLaw():
            return largest_sample(law.base, pairs)
        case TiltLaw():
            rise = np.asarray(pairs.of(ExponentialOf(law.by)), dtype=float)
            return np.asarray(rise * largest_sample(law.base, pairs))
        case SinhRowsLaw():
            rise = np.asarray(pairs.of(ExponentialOf(law.by)), dtype=float)
            return np.asarray(np.abs(1 + (rise - 1 / rise) / 2))
        case ExactFeaturesLaw():
            # features that share columns have a sign each: their sum is at most √n times the root of the sum of squares
            terms = law.n_terms if law.has_key else 1
            return np.asarray(np.sqrt(terms * np.asarray(law.moments(pairs).a, dtype=float)))
        case CoordinateLaw():
            sides = [_largest_entry(rows, directions=law.kernel.of_directions) for rows in (pairs.x, pairs.y)]
            product = np.multiply.outer(*sides) if pairs.grid else sides[0] * sides[1]
            return np.asarray(pairs.dim * product)
    return np.full(pairs.shape, np.inf)


def _grows(law: Law) -> bool:
    """Whether samples may be larger than their `magnitude`, on some rows or by some draws."""
    if isinstance(law, CoordinateLaw):
        return not isinstance(law.kernel, Binary)
    own = isinstance(law, ExactFeaturesLaw | NeuronLaw | SinhRowsLaw | TiltLaw)
    return own or any(_grows(below) for below in law.children())


def _largest_entry(rows: Rows, *, directions: bool) -> NDArray[np.float64]:
    table = np.abs((rows.on_unit_sphere() if directions else rows).dense())
    return np.asarray(table.max(axis=1))
