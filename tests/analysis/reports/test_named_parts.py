"""Trees with names in place of their lets."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.expression_text import with_names
from kernelspec.elaboration.valued_program import kernel_and_lets
from kernelspec.expressions.structured_pairs import StructuredPairs
from kernelspec.kernels.nodes.named import Named


def test_names_stand_where_the_lets_were() -> None:
    spec = ks.parse("let k = laplace(3)\nk[a]*match()[b] + gaussian()[a]")
    kernel, lets = kernel_and_lets(spec, spec.columns())
    named = with_names(kernel, {id(value): name for name, value in lets})
    assert [part.name for part in named.parts() if isinstance(part, Named)] == ["k"]
    assert str(named.value(StructuredPairs.between(2, ["a", "b"]))) == "[x_b = y_b]*k[a] + exp(-Δ_a**2/2)"
    assert with_names(kernel, {}) == kernel
