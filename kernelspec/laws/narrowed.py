"""Laws on fewer columns, for rows that are zero in all others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from kernelspec.kernels.nodes.columns_and_lags import Stretch
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.kernels.stationary import Coordinatewise, Radial
from kernelspec.laws.coordinate import UnitRowsLaw
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.product import ProductLaw

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.laws.law import Law

__all__ = ["narrowed"]

Part = TypeVar("Part")


def narrowed(law: Law, kept: tuple[int, ...]) -> Law | None:
    """The law on the columns `kept` alone whose samples say of rows that are zero elsewhere what those of `law` do.

    Frequencies on other columns multiply zeros, so that a part of each frequency is enough. For products over the
    columns and mixtures of Gaussians that part has the law of the same kernel on fewer columns. Norms of rows stay the
    same. Returns None for laws of other kernels: these are drawn on all columns.
    """
    match law:
        case FourierLaw():
            kernel = _kernel(law.kernel, kept)
            return None if kernel is None else FourierLaw(kernel)
        case UnitRowsLaw():
            return UnitRowsLaw(replace(law.kernel, dim=len(kept)))
        case MixtureLaw():
            parts = _all(narrowed(part, kept) for part in law.parts)
            return None if parts is None else replace(law, parts=parts)
        case ProductLaw():
            factors = _all(narrowed(factor, kept) for factor in law.factors)
            return None if factors is None else ProductLaw(factors)
    return None


def _kernel(kernel: Kernel, kept: tuple[int, ...]) -> Kernel | None:
    match kernel:
        case Radial() | Coordinatewise():
            return replace(kernel, dim=len(kept))
        case Sum():
            terms = _all(_kernel(term, kept) for term in kernel.terms)
            return None if terms is None else replace(kernel, terms=terms, dim=len(kept))
        case Product():
            factors = _all(_kernel(factor, kept) for factor in kernel.factors)
            return None if factors is None else replace(kernel, factors=factors, dim=len(kept))
        case Power():
            base = _kernel(kernel.base, kept)
            return None if base is None else replace(kernel, base=base, dim=len(kept))
        case Stretch() if not kernel.is_matrix:
            base, matrix = _kernel(kernel.base, kept), kernel.matrix
            if isinstance(matrix, tuple):
                matrix = tuple(matrix[i] for i in kept)
            return None if base is None else replace(kernel, base=base, matrix=matrix, dim=len(kept))
    return None


def _all(found: Iterable[Part | None]) -> tuple[Part, ...] | None:
    """All of them; None if one is missing."""
    parts = tuple(found)
    known = tuple(part for part in parts if part is not None)
    return known if len(known) == len(parts) else None
