"""Operators between kernels: what two ways of writing one kernel have in common."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import RangeError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.sum import Sum

X = np.random.default_rng(3).normal(size=(6, 3))


def tree(text: str, dim: int = 3) -> Kernel:
    return ks.parse(text).kernel(Columns(dim, ("a", "b", "c") if dim == 3 else None))


EQUAL = [
    ("gaussian() + gaussian()", "2*gaussian()"),
    ("laplace() + gaussian() - laplace()", "gaussian()"),
    ("1*laplace()", "laplace()"),
    ("(gaussian() + laplace()) + (cauchy() + 2*laplace())", "gaussian() + 3*laplace() + cauchy()"),
    ("2*(gaussian() - (laplace() - cauchy()))", "2*gaussian() - 2*laplace() + 2*cauchy()"),
    ("-(-gaussian())", "gaussian()"),
    ("(2*gaussian())*(3*laplace())", "6*(gaussian()*laplace())"),
    ("gaussian()*(laplace()*cauchy())", "gaussian()*laplace()*cauchy()"),
    ("gaussian()*2*laplace()/4", "0.5*gaussian()*laplace()"),
    ("(2*laplace())**3", "8*laplace()**3"),
    ("(-2*gaussian())**3", "-8*gaussian()**3"),
    ("laplace()**1", "laplace()"),
    ("gaussian()**4", "gaussian(scale=1/2)"),
    ("(3*gaussian())**0.5", "sqrt(3)*gaussian()**0.5"),
    ("gaussian()[a]**4", "gaussian(1/2)[a]"),
    ("stretch(gaussian(), 2)**4", "stretch(gaussian(1/2), 2)"),
    ("mean(gaussian(), laplace(), gaussian())", "2/3*gaussian() + 1/3*laplace()"),
    ("mean(gaussian())", "gaussian()"),
    ("normalize(2*gaussian() + 6*laplace())", "0.25*gaussian() + 0.75*laplace()"),
    ("normalize(gaussian()*laplace())", "gaussian()*laplace()"),
    ("modulate(3*gaussian(), by=2)", "3*gaussian()*cosine(2)"),
    ("modulate(gaussian()*laplace(), by=[1, 2, 3])", "gaussian()*laplace()*cosine([1, 2, 3])"),
    ("stretch(2*laplace(), 3)", "2*stretch(laplace(), by=3)"),
    ("(2*laplace())[a]", "2*laplace()[0]"),
    ("laplace()[c][1:3]", "laplace()[2]"),
    ("laplace()[a, b, c]", "laplace()"),
    ("laplace()[-1]", "laplace()[c]"),
    ("cosine(2)", "cosine([2, 2, 2])"),
    ("cosine(ones)", "cosine([1, 1, 1])"),
    ("cosine(by=d)[a, b]", "cosine([2, 2])[0:2]"),
    ("gaussian(2)", "gaussian(scale=sqrt(4))"),
    ("let k = gaussian()\nlet w = 2\nw*k", "2*gaussian()"),
    ("let v = [1, 2, 3]\nstretch(gaussian(), v)", "stretch(gaussian(), [1, 2, 3])"),
]


@pytest.mark.parametrize(("text", "same"), EQUAL, ids=[row[0] for row in EQUAL])
def test_one_kernel_two_spellings(text: str, same: str) -> None:
    assert tree(text) == tree(same)
    assert hash(tree(text)) == hash(tree(same))


def test_shapes() -> None:
    kernel = tree("2*gaussian() + laplace()**3*cauchy() - (matern(nu=1) + exponential())**2")
    assert isinstance(kernel, Sum)
    assert kernel.weights == (2, 1, -1)
    first, second, third = kernel.terms
    assert isinstance(first, Gaussian)
    assert isinstance(second, Product)
    assert isinstance(second.factors[0], Power)
    assert second.factors[0].exponent == 3
    assert isinstance(third, Power)
    assert isinstance(third.base, Sum)
    assert isinstance(tree("stretch(gaussian(), 4)"), Stretch)
    assert tree("stretch(gaussian(), 4)").matrix == 0.25
    assert tree("stretch(gaussian(), [1, 2, 4])").matrix == (1, 0.5, 0.25)
    assert tree("stretch(gaussian(), [[1, 2, 3]])").base.dim == 1
    assert isinstance(tree("gaussian()[b]"), Select)
    assert tree("gaussian()[c, a]").positions == (2, 0)


def test_a_let_used_twice_is_two_factors() -> None:
    kernel = tree("let k = laplace()\nk*k")
    assert isinstance(kernel, Product)
    assert len(kernel.factors) == 2
    np.testing.assert_allclose(ks.parse("let k = laplace()\nk*k").gram(X), ks.parse("laplace(1/2)").gram(X), rtol=1e-12)


def test_names_refer_to_the_data_and_positions_to_the_selection() -> None:
    text = "laplace()[b] * cauchy()[c, a][1:3] + gaussian()[0][b, c]"
    with pytest.raises(ks.KernelspecError, match="there is no column 'a'"):
        tree(text)
    assert tree("cauchy()[1][b, c]") == tree("cauchy()[c]")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("laplace(2)**3", lambda t: np.exp(-3 * np.abs(t).sum(-1) / 2)),
        ("gaussian(2)**0.5", lambda t: np.exp(-(t**2).sum(-1) / 16)),
        ("(gaussian() * gaussian(2))**(1/3)", lambda t: np.exp(-(t**2).sum(-1) * (1 + 1 / 4) / 6)),
        ("modulate(laplace(), [1, 0, 2])", lambda t: np.exp(-np.abs(t).sum(-1)) * np.cos(t[..., 0] + 2 * t[..., 2])),
        ("stretch(laplace(), [[1, 1, 0], [0, 2, 1]])", lambda t: np.exp(
            -np.abs(t[..., 0] + t[..., 1]) - np.abs(2 * t[..., 1] + t[..., 2]))),
        ("normalize(3*gaussian() - laplace())", lambda t: (
            3 * np.exp(-(t**2).sum(-1) / 2) - np.exp(-np.abs(t).sum(-1))) / 2),
    ],
)  # fmt: skip
def test_values(text: str, value: object) -> None:
    lags = X[:, None, :] - X[None, :, :]
    np.testing.assert_allclose(ks.parse(text).gram(X), value(lags), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "text",
    ["(1e60*gaussian())**2", "(1e60*gaussian())*(1e60*laplace())", "2e99*(5*(2*laplace()))", "1e308*gaussian()",
     "1e-60*(1e-60*laplace())"],
)  # fmt: skip
def test_weights_too_large_are_said(text: str) -> None:
    with pytest.raises(RangeError, match=r"the weight is .*, and numbers that kernels are made of lie between"):
        ks.parse(text)
