"""The table of closed products: what SymPy says, without deriving anything."""

from __future__ import annotations

import pytest
import sympy

import kernelspec as ks
from kernelspec.analysis.closed_products import EXAMPLES, closed_products
from kernelspec.catalogue import KERNELS

PAIRS = [
    ("gaussian", "laplace", 1),
    ("cauchy", "triangle", 1),
    ("periodic", "matern", 1),
    ("powered_exponential", "cosine", 1),
    ("polya", "powered_exponential", 1),
    ("exponential", "matern", 2),
    ("exponential", "gaussian", 2),
    ("exponential", "gaussian", 3),
    ("laplace", "cauchy", 3),
]


@pytest.mark.parametrize(("first", "second", "dim"), PAIRS)
def test_as_the_expressions_say(first: str, second: str, dim: int) -> None:
    kernels = {name: EXAMPLES[name] for name in (first, second)}
    found = closed_products(kernels, dim=dim).of(second, first)
    density = ks.analyze(f"{EXAMPLES[first]} * {EXAMPLES[second]}", dim=dim).spectral_density
    omega = {symbol: sympy.Rational(1, 3) for symbol in density.free_symbols}
    left_over = density.subs(omega).atoms(sympy.Integral, sympy.Function("Convolution"))
    assert (found == "open") == bool(left_over)


@pytest.mark.long
def test_the_whole_table() -> None:
    """Every kernel of the catalogue that has a measure of its own is in it; the counts are those of the documents."""
    assert set(EXAMPLES) < set(KERNELS)
    assert [closed_products(dim=dim).count for dim in (1, 2, 3)] == [102, 72, 80]
    assert closed_products().with_density == 117


def test_forms() -> None:
    found = closed_products({"gaussian": "gaussian()", "cosine": "cosine(2)", "periodic": "periodic(2)"})
    assert found.to_dict() == {
        "gaussian * gaussian": "closed",
        "gaussian * cosine": "closed",
        "gaussian * periodic": "series",
        "cosine * cosine": "atoms",
        "cosine * periodic": "atoms",
        "periodic * periodic": "atoms",
    }
    assert found.text().splitlines()[:4] == [
        " 1 gaussian  c",
        " 2 cosine    c  a",
        " 3 periodic  s  a  a",
        "             1  2  3",
    ]
    assert found.latex().splitlines()[1] == r"  \text{gaussian} & c \\"
    assert (found.count, found.with_density) == (3, 3)


def test_the_kernels_of_a_spec() -> None:
    found = ks.analyze("gaussian()*laplace() + cauchy()*match()[2]", dim=3).closed_products
    assert found is not None
    assert found.names == ("cauchy(scale=1)", "gaussian(scale=1)", "laplace(scale=1)")
    assert ks.analyze("gaussian()", dim=1).closed_products is None
    assert ks.analyze("param s > 0\ngaussian(s)*laplace()", dim=1).closed_products is None
