"""Nodes over one kernel: on some columns, with a stretched, shifted or tilted lag, or with a name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from kernelspec.errors import NotAvailableYet
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.elementary import is_known_zero, known_number
from kernelspec.expressions.pairs import ExponentialOf, NumericPairs, Pairs
from kernelspec.expressions.structured_pairs import ATOM, StructuredPairs, bracketed, number_text, vector_text
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.kernel import Kernel, OnBase, Verdict
from kernelspec.kernels.leaf import Leaf
from kernelspec.loading import sympy
from kernelspec.special.elementary import Scaled

__all__ = ["Named", "Select", "Shift", "Stretch", "Tilt", "Unavailable", "called"]

_LONG = 3  # longer runs of neighbouring columns are written as a slice


@dataclass(frozen=True, kw_only=True)
class Select(OnBase):
    """k on the columns at `positions` of the enclosing selection; the measure is δ₀ on the others."""

    positions: tuple[int, ...]

    def validate(self) -> None:
        if not self.positions or not 0 <= min(self.positions) <= max(self.positions) < self.dim:
            raise ValueError(f"columns {self.positions} are out of range for {self.dim}")
        self.check_widths([len(self.positions)])

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs.select(self.positions))

    def compared_column(self) -> int | None:
        compares = isinstance(self.base, Leaf) and self.base.compares_categories and len(self.positions) == 1
        return self.positions[0] if compares else None

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return self.base.scaled_value(pairs.select(self.positions))

    def __str__(self) -> str:
        first, last = self.positions[0], self.positions[-1]
        run = len(self.positions) > _LONG and self.positions == tuple(range(first, last + 1))
        columns = f"{first}:{last + 1}" if run else ", ".join(map(str, self.positions))
        return f"{bracketed(self.base, ATOM)}[{columns}]"


@dataclass(frozen=True, kw_only=True)
class Stretch(OnBase):
    """k(AΔ). `matrix` is A: a number (1/s), a tuple with one number per column, or a tuple of rows.

    The measure is pushed forward, ω → A'ω. A may be singular or not square: the kernel stays positive definite, but the
    measure then has no density.
    """

    matrix: Any

    @property
    def is_matrix(self) -> bool:
        """Whether A is a full matrix rather than a number or a diagonal."""
        return isinstance(self.matrix, tuple) and isinstance(self.matrix[0], tuple)

    def validate(self) -> None:
        matrix = self.matrix
        wide = matrix if self.is_matrix else [matrix if isinstance(matrix, tuple) else (0,) * self.dim]
        if any(len(row) != self.dim or any(isinstance(entry, tuple) for entry in row) for row in wide):
            raise ValueError(f"the rows of a matrix must have length {self.dim}")
        self.check_widths([len(matrix) if self.is_matrix else self.dim])

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs.map(self.matrix))

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return self.base.scaled_value(pairs.map(self.matrix))

    def verdict(self) -> Verdict:
        part = self.base.verdict()
        rule = "stretch: a linear map of the columns keeps positive definiteness"
        # the converse is false: a matrix may remove the directions in which the base fails
        part = replace(part, reasons=(*part.reasons, rule))
        if not self.is_matrix:
            return part
        lost = part.positive_definite == "disproved"
        return replace(
            part,
            positive_definite="unknown" if lost else part.positive_definite,
            symmetric=part.symmetric or None,
            stationary=part.stationary or None,
        )

    def __str__(self) -> str:
        if self.is_matrix:
            rows = (", ".join(map(number_text, row)) for row in self.matrix)
            by = f"[{', '.join(f'[{row}]' for row in rows)}]"
        else:  # the text has the scales, A their inverses
            entries = self.matrix if isinstance(self.matrix, tuple) else [self.matrix]
            scales = [1 / entry if entry != 0 else float("inf") for entry in entries]
            by = vector_text(scales) if isinstance(self.matrix, tuple) else number_text(scales[0])
        return f"stretch({self.base}, {by})"


@dataclass(frozen=True, kw_only=True)
class _Moved(OnBase):
    """A kernel of the lag that is shifted or tilted by a vector."""

    by: tuple[Scalar, ...]

    def validate(self) -> None:
        super().validate()
        if len(self.by) != self.dim:
            raise ValueError(f"a vector of {len(self.by)} entries is applied to {self.dim} columns")

    def transposed(self) -> Kernel:
        return replace(self, base=self.base.transposed(), by=tuple(-entry for entry in self.by))


_RULE = "shift: k(Δ + r) is not symmetric unless 2r is a period of k, which no rule decides"


@dataclass(frozen=True, kw_only=True)
class Shift(_Moved):
    """k(Δ + r), r = `by`: the samples of k at x + r and y, so that a frequency ω gets the phase r·ω on the left.

    The measure is e^{ir·ω} μ, with the same modulus.
    """

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs.translated(self.by))

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return self.base.scaled_value(pairs.translated(self.by))

    def diagonal(self) -> Scalar:
        numbers = [known_number(entry) for entry in self.by]
        if isinstance(self.dim, int) and all(isinstance(entry, int | float) for entry in self.by):
            import numpy as np

            return float(np.ravel(self.base.value(NumericPairs.of_vectors(np.array([numbers]))))[0])
        if self.dim is None:  # unknown number of columns
            return float("nan")
        constant, known = len(set(self.by)) == 1, isinstance(self.dim, int)
        lag = SymbolicPairs(self.dim, lambda i: self.by[0 if constant else int(i) - 1], None, known)
        return self.base.value(lag)

    def verdict(self) -> Verdict:
        from kernelspec.kernels.parts import height

        if isinstance(self.base, Leaf) and (found := self.base.moved_verdict(self.by, "shift")) is not None:
            return found
        part = self.base.verdict()
        if part.positive_definite != "proved":
            return replace(part, positive_definite="unknown", reasons=(*part.reasons, _RULE), symmetric=None)
        # for positive definite k, |k| ≤ k(0), and k(Δ + r) = k(r − Δ) for all Δ if and only if 2r is a period
        here, twice = height(self.base, self.by), height(self.base, tuple(2 * entry for entry in self.by))
        symmetric = True if here in (1, -1) else None if twice is None else twice == 1
        if here == 1:
            return replace(part, reasons=(*part.reasons, "shift: k(r) = k(0), so that r is a period of k"))
        if here is None and symmetric is not False:
            return replace(part, positive_definite="unknown", reasons=(*part.reasons, _RULE), symmetric=symmetric)
        reason = {
            -1: "k(r) = −k(0), so that k(Δ + r) = −k(Δ)",
            0: "k(0) is taken at Δ = −r, and exceeds the diagonal, k(r)",
            None: "2r is not a period of k, so k(x, y) ≠ k(y, x)",
        }[here]
        reasons = (*part.reasons, f"shift: {reason}")
        return replace(part, positive_definite="disproved", reasons=reasons, symmetric=symmetric)

    def __str__(self) -> str:
        return f"shift({self.base}, {vector_text(self.by)})"


@dataclass(frozen=True, kw_only=True)
class Tilt(_Moved):
    """k(Δ) e^{β·Δ} = e^{β·x} k(x, y) e^{−β·y}, β = `by`: the samples of k with amplitudes e^{β·x} and e^{−β·y}.

    Exact for every k. A and B are those of k times e^{2β·Δ}. The measure is the analytic continuation ω → ω + iβ, if it
    is finite.
    """

    def value(self, pairs: Pairs) -> Value:
        if isinstance(pairs, NumericPairs):
            return self.scaled_value(pairs).value()
        return self.base.value(pairs) * pairs.of(ExponentialOf(self.by))

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        return self.base.scaled_value(pairs).times(Scaled(np.ones(()), pairs.inner(self.by)))

    @property
    def grows_exponentially(self) -> bool:
        return True

    def magnitude(self) -> Scalar:
        """The magnitude of the base, which is that at x = y; |p| is unbounded far away."""
        return self.base.magnitude()

    def verdict(self) -> Verdict:
        part = self.base.verdict()
        if isinstance(self.base, Leaf) and (found := self.base.moved_verdict(self.by, "tilt")) is not None:
            return found
        if part.positive_definite == "proved" and self._moves_continuously():
            rule = "tilt: k(x, y) e^(β·Δ) is not symmetric where k is"
            return replace(part, positive_definite="disproved", reasons=(*part.reasons, rule), symmetric=False)
        rule = "tilt: k(x, y) e^(β·Δ) is symmetric only where k makes up for the exponential, which no rule decides"
        return replace(part, positive_definite="unknown", reasons=(*part.reasons, rule), symmetric=None)

    def _moves_continuously(self) -> bool:
        """Whether β ≠ 0 in some column in which a positive definite k is continuous.

        As k(x, x) > 0 for some x, k(x, y) ≠ 0 for some y with β·Δ ≠ 0. On columns with few values, such as categories,
        k may vanish whenever x and y differ.
        """
        rates = self.by if len(self.by) > 1 or not isinstance(self.dim, int) else self.by * self.dim
        from kernelspec.kernels.parts import leaf_columns

        bound = leaf_columns(self.base, lambda leaf: leaf.compares_categories or leaf.domain is not None)
        if bound is None:
            return False
        # if the number of columns is a symbol, a constant β has one entry, and no column is known
        return any(is_known_zero(rate) is False and i not in bound for i, rate in enumerate(rates))

    def __str__(self) -> str:
        return f"tilt({self.base}, {vector_text(self.by)})"


@dataclass(frozen=True, kw_only=True)
class Named(OnBase):
    """A kernel that formulas show by its name; otherwise it behaves like the kernel itself."""

    name: str

    def value(self, pairs: Pairs) -> Value:
        return called(self.name, pairs)


def called(name: str, pairs: Pairs) -> Any:
    """The symbol of a kernel at these pairs: `body`, `near[age]`, `body(2Δ)`."""
    suffix = pairs.suffix if isinstance(pairs, StructuredPairs) else ""
    return sympy.Symbol(f"{name}{suffix}", real=True)


@dataclass(frozen=True, kw_only=True)
class Unavailable(Kernel):
    """Stands for `form` while a spec is checked; every use raises NotAvailableYet with its span."""

    form: str

    def refuse(self) -> NoReturn:
        """Raises NotAvailableYet."""
        raise NotAvailableYet(f"{self.form}() is not available in this version yet", self.span)

    def value(self, pairs: Pairs) -> NoReturn:
        self.refuse()

    def diagonal(self) -> float:
        return 1.0

    def magnitude(self) -> float:
        return 1.0

    def verdict(self) -> NoReturn:
        self.refuse()

    @property
    def is_stationary(self) -> bool:
        return False
