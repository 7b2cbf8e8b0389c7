"""What names stand for: parameters, lets, constants, and kernels that lack their parentheses."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.forms.form import FORMS
from kernelspec.errors import ParameterError, RangeError, TypeMismatchError
from kernelspec.kernels.leaf import KERNELS
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.sum import Sum

ONE = [[0.0], [1.0]]


@pytest.mark.parametrize("name", sorted({*KERNELS, *FORMS}))
def test_a_bare_kernel_name_says_how_to_write_it(name: str) -> None:
    with pytest.raises(TypeMismatchError) as caught:
        ks.parse(name)
    assert caught.value.message == f"'{name}' is a kernel: write {name}(…)"


def test_defaults_may_be_formulas_of_earlier_names() -> None:
    spec = ks.parse("param s = 2\nparam t = s**2\ngaussian(scale=t)")
    assert spec.params == {"s": 2.0, "t": None}
    assert spec.gram(ONE)[0, 1] == pytest.approx(np.exp(-1 / 32))
    assert spec.with_params({"s": 1}).gram(ONE)[0, 1] == pytest.approx(np.exp(-1 / 2))


def test_a_free_parameter_is_asked_for_where_it_is_used() -> None:
    spec = ks.parse("param s > 0\n2*gaussian(s)", name="churn.kernel")
    with pytest.raises(ParameterError) as caught:
        spec.gram([[0.0], [1.0]])
    assert str(caught.value).startswith("churn.kernel:2:12: error: parameter 's' has no value")


@pytest.mark.parametrize("text", ["cosine(ones)", "modulate(gaussian(), by=ones)", "cosine(2/d)"])
def test_a_constant_vector_needs_no_number_of_columns(text: str) -> None:
    assert ks.analyze(text).verdict.positive_definite == "proved"


def test_names_of_the_spec_come_before_the_constants() -> None:
    assert ks.parse("let pi = 2\ngaussian(pi)").gram(ONE)[0, 1] == pytest.approx(np.exp(-1 / 8))
    assert ks.parse("gaussian(pi)").gram(ONE)[0, 1] == pytest.approx(np.exp(-1 / (2 * np.pi**2)))


def crossed(depth: int) -> str:
    """Two chains of layers, each over both below: as a tree twice as large with every level."""
    lines = ["let a0 = gaussian()[0]", "let b0 = circle()[1]"]
    for i in range(1, depth + 1):
        lines += [f"let a{i} = layer(relu, a{i - 1}, b{i - 1})", f"let b{i} = layer(exp(c=1), b{i - 1}, a{i - 1})"]
    return "\n".join([*lines, f"layer(relu, a{depth}, b{depth})"])


def test_a_let_is_one_kernel_however_often_it_is_used() -> None:
    spec = ks.parse(crossed(3))
    kernel = spec.kernel(spec.columns(2))
    assert isinstance(kernel, Dual)
    assert isinstance(kernel.base, Sum)
    (a3, b3) = kernel.base.terms
    assert isinstance(a3, Dual)
    assert isinstance(b3, Dual)
    assert {id(term) for term in a3.base.terms} == {id(term) for term in b3.base.terms}  # type: ignore[attr-defined]


def test_a_graph_of_layers_takes_the_time_of_its_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    at = Dual._at
    monkeypatch.setattr(Dual, "_at", lambda self, rho: calls.append(1) or at(self, rho))
    X = np.random.default_rng(0).uniform(0, 1, (3, 2))
    found = ks.parse(crossed(9)).gram(X)
    # 2¹⁰ − 1 as a tree, and 19 nodes, each at most twice for the values and once for its size
    assert len(calls) <= 3 * 19
    a, b = np.exp(-0.5 * (X[:, None, 0] - X[:, 0]) ** 2), np.cos(X[:, None, 1] - X[:, 1])
    for _ in range(9):
        a, b = relu((a + b) / 2), np.exp((a + b) / 2 - 1)
    np.testing.assert_allclose(found, relu((a + b) / 2), rtol=1e-12)


def relu(rho: np.ndarray) -> np.ndarray:
    rho = np.clip(rho, -1, 1)
    return (np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))) / np.pi


def test_the_height_of_a_let_counts_at_every_use() -> None:
    chain = "\n".join(f"let a{i} = dual(relu, a{i - 1})" for i in range(1, 100))
    with pytest.raises(RangeError, match="nested more than 120 levels deep, counting through lets"):
        # met first where it is short of the limit, then where it is not
        ks.parse(f"let a0 = gaussian()\n{chain}\na99 + " + "dual(relu, " * 30 + "a99" + ")" * 30)
