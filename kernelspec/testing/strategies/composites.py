"""Kernels made of kernels: sums, products, powers, stretches, selections and the other forms of the language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import hypothesis.strategies as st

from kernelspec.testing.strategies.leaves import draw_leaf
from kernelspec.testing.strategies.numbers import decimals, vectors
from kernelspec.testing.strategies.selections import draw_selection

__all__ = ["KernelWriter"]


@dataclass(frozen=True)
class KernelWriter:
    """Writes kernels: what may stand where, and the names that the lines above define."""

    params: tuple[tuple[str, float], ...]
    lets: tuple[str, ...]
    signed: bool

    def numbers(self, low: float, high: float) -> st.SearchStrategy[str]:
        """Numbers of an interval, and the parameters whose values lie there."""
        fitting = [name for name, value in self.params if low <= value <= high]
        return decimals(low, high) | st.sampled_from(fitting) if fitting else decimals(low, high)

    def leaf(self, draw: st.DrawFn, dim: int | None, match: bool) -> str:
        """A kernel of the catalogue, or one that a line above defines."""
        if self.lets and draw(st.integers(0, 3)) == 0:
            return draw(st.sampled_from(self.lets))
        return draw_leaf(draw, self.numbers, dim, match=match, signed=self.signed)

    def kernel(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        """A kernel on columns, with a name or without, made of at most so many `leaves`."""
        forms = ["leaf", "leaf", "select", "scaled", "stretch", "modulate", "power", "normalize"]
        if leaves > 1:
            forms += ["sum", "product", "mean"] * 2
        if not self.signed:  # the mass of a difference may lie beyond the radius of convergence
            forms.append("dual")
        form = draw(st.sampled_from(forms)) if leaves > 0 else "leaf"
        if form == "leaf":
            return self.leaf(draw, len(columns), match)
        return self._form(form, draw, columns, leaves, match)

    def _form(self, form: str, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        write = {
            "sum": self._sum,
            "mean": self._mean,
            "product": self._product,
            "scaled": self._scaled,
            "power": self._power,
            "normalize": self._normalize,
            "dual": self._dual,
            "modulate": self._modulate,
            "stretch": self._stretch,
            "select": self._select,
        }
        return write[form](draw, columns, leaves, match)

    def _parts(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> list[str]:
        left = draw(st.integers(1, leaves - 1))
        return [self.kernel(draw, columns, share, match) for share in (left, leaves - left)]

    def _weight(self, draw: st.DrawFn) -> str:
        return ("-" if self.signed and draw(st.booleans()) else "") + draw(self.numbers(0.25, 2))

    def _sum(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        parts = self._parts(draw, columns, leaves, match)
        sign = draw(st.sampled_from(["+", "-"])) if self.signed else "+"
        return f"({self._weight(draw)} * {parts[0]} {sign} {parts[1]})"

    def _mean(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        return f"mean({', '.join(self._parts(draw, columns, leaves, match))})"

    def _product(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        return f"({' * '.join(self._parts(draw, columns, leaves, match))})"

    def _scaled(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        return f"({self._weight(draw)} * {self.kernel(draw, columns, leaves - 1, match)})"

    def _power(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        return f"({self.kernel(draw, columns, leaves - 1, match)}) ** {draw(st.integers(1, 3))}"

    def _normalize(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        positive = KernelWriter(self.params, self.lets, signed=False)
        return f"normalize({positive.kernel(draw, columns, leaves - 1, match)})"

    def _dual(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        named, scaled = st.sampled_from(["relu", "abs", "cos(1)"]), st.builds("exp(c={})".format, self.numbers(0.25, 2))
        activation = draw(named | scaled)
        return f"dual({activation}, normalize({self.kernel(draw, columns, leaves - 1, match)}))"

    def _modulate(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        by = draw(vectors(self.numbers, len(columns), 0, 3))
        return f"modulate({self.kernel(draw, columns, leaves - 1, False)}, by={by})"

    def _stretch(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        height = draw(st.integers(0, 3))
        if not height:
            by = draw(vectors(self.numbers, len(columns), 0.5, 3))
            return f"stretch({self.kernel(draw, columns, leaves - 1, False)}, {by})"
        entry = st.builds("{}{}".format, st.sampled_from(["", "-"]), self.numbers(0, 2))
        row = st.lists(entry, min_size=len(columns), max_size=len(columns)).map(lambda parts: f"[{', '.join(parts)}]")
        matrix = ", ".join(draw(row) for _ in range(height))
        return f"stretch({self.kernel(draw, (None,) * height, leaves - 1, False)}, [{matrix}])"

    def _select(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        chosen, positions = draw_selection(draw, columns)
        return f"({self.kernel(draw, [columns[i] for i in positions], leaves - 1, match)})[{chosen}]"
