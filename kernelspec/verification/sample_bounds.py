"""How large a sample of a kernel can be at a pair of rows: |p(x, y)| ≤ the bound, for every draw."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.kernels.families.inner_product import InnerProduct
from kernelspec.kernels.leaves.binary import Binary
from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.shift import Shift
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.kernels.nodes.tilt import Tilt
from kernelspec.laws.compositional.neurons import Neurons
from kernelspec.laws.sinh_rows import SinhRows
from kernelspec.notation.pair_function import ExponentialOf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel
    from kernelspec.notation.pairs import NumericPairs
    from kernelspec.tables.rows import Rows

__all__ = ["largest_sample"]

_GROWING = (InnerProduct, Neurons, SinhRows, Tilt)
"""Kernels whose samples may be larger than their `magnitude`, on some rows or by some draws."""


def largest_sample(kernel: Kernel, pairs: NumericPairs) -> NDArray[np.float64]:
    """A bound on |p(x, y)|, of the shape of the pairs; infinite where none is known.

    `magnitude`, unless amplitudes depend on the rows: then that of tilts is e^{β·Δ}, of inner products on d columns
    d·max|x_i|·max|y_i|, and those of sums, products and the like follow. Of normal neurons there is none.
    """
    if not any(isinstance(node, _GROWING) and not isinstance(node, Binary) for node in kernel.parts()):
        return np.full(pairs.shape, float(kernel.magnitude()))
    match kernel:
        case Sum():
            shares = zip(kernel.weights, kernel.probabilities(), kernel.terms, strict=True)
            sizes = [abs(float(w)) / float(q) * largest_sample(term, pairs) for w, q, term in shares if q > 0]
            return np.asarray(np.max(sizes, axis=0))
        case Product():
            return np.asarray(prod(largest_sample(factor, pairs) for factor in kernel.factors))
        case Power():
            return np.asarray(largest_sample(kernel.base, pairs) ** int(kernel.exponent))
        case Select():
            return largest_sample(kernel.base, pairs.select(kernel.positions))
        case Stretch():
            return largest_sample(kernel.base, pairs.map(kernel.matrix))
        case Shift():
            return largest_sample(kernel.base, pairs.translated(kernel.by))
        case Tilt():
            rise = np.asarray(pairs.of(ExponentialOf(kernel.by)), dtype=float)
            return np.asarray(rise * largest_sample(kernel.base, pairs))
        case SinhRows():
            rise = np.asarray(pairs.of(ExponentialOf(kernel.by)), dtype=float)
            return np.abs(1 + (rise - 1 / rise) / 2)
        case InnerProduct():
            sides = [_largest_entry(rows, directions=kernel.of_directions) for rows in (pairs.x, pairs.y)]
            product = np.multiply.outer(*sides) if pairs.grid else sides[0] * sides[1]
            return np.asarray(pairs.dim * product)
    return np.full(pairs.shape, np.inf)


def _largest_entry(rows: Rows, *, directions: bool) -> NDArray[np.float64]:
    table = np.abs((rows.on_unit_sphere() if directions else rows).dense())
    return np.asarray(table.max(axis=1))
