"""Specs: kernels of every form, with `param` and `let` lines above."""

from __future__ import annotations

from collections.abc import Sequence

import hypothesis.strategies as st

from kernelspec.errors import RangeError
from kernelspec.spec import Spec, parse
from kernelspec.testing.strategies.composites import KernelWriter
from kernelspec.testing.strategies.numbers import decimals

__all__ = ["kernels", "specs"]


def kernels(
    dim: int,
    *,
    names: Sequence[str] | None = None,
    max_leaves: int = 4,
    match: bool = True,
    signed: bool = False,
    statements: bool = True,
) -> st.SearchStrategy[str]:
    """Texts of kernels on `dim` columns (called `names`, if given), with at most `max_leaves` catalogue kernels.

    All forms of the language that compile: weighted sums, means, products, whole powers, stretches by a number, a
    vector or a matrix, modulations, normalisations, duals of activations, selections by name, position and slice.
    `match` lets categories and sizes be compared, `signed` allows negative weights and asymmetric kernels,
    `statements` puts `param` and `let` lines above.
    """
    return _programs(tuple(names) if names is not None else (None,) * dim, max_leaves, match, signed, statements)


def specs(
    dim: int,
    *,
    names: Sequence[str] | None = None,
    max_leaves: int = 4,
    match: bool = True,
    signed: bool = False,
    statements: bool = True,
) -> st.SearchStrategy[Spec]:
    """The same, parsed."""
    texts = kernels(dim, names=names, max_leaves=max_leaves, match=match, signed=signed, statements=statements)
    return texts.filter(_has_duals).map(parse)


def _has_duals(text: str) -> bool:
    """Whether all its duals converge: a kernel that stands in a `let` may have a mass beyond 1, and no dual then."""
    try:
        parse(text)
    except RangeError:
        return False
    return True


@st.composite
def _programs(
    draw: st.DrawFn, columns: tuple[str | None, ...], leaves: int, match: bool, signed: bool, statements: bool
) -> str:
    lines: list[str] = []
    params: list[tuple[str, float]] = []
    lets: list[str] = []
    for i in range(draw(st.integers(0, 2)) if statements else 0):
        value = draw(decimals(0.5, 2))
        lines.append(f"param p{i} = {value}")
        params.append((f"p{i}", float(value)))
    writer = KernelWriter(tuple(params), (), signed)
    if statements and draw(st.booleans()):
        lines.append(f"let base = {writer.leaf(draw, None, False)}")
        lets.append("base")
    body = KernelWriter(tuple(params), tuple(lets), signed).kernel(draw, columns, leaves, match)
    return "\n".join([*lines, body])
