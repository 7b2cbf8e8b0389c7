"""Tests of `activations/activation.py`."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.activations.activation import LARGEST_DEGREE, Activation, load_activation
from kernelspec.activations.analytic import Exp, Gaussian
from kernelspec.activations.polynomials import Polynomial
from kernelspec.activations.rectifiers import Relu
from kernelspec.catalogue import ACTIVATIONS
from kernelspec.errors import RangeError, UnknownNameError
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.loading import Source, Span
from kernelspec.random.streams import Stream
from tests.activations.standard import standard_activation_tests


@dataclass(frozen=True, kw_only=True)
class Geometric(Activation):
    """Σ (1 − q) q^l ρ^l with every degree drawn by one logarithm; what σ is does not matter here."""

    name: ClassVar[str] = "geometric"
    formula: ClassVar[str] = "none"
    reference: ClassVar[str] = "none"
    diverges_at_radius: ClassVar[bool] = True

    q: Scalar = real(0.5, above=0, at_most=1)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def series(self, x: np.ndarray) -> np.ndarray:
        return (1 - self.q) / (1 - self.q * x)

    def dual_expression(self, rho: Any) -> Any:
        return (1 - self.q) / (1 - self.q * rho)

    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        return (1 - self.q) * self.q**degree

    def derivative_at_one(self) -> Scalar:
        return self.q / (1 - self.q)

    def mean_degree(self, weight: float = 1.0) -> float:
        return self.q * weight / (1 - self.q * weight)

    def radius(self) -> Scalar:
        return 1 / self.q

    def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
        return np.floor(np.log(stream.uniforms("degrees", (n,))) / np.log(self.q * weight))


def test_arguments_that_are_rounded_count_as_the_ends() -> None:
    law = Geometric()
    assert law.dual(np.array([1 + 1e-12, 1.0])).tolist() == [1, 1]
    assert np.isnan(law.dual(np.array([1 + 1e-8, -1.1, np.nan, np.inf]))).all()
    np.testing.assert_allclose(law.dual_at(np.array([1.5, -1.9])), [2, 1 / 3.9], rtol=1e-14)
    assert np.isnan(law.dual_at(np.array([2.1, -2.1]))).all()
    assert law.dual_absolute(np.array([1.5, 2.0, 2.0 + 1e-12, 3.0, np.inf])).tolist() == [2, *[np.inf] * 4]
    assert np.isnan(law.dual_absolute(np.array(np.nan)))
    assert np.isnan(law.dual_at(np.array([2.0, -2.0]))).all()
    assert Geometric(q=1.0).dual_at(np.array(0.5)) == 0  # a radius of one is within the interval of every kernel


def test_rounding_never_leaves_the_interval() -> None:
    class Rounded(Geometric):
        def series(self, x: np.ndarray) -> np.ndarray:
            return np.sign(x) * (1 + 4e-16)

    assert Rounded().dual(np.array([1.0, -1.0])).tolist() == [1, -1]


def test_huge_degrees_are_cut() -> None:
    flat = Geometric(q=1 - 2.0**-52)
    drawn = flat.draw_degrees(Stream(1), 4)
    assert drawn.dtype == np.int64
    assert (drawn > 2**45).all()
    assert LARGEST_DEGREE == 2**62

    @dataclass(frozen=True, kw_only=True)
    class Endless(Geometric):
        def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
            return np.full(n, 1e300)

    assert (Endless().draw_degrees(Stream(1), 3) == 2**62).all()


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf, 2.0, 2.5])
def test_weights_without_a_law(weight: float) -> None:
    with pytest.raises(RangeError, match=r"geometric\(q=0.5\) has no law of degrees at the weight .* m < 2"):
        Geometric().draw_degrees(Stream(1), 3, weight)


def test_the_law_exists_where_its_normalisation_overflows() -> None:
    assert float(Exp(c=1e3).dual_absolute(np.array(3.0))) == np.inf
    drawn = Exp(c=1e3).draw_degrees(Stream(1), 1000, weight=3.0)
    assert drawn.mean() == pytest.approx(3000, abs=6 * np.sqrt(3))


def test_the_law_at_a_weight() -> None:
    degrees = np.arange(200)
    np.testing.assert_allclose(Geometric().law(degrees, 1.6), 0.2 * 0.8**degrees, rtol=1e-12)
    np.testing.assert_array_equal(Geometric().law(degrees), Geometric().coefficient(degrees))
    # where neither Σ a_l m^l nor its terms are floats: Poisson numbers of mean 9000
    law = Exp(c=1e4).law(np.array([8950.0, 9000.0, 9100.0]), 0.9)
    np.testing.assert_allclose(law, scipy.stats.poisson(9000).pmf([8950, 9000, 9100]), rtol=1e-10)


def test_shown_with_its_arguments_as_a_spec_would_have_them() -> None:
    a = sympy.Symbol("a", positive=True)
    assert str(Relu()) == "relu"
    assert str(Gaussian(a=0.5)) == "gaussian(a=0.5)"
    assert str(Gaussian(a=a / 3)) == "gaussian(a=a/3)"
    assert str(Polynomial(coefficients=(1.0, 0.25))) == "polynomial(coefficients=[1, 0.25])"


def test_an_activation_is_its_arguments_and_not_its_place() -> None:
    placed = Gaussian(a=2.0, span=Span(Source("somewhere"), 0, 4))
    assert placed == Gaussian(a=2.0)
    assert hash(placed) == hash(Gaussian(a=2.0))
    assert "span" not in repr(placed)
    assert Gaussian(a=2.5) != placed
    with pytest.raises(FrozenInstanceError):
        placed.span = None  # type: ignore[misc]


def test_the_whole_contract_is_kept_or_none() -> None:
    for method in Activation.__abstractmethods__:
        partial = type("Partial", (Geometric,), {method: getattr(Activation, method)})
        with pytest.raises(TypeError, match=f"abstract method '?{method}"):
            partial()


def test_the_standard_tests_can_fail() -> None:
    test = standard_activation_tests([])
    parameters = {mark.args[0]: mark.args[1] for mark in test.pytestmark}["check"]
    checks = [parameter.values[0] for parameter in parameters]

    class Wrong(Relu):
        def series(self, x: np.ndarray) -> np.ndarray:
            return super().series(x) ** 1.001

        def coefficient(self, degree: np.ndarray) -> np.ndarray:
            return 1.001 * super().coefficient(degree)

        def derivative_at_one(self) -> Scalar:
            return 1.01

        def mean_degree(self, weight: float = 1.0) -> float:
            return np.inf

        def radius(self) -> Scalar:
            return 1.1

        def evaluate(self, x: np.ndarray) -> np.ndarray:
            return np.maximum(x, 0)

        def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
            return super().propose_degrees(stream, n, 1.02 * weight)[::-1]

    caught = set()
    for check in checks:
        try:
            check(Wrong(), lambda x: np.maximum(x, 0))
        except (AssertionError, RuntimeWarning, pytest.fail.Exception):
            caught.add(check.__name__)
    harmless = {"symbols", "rounding", "deep_stack", "refused_weights"}
    assert caught >= {check.__name__ for check in checks} - harmless


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_entry(name: str) -> None:
    cls = load_activation(name)
    assert issubclass(cls, Activation)
    assert cls.name == name
    assert cls.formula
    assert cls.reference
    assert list(ACTIVATIONS) == sorted(ACTIVATIONS)


def test_unknown_name() -> None:
    with pytest.raises(UnknownNameError, match="no activation called 'tanh'; there are abs, cos"):
        load_activation("tanh")


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("abs", lambda stax: stax.Abs()),
        ("cos", lambda stax: stax.Cos()),
        ("erf", lambda stax: stax.Erf()),
        ("gelu", lambda stax: stax.Gelu()),
        ("relu", lambda stax: stax.Relu()),
        ("sin", lambda stax: stax.Sin()),
    ],
    ids=["abs", "cos", "erf", "gelu", "relu", "sin"],
)
def test_against_neural_tangents(name: str, theirs: object) -> None:
    """Passes with neural-tangents 0.6.5 on jax and jaxlib 0.4.30 and tf2jax 0.3.6, with NumPy 2.4.

    On jax 0.10.2 its imports fail: `jax.core` has no `Jaxpr` there. Then there is nothing to compare with.
    """
    stax = pytest.importorskip("neural_tangents", exc_type=ImportError).stax
    assert callable(theirs)
    _, _, kernel = stax.serial(stax.Dense(1, W_std=1.0, b_std=0.0), theirs(stax))
    angle = np.linspace(0, np.pi, 9)
    rows = np.sqrt(2) * np.stack([np.cos(angle), np.sin(angle)], axis=1)  # rows of mean square one
    found = np.asarray(kernel(rows, None, "nngp"))
    activation = load_activation(name)()
    np.testing.assert_allclose(found / found[0, 0], activation.dual(rows @ rows.T / 2), atol=1e-5)
