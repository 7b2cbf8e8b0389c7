"""Trees with names in place of their lets."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.reports.named_parts import with_names
from kernelspec.elaboration.named_lets import kernel_and_lets
from kernelspec.kernels.nodes.named import Named
from kernelspec.notation.structured_pairs import StructuredPairs


def test_names_stand_where_the_lets_were() -> None:
    spec = ks.parse("let k = laplace(3)\nk[a]*match()[b] + gaussian()[a]")
    kernel, lets = kernel_and_lets(spec, spec.columns())
    named = with_names(kernel, {id(value): name for name, value in lets})
    assert [part.name for part in named.parts() if isinstance(part, Named)] == ["k"]
    assert str(named.value(StructuredPairs.between(2, ["a", "b"]))) == "[x_b = y_b]*k[a] + exp(-Δ_a**2/2)"
    assert with_names(kernel, {}) == kernel
