"""Samples of named kernels: their second moments in the name, where these are values of the kernel."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.expressions.structured_pairs import StructuredPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.named import Named
from kernelspec.laws.rules import law_of

PAIRS = StructuredPairs.between(1, ["age"])


def named(text: str) -> Kernel:
    spec = ks.parse(text)
    return Named(base=spec.symbolic_kernel(spec.columns(1)), name="near", dim=1)


@pytest.mark.parametrize(
    ("text", "a", "b"),
    [("gaussian(2)", "1", "near(2Δ)"), ("match()", "[x_age = y_age]", "[x_age = y_age]"), ("linear()", None, None)],
)
def test_moments(text: str, a: str | None, b: str | None) -> None:
    law = law_of(named(text))
    found = law.moments(PAIRS)
    assert str(law.mean(PAIRS)) == "near"
    if a is None:  # of signs: x²y², which is no value of the kernel
        assert "near" not in str(found.a) + str(found.b)
    else:
        assert (str(found.a), str(found.b)) == (a, b)


def test_the_samples_are_those_of_the_kernel() -> None:
    spec = ks.parse("gaussian(2)")
    base = spec.kernel(spec.columns(1))
    law, own = law_of(Named(base=base, name="near", dim=1)), law_of(base)
    assert law.lines((0,), ["age"]) == own.lines((0,), ["age"])
    assert (law.dim, law.has_phasor, law.has_key) == (own.dim, own.has_phasor, own.has_key)
