"""Which products of kernels have a spectral density in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from types import MappingProxyType
from typing import Any

from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import as_program
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.nodes.sums_and_products import Product
from kernelspec.measures.block_density import Closure, closure
from kernelspec.measures.measure import measure_of
from kernelspec.rendering.notebooks import latex_words

__all__ = ["EXAMPLES", "ClosedProducts", "closed_products", "products_of_kernels"]

EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "cauchy": "cauchy()",
        "cosh_gaussian": "cosh_gaussian(by=1)",
        "cosine": "cosine(by=1)",
        "exponential": "exponential()",
        "gaussian": "gaussian()",
        "laplace": "laplace(scale=2)",
        "matern": "matern(nu=3/2)",
        "periodic": "periodic(period=2)",
        "polya": "polya(gamma(shape=3), area=1)",
        "powered_exponential": "powered_exponential(alpha=3/2)",
        "rational_quadratic": "rational_quadratic(alpha=2)",
        "shift_gaussian": "shift_gaussian(by=1)",
        "sinc": "sinc(bandwidth=2)",
        "sinh_gaussian": "sinh_gaussian(by=1)",
        "triangle": "triangle(width=2)",
    }
)
"""One kernel per catalogue family with a known measure; the answers depend on the orders, not on the scales."""

_MARKS: Mapping[Closure, str] = MappingProxyType({"closed": "c", "series": "s", "open": "·", "atoms": "a"})
_LEGEND = "c closed, s a series over the atoms of one factor, · an unevaluated convolution, a atoms alone"


@dataclass(frozen=True)
class ClosedProducts:
    """For pairs of kernels by name, whether the density of their product is closed."""

    names: tuple[str, ...]
    found: Mapping[tuple[str, str], Closure]

    def of(self, first: str, second: str) -> Closure:
        """The answer for one product, in either order."""
        return self.found[(first, second) if (first, second) in self.found else (second, first)]

    @property
    def count(self) -> int:
        """The number of products with a density in closed form, including series."""
        return sum(value in ("closed", "series") for value in self.found.values())

    @property
    def with_density(self) -> int:
        """The number of products that have a density."""
        return sum(value != "atoms" for value in self.found.values())

    def text(self) -> str:
        """The lower half of the matrix, with its legend."""
        width = max(map(len, self.names))
        rows = [
            f"{i:2} {name:{width}}  " + "  ".join(f"{mark:>1}" for mark in self._row(i)).rstrip()
            for i, name in enumerate(self.names, 1)
        ]
        foot = " " * (width + 5) + " ".join(f"{i:<2}" for i in range(1, len(self.names) + 1)).rstrip()
        return "\n".join([*rows, foot, _LEGEND])

    def latex(self) -> str:
        """`text` as a LaTeX `tabular`."""
        rows = [rf"  {latex_words(name)} & " + " & ".join(self._row(i)) for i, name in enumerate(self.names, 1)]
        body = " \\\\\n".join(row.replace("·", r"$\cdot$") for row in rows)
        return f"\\begin{{tabular}}{{l{'c' * len(self.names)}}}\n{body}\n\\end{{tabular}}"

    def to_dict(self) -> dict[str, Any]:
        """The answers as JSON data, {"first * second": "closed" | "series" | "open" | "atoms"}."""
        return {f"{first} * {second}": value for (first, second), value in self.found.items()}

    def _row(self, i: int) -> list[str]:
        return [_MARKS[self.of(self.names[i - 1], other)] for other in self.names[:i]]


def closed_products(kernels: Mapping[str, str] = EXAMPLES, *, dim: int = 1) -> ClosedProducts:
    """Which products of two of the kernels, given as text by name, have a closed density in `dim` columns.

    Raises SpecError for an invalid spec, NotStationaryError for a kernel without a spectral measure.
    """
    columns = Columns(dim)
    return _of({name: as_program(text).kernel(columns) for name, text in kernels.items()})


def products_of_kernels(whole: Kernel) -> ClosedProducts | None:
    """`closed_products` for the catalogue kernels inside one kernel; None if there are fewer than two.

    Compares kernels of the same columns, and those with the most columns if there are several groups.
    """
    found = {part for part in whole.parts() if isinstance(part, Stationary)}
    widest = max((int(part.dim) for part in found), default=0)
    kernels = {str(part): part for part in found if int(part.dim) == widest}
    return _of(dict(sorted(kernels.items()))) if len(kernels) > 1 else None


def _of(kernels: Mapping[str, Kernel]) -> ClosedProducts:
    found = {
        (first, second): closure(measure_of(Product(factors=(kernels[first], kernels[second]), dim=kernels[first].dim)))
        for first, second in combinations_with_replacement(kernels, 2)
    }
    return ClosedProducts(tuple(kernels), found)
