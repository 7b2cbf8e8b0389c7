"""Tests of `elaboration/operators.py`."""

from __future__ import annotations

import json

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import RangeError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.sums_and_products import Product, Sum
from kernelspec.limits import MAX_FACTORS
from tests.elaboration.specs import CATALOGUE

X = np.random.default_rng(3).normal(size=(6, 3))


def tree(text: str) -> Kernel:
    return ks.parse(text).kernel(Columns(3, ("a", "b", "c")))


@pytest.mark.parametrize(
    "text",
    [
        "gaussian() - gaussian()",
        "0*laplace()",
        "0.1*gaussian() + 0.2*gaussian() - 0.3*gaussian()",
        "mean(laplace(), laplace(), laplace()) - laplace()",
        "gaussian()*laplace() - laplace()*gaussian()",
        "(gaussian() - gaussian())*matern(nu=1)",
        "(gaussian() - gaussian())**3",
        "(gaussian() - gaussian())[a]",
        "stretch(laplace() - laplace(), 2)",
        "modulate(laplace() - laplace(), 2)",
        "2*laplace()[a] - (2*laplace())[0]",
        "laplace()[a, b, c] - laplace()",
    ],
)
def test_the_zero_kernel(text: str) -> None:
    kernel = tree(text)
    assert isinstance(kernel, Sum)
    assert kernel.terms == ()
    np.testing.assert_array_equal(ks.parse(text).gram(X, columns=["a", "b", "c"]), np.zeros((6, 6)))
    assert ks.analyze(text, columns=["a", "b", "c"]).verdict.positive_definite == "proved"


@pytest.mark.parametrize("text", ["radial(r -> 0.5*exp(-r))", "product(t -> 0.5*exp(-t))", "0.5*gaussian()"])
def test_values_are_floats_where_weights_are_fractions(text: str) -> None:
    spec = ks.parse(text)
    assert np.asarray(spec.kernel(spec.columns(2)).value(NumericPairs.of_vectors(np.ones((3, 2))))).dtype == float


TOO_SMALL = "'scale' of this exponential() is 1e-198, but the numbers of a kernel must lie between"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exponential(scale=1e-99)**1e99", TOO_SMALL),
        ("stretch(exponential(scale=1e-99), 2)**1e99", TOO_SMALL),
        ("radial(r -> exp(-1e198*r))", TOO_SMALL),
        ("product(t -> exp(-1e-250*t**2))", "'scale' of this gaussian() is 7.07107e+124"),
        (
            "powered_exponential(alpha=1e-9, scale=1e99)**1e-9",
            "an argument of the resulting kernel is too large or too small for a float",
        ),
    ],
)
def test_what_cannot_be_reckoned_with_is_refused(text: str, message: str) -> None:
    for ask in (lambda: ks.analyze(text, dim=2), lambda: ks.compile(text, dim=2, n_features=8)):
        with pytest.raises(RangeError) as caught:
            ask()
        assert message in str(caught.value)


@pytest.mark.parametrize("text", ["exponential(scale=1e-99)**0.5", "radial(r -> exp(-r/1e99))", "gaussian(1e99)**1e-2"])
def test_what_can_be_is_not(text: str) -> None:
    assert ks.analyze(text, dim=2).verdict.positive_definite == "proved"


@pytest.mark.parametrize(
    "text",
    [
        "*".join(["periodic(3)**90"] * 11) + "*periodic(3)**{n}",
        "(minmax() + (periodic(3)**10)**99) * minmax()**{n}",
        "stretch((1/2*periodic(3)**100 + triangle()*triangle())**9, 2) * periodic(3)**90 * triangle()**{n}",
        "((periodic(3)**{n})**10)**10",
    ],
)
def test_the_bound_is_allowed_and_one_more_is_not(text: str) -> None:
    assert MAX_FACTORS == 1000
    assert ks.parse(text.format(n=10))
    with pytest.raises(
        RangeError, match=r"this product has 1,[01]\d\d factors, counting powers and every use of a let"
    ):
        ks.parse(text.format(n=11))


def test_a_chain_of_lets_counts_every_use() -> None:
    doubling = "let k0 = gaussian()\n" + "".join(f"let k{i + 1} = k{i}*k{i}\n" for i in range(14)) + "k14"
    with pytest.raises(RangeError, match="this product has 1,024 factors"):
        ks.parse(doubling)


def tree_of_operators(text: str, dim: int = 3) -> Kernel:
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
    assert tree_of_operators(text) == tree_of_operators(same)
    assert hash(tree_of_operators(text)) == hash(tree_of_operators(same))


def test_a_let_used_twice_is_two_factors() -> None:
    kernel = tree_of_operators("let k = laplace()\nk*k")
    assert isinstance(kernel, Product)
    assert len(kernel.factors) == 2
    np.testing.assert_allclose(ks.parse("let k = laplace()\nk*k").gram(X), ks.parse("laplace(1/2)").gram(X), rtol=1e-12)


def test_names_refer_to_the_data_and_positions_to_the_selection() -> None:
    text = "laplace()[b] * cauchy()[c, a][1:3] + gaussian()[0][b, c]"
    with pytest.raises(ks.KernelspecError, match="unknown column 'a'"):
        tree_of_operators(text)
    assert tree_of_operators("cauchy()[1][b, c]") == tree_of_operators("cauchy()[c]")


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
    with pytest.raises(RangeError, match=r"the weight is .*, but the numbers of a kernel must lie between"):
        ks.parse(text)


SMOOTH = [text for text in CATALOGUE if text != "match()"]
NUMBERS = st.sampled_from(["0.5", "2", "pi", "1/3", "sqrt(2)", "1e-3"])
SELECTIONS = st.sampled_from(["[0]", "[-1]", "[:]"])  # there in any number of columns
ROWS = np.random.default_rng(0).normal(size=(4, 3))


def _deeper(inner: st.SearchStrategy[str], *, differences: bool) -> st.SearchStrategy[str]:
    parts = st.lists(inner, min_size=2, max_size=3)
    signs = st.sampled_from([" + ", " - "]) if differences else st.just(" + ")
    return st.one_of(
        st.tuples(parts, signs, NUMBERS).map(lambda t: f"({t[2]}*{t[1].join(t[0])})"),
        parts.map(lambda kernels: f"mean({', '.join(kernels)})"),
        parts.map(lambda kernels: f"({' * '.join(kernels)})"),
        st.tuples(inner, st.integers(1, 4)).map(lambda t: f"({t[0]})**{t[1]}"),
        st.tuples(inner, SELECTIONS).map(lambda t: f"({t[0]}){t[1]}"),
    )


def _changed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, NUMBERS).map(lambda t: f"stretch({t[0]}, {t[1]})"),
        inner.map(lambda kernel: f"stretch({kernel}, ones)"),
        st.tuples(inner, NUMBERS).map(lambda t: f"modulate({t[0]}, by={t[1]})"),
        inner.map(lambda kernel: f"normalize({kernel})"),
    )


smooth = st.recursive(
    st.sampled_from(SMOOTH), lambda inner: _deeper(inner, differences=False) | _changed(inner), max_leaves=6
)
anything = st.recursive(
    st.sampled_from(CATALOGUE) | smooth, lambda inner: _deeper(inner, differences=True), max_leaves=4
)


@pytest.mark.long
@pytest.mark.parametrize("dim", [2, 3])
@settings(max_examples=30, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(text=anything)
def test_explained(dim: int, text: str) -> None:
    facts = ks.analyze(text, dim=dim)
    found = facts.to_dict()
    assert len(json.dumps(found, allow_nan=False)) < 2_000_000
    rows = ROWS[:, :dim]
    matrix = ks.parse(text).gram(rows)
    np.testing.assert_allclose(matrix, matrix.T, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.diag(matrix), float(facts.k0), rtol=1e-9, atol=1e-12)
    if facts.verdict.positive_definite == "proved":
        assert np.linalg.eigvalsh(matrix)[0] > -1e-9 * max(1.0, float(facts.k0))


@pytest.mark.slow
@settings(max_examples=30, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(text=smooth)
def test_the_measure_of_a_smooth_composition(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    lags = ROWS[:, :2]
    expected = ks.parse(text).gram(lags, np.zeros((1, 2)))[:, 0]
    np.testing.assert_allclose(facts.characteristic_function(lags), expected, rtol=1e-8, atol=1e-12)
    assert facts.verdict.positive_definite == "proved"
