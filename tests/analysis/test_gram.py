"""Tests of `analysis/gram.py`."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sympy
from scipy.sparse import csr_array
from sklearn.gaussian_process.kernels import RBF, ExpSineSquared, Matern, RationalQuadratic
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

import kernelspec as ks
import kernelspec.kernels
from kernelspec.analysis import gram as module
from kernelspec.analysis.overview import derivatives
from kernelspec.analysis.variances import complexity, constant_share, dual_nodes, norm_bound, skeletons_in
from kernelspec.elaboration.data_columns import layout_of
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import DataError, DimensionError, ParameterError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.kernels.leaf import KERNELS, load_kernel
from kernelspec.kernels.leaves.discrete import Constant
from kernelspec.kernels.nodes.sums_and_products import Sum
from kernelspec.kernels.parts import height, measured
from kernelspec.laws.finite_features import finite_features
from kernelspec.laws.rules import laws_of, schemes_of
from kernelspec.planning.strata import terms_of

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(23, 3)), RNG.normal(size=(7, 3))
COMPOSITE = "0.7*gaussian(2)*periodic(3)[0] + laplace()[1:] - 0.2*stretch(matern(nu=2.5), [[1, 2, 3]])"


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("gaussian(2)", lambda x, y: rbf_kernel(x, y, gamma=1 / 8)),
        ("laplace(2)", lambda x, y: laplacian_kernel(x, y, gamma=1 / 2)),
        ("matern(nu=1.5, scale=2)", Matern(2, nu=1.5)),
        ("matern(nu=0.7)", Matern(1, nu=0.7)),
        ("exponential(3)", Matern(3, nu=0.5)),
        ("rational_quadratic(alpha=0.7, scale=2)", RationalQuadratic(2, 0.7)),
        ("stretch(gaussian(), [1, 2, 3])", RBF([1, 2, 3])),
        ("2*gaussian()*matern(nu=2.5) + rational_quadratic(2)", 2 * RBF() * Matern(nu=2.5) + RationalQuadratic(1, 2)),
        ("gaussian()**3", RBF() ** 3),
    ],
)
def test_scikit_learn_agrees(text: str, reference: object) -> None:
    np.testing.assert_allclose(ks.parse(text).gram(X, Y), reference(X, Y), rtol=1e-9, atol=1e-15)


def test_periodic_agrees_on_one_column() -> None:
    expected = ExpSineSquared(length_scale=1.3, periodicity=2)(X[:, :1])
    np.testing.assert_allclose(ks.parse("periodic(2, 1.3)").gram(X[:, :1]), expected, rtol=1e-9)


@pytest.mark.parametrize("entries", [1, 20, 7 * 5, 10**9])
def test_blocks_are_the_matrix(entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ks.parse(COMPOSITE).gram(X, Y)
    monkeypatch.setattr(module, "_ENTRIES", entries)
    blocks = list(ks.parse(COMPOSITE).gram_blocks(X, Y))
    size = max(1, entries // 7)
    assert [part for part, _ in blocks] == [slice(i, min(i + size, 23)) for i in range(0, 23, size)]
    assert all(block.size <= max(entries, 7) for _, block in blocks)
    np.testing.assert_allclose(np.concatenate([block for _, block in blocks]), whole, rtol=1e-13)


def test_blocks_hold_about_a_million_entries() -> None:
    rows = np.zeros((3000, 1))
    sizes = [block.size for _, block in ks.parse("gaussian()").gram_blocks(rows)]
    assert sum(sizes) == 9_000_000
    assert max(sizes) <= 2**20


def test_sparse_rows() -> None:
    dense = np.where(RNG.random((20, 3)) < 0.5, 0, X[:20])
    np.testing.assert_allclose(ks.parse(COMPOSITE).gram(csr_array(dense), Y), ks.parse(COMPOSITE).gram(dense, Y))
    np.testing.assert_allclose(ks.parse(COMPOSITE).gram(dense, csr_array(Y)), ks.parse(COMPOSITE).gram(dense, Y))
    match = ks.parse("match()[0] * gaussian()[1]")
    np.testing.assert_array_equal(match.gram(csr_array(dense)), match.gram(dense))


def test_single_precision_rows_are_computed_in_double() -> None:
    single = X.astype(np.float32)
    found = ks.parse(COMPOSITE).gram(single)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, ks.parse(COMPOSITE).gram(single.astype(np.float64)))


def test_lists_integers_and_booleans() -> None:
    np.testing.assert_allclose(ks.parse("laplace()").gram([[0, 1], [2, 1]])[0, 1], np.exp(-2))
    np.testing.assert_allclose(ks.parse("laplace()").gram(np.array([[True], [False]]))[0, 1], np.exp(-1))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_mixed_tables(frame: type) -> None:
    table = frame({"city": ["ulm", "bonn", "ulm"], "age": [1.0, 2.0, 4.0], "floor": [1, 1, 2]})
    spec = ks.parse("2*gaussian()[age]*match()[city] + match()[floor]")
    same = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    ages = np.subtract.outer([1, 2, 4], [1, 2, 4])
    floors = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(spec.gram(table), 2 * np.exp(-(ages**2) / 2) * same + floors)
    np.testing.assert_allclose(spec.gram(table[["floor", "city", "age"]]), spec.gram(table))


def test_columns_of_an_array_are_named_by_the_caller() -> None:
    found = ks.parse("gaussian()[b]").gram(X, columns=["a", "b", "c"])
    np.testing.assert_allclose(found, rbf_kernel(X[:, 1:2], gamma=0.5))


def test_large_offsets_do_not_cancel() -> None:
    shifted = X + 1e8
    expected = np.exp(-(((shifted[:, None] - shifted[None]) ** 2).sum(-1)) / 2)
    np.testing.assert_allclose(ks.parse("gaussian()").gram(shifted), expected, rtol=1e-12)


@pytest.mark.parametrize("data", [np.zeros(3), [1.0, 2.0], 5.0, np.zeros((2, 2, 2))])
def test_a_table_has_two_dimensions(data: object) -> None:
    with pytest.raises(DataError, match="Expected 2D array"):
        ks.parse("gaussian()").gram(data)


def test_widths_and_empty_tables() -> None:
    with pytest.raises(DataError, match="2 features"):
        ks.parse("gaussian()").gram(X, Y[:, :2])
    with pytest.raises(DataError, match=r"0 sample\(s\)"):
        ks.parse("gaussian()").gram(X[:0])
    with pytest.raises(DataError, match="NaN in row 1, column 0"):
        ks.parse("gaussian()").gram(np.array([[1.0], [np.nan]]))
    with pytest.raises(DimensionError, match="at least one column"):
        ks.parse("gaussian()").gram(np.zeros((3, 1)), columns=[])


def test_values_that_overflow_are_refused_with_the_rows() -> None:
    with pytest.raises(DataError, match=r"k\(x, y\) overflows for rows 1 and 0 \(rows count from 0\): divide"):
        ks.parse("tilt(laplace(), by=1e9)").gram([[1.0], [3.0]], [[2.0]])


def test_types_of_columns_are_said_as_for_a_map() -> None:
    spec = ks.parse("match()[plan] * gaussian()[age]")
    numbers = pd.DataFrame({"plan": [1, 2, 1], "age": [0.5, 0.1, 0.5]})
    words = numbers.assign(plan=["1", "2", "1"])
    assert spec.gram(numbers, words)[0, 0] == 0.0
    np.testing.assert_array_equal(spec.gram(words, text=["plan"]), spec.gram(numbers))
    np.testing.assert_array_equal(spec.gram(words, text=[0]), spec.gram(words))
    for single in ("plan", 0):
        with pytest.raises(DataError, match="text must be a list of columns"):
            spec.gram(words, text=single)
    with pytest.raises(DataError, match=r"text"):
        spec.gram(numbers, words, text=["plan"])
    with pytest.raises(DataError, match="text= names column 'age', but the kernel uses it as a number"):
        spec.gram(words, text=["age"])


def test_missing_values_as_a_category() -> None:
    spec = ks.parse("match()")
    frame = pd.DataFrame({"city": ["x", None, "y", None]})
    with pytest.raises(DataError, match="no category in row 1"):
        spec.gram(frame)
    expected = [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1]]
    np.testing.assert_array_equal(spec.gram(frame, missing="category"), expected)
    blocks = [block for _, block in spec.gram_blocks(frame, missing="category")]
    np.testing.assert_array_equal(np.concatenate(blocks), expected)


def test_columns_by_name_are_the_symbols() -> None:
    facts = ks.analyze('gaussian()[age]*laplace()["net income"]')
    names = {symbol.name for symbol in facts.kernel.free_symbols}
    assert names == {"x_age", "y_age", "x_net income", "y_net income"}


def test_free_parameters_stay_in_the_answers() -> None:
    facts = ks.analyze("param s > 0\nparam w > 0\nw*laplace(scale=s) + gaussian(scale=s)", dim=1)
    s, w = sympy.symbols("s w", positive=True)
    assert facts.k0 == w + 1
    assert facts.masses.total_variation == w + 1
    assert {s, w} <= facts.variance["paired"].free_symbols
    assert {s, w} <= facts.spectral_density.free_symbols
    with pytest.raises(ParameterError):
        facts.spectral_density_at([[0.0]])


TEXTS = [
    "gaussian()", "laplace()", "exponential()", "matern(3/2)", "cauchy()", "rational_quadratic(2)",
    "powered_exponential(1)", "triangle()", "sinc()", "cosine(1)", "periodic(2)", "polya(gamma(3))",
    "bochner(student_t(3))", "shift_gaussian(by=1)", "sinh_gaussian(by=1)", "cosh_gaussian(by=1)", "minmax()",
    "rbf_cosine()", "linear()", "sphere()", "circle()", "binary()", "match()", "noise()", "constant()",
    "product(t -> 1/(1 + t))", "radial(r -> tanh(r)/r)",
    "normalize(linear())", "0.5*gaussian() + laplace()", "gaussian()*match()", "match()**3",
    "gaussian()[0]*laplace()[1]",
    "stretch(gaussian(), [[1, 2], [0, 1]])", "shift(laplace(), by=1)", "tilt(cauchy(), by=1)", "dual(relu, circle())",
    "additive(gaussian(), order=2)", "brownian(until=2)", "gibbs(t -> 1 + t**2)", "sho(1, 2)",
    "gneiting(space=gaussian()[0], time=1)",
    "dual(relu, circle(), max_degree=3)", "dual(relu, sphere())", "full(relu, input=image(1, 2, 1))",
]  # fmt: skip


def widths(text: str) -> Iterator[int]:
    for dim in (1, 2):
        try:
            ks.parse(text).kernel(Columns(dim))
        except ks.KernelspecError:
            continue
        yield dim


def every_node() -> list[Kernel]:
    """One node of every class at least, on one column and on two."""
    found: dict[Any, Kernel] = {}
    for text in TEXTS:
        for dim in widths(text):
            whole = ks.parse(text).kernel(Columns(dim))
            for node in whole.parts():
                found.setdefault((type(node), node.dim), node)
    return list(found.values())


def classes() -> set[type[Kernel]]:
    for room in pkgutil.walk_packages(kernelspec.kernels.__path__, "kernelspec.kernels."):
        importlib.import_module(room.name)
    found, pending = set(), [Kernel]
    while pending:
        below = [cls for cls in pending.pop().__subclasses__() if cls.__module__.startswith("kernelspec.")]
        pending += below
        found |= {cls for cls in below if not inspect.isabstract(cls)}
    return found


NODES = every_node()


def lag(node: Kernel) -> list[Any]:
    return [sympy.Rational(1, 3)] * int(node.dim)


RECURSIONS: dict[str, Callable[[Kernel], Any]] = {
    "complexity": complexity,
    "norm_bound": norm_bound,
    "constant_share": constant_share,
    "dual_nodes": dual_nodes,
    "skeletons_in": skeletons_in,
    "height": lambda node: height(node, lag(node)),
    "verdict": lambda node: node.verdict(),
    "layout_of": lambda node: layout_of(node, Columns(int(node.dim))),
    "finite_features": finite_features,
    "laws_of": laws_of,
    "schemes_of": schemes_of,
    "terms_of": terms_of,
    "derivatives": derivatives,
    "measured": lambda node: measured(node, NumericPairs.of_vectors(np.ones((2, int(node.dim))))),
    "transposed": lambda node: node.transposed(),
}


def test_every_class_has_a_node() -> None:
    met = {type(node) for node in NODES}
    # the base of the inner products, a let in a formula, what elaboration lowers, what a later version will have
    assert {cls.__name__ for cls in classes() - met} <= {"InnerProduct", "Named", "PullBack", "Unavailable"}
    assert {load_kernel(name) for name in KERNELS} <= met


@pytest.mark.parametrize("name", list(RECURSIONS))
def test_every_recursion_has_a_rule_for_every_node(name: str) -> None:
    for node in NODES:
        RECURSIONS[name](node)


@pytest.mark.parametrize(
    "name",
    ["complexity", "norm_bound", "constant_share", "height", "finite_features", "laws_of", "measured", "derivatives"],
)
def test_an_unknown_node_is_refused(name: str) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Unknown(Kernel):
        """A kernel that nobody registered."""

        def value(self, pairs: Any) -> Any:
            return 1

        def diagonal(self) -> Any:
            return 1

        def magnitude(self) -> Any:
            return 1

        def verdict(self) -> Verdict:
            return Verdict("proved", ())

        @property
        def is_stationary(self) -> bool:
            return True

    node = Unknown(dim=1)
    with pytest.raises(TypeError, match=r"no (rule|law) for .*Unknown"):
        RECURSIONS[name](node)
    with pytest.raises(TypeError, match=r"no (rule|law) for .*Unknown"):
        RECURSIONS[name](Sum(terms=(node, Constant(dim=1)), weights=(1.0, 2.0), dim=1))
