"""The contract of a distribution, on the smallest law that keeps it: a fair coin on ±size."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
import sympy

from kernelspec.distributions.distribution import Distribution, Isotropic
from kernelspec.distributions.symmetric import Cauchy, Gaussian, Laplace, StudentT
from kernelspec.distributions.uniform import Uniform
from kernelspec.errors import NoDensityError
from kernelspec.expressions.arguments import Scalar, declared, real
from kernelspec.loading import Source, Span
from kernelspec.random.streams import Stream


@dataclass(frozen=True, kw_only=True)
class Coin(Distribution):
    name: ClassVar[str] = "coin"
    formula: ClassVar[str] = "½ δ(x − a) + ½ δ(x + a)"
    reference: ClassVar[str] = "none"

    size: Scalar = real(1, above=0)

    @property
    def is_symmetric(self) -> bool:
        return True

    def support(self) -> tuple[Scalar, Scalar]:
        return -self.size, self.size

    def mean(self) -> Scalar:
        return 0 * self.size

    def density(self, x: np.ndarray) -> np.ndarray:
        raise NoDensityError("a coin has atoms")

    def density_expression(self, x: Any) -> Any:
        return (sympy.DiracDelta(x - self.size) + sympy.DiracDelta(x + self.size)) / 2

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return self.size * stream.generator("side").choice([-1.0, 1.0], shape)


LAWS = [
    Coin(size=2.0),
    Cauchy(scale=2.0),
    Gaussian(scale=2.0),
    Laplace(scale=2.0),
    StudentT(dof=2.0, scale=1.0),
    StudentT(dof=5.0, scale=2.0),
    Uniform(low=-2.0, high=2.0),
]


def test_shown_with_its_arguments_as_a_spec_would_have_them() -> None:
    a, nu = sympy.symbols("a nu", positive=True)
    assert str(Coin(size=2.0)) == "coin(size=2)"
    assert str(Coin(size=0.1)) == "coin(size=0.1)"
    assert str(Coin(size=sympy.Rational(1, 3) * a)) == "coin(size=a/3)"
    assert str(StudentT(dof=nu, scale=1e-30)) == "student_t(dof=nu, scale=1e-30)"
    assert str(Uniform(low=-2.0, high=0.5)) == "uniform(low=-2, high=0.5)"


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_law_is_its_arguments_and_not_its_place(law: Distribution) -> None:
    arguments = {name: getattr(law, name) for name in declared(type(law))}
    placed = type(law)(**arguments, span=Span(Source("somewhere"), 0, 4))
    assert placed == law
    assert hash(placed) == hash(law)
    assert "span" not in repr(placed)
    changed = {name: value + 0.25 for name, value in arguments.items()}
    assert type(law)(**changed) != law
    with pytest.raises(FrozenInstanceError):
        law.span = None  # type: ignore[misc]


def test_a_law_keeps_the_whole_contract_or_is_none() -> None:
    for method in Distribution.__abstractmethods__:
        partial = type("Partial", (Coin,), {method: getattr(Distribution, method)})
        with pytest.raises(TypeError, match=f"abstract method '?{method}"):
            partial(size=1.0)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_parts_of_the_contract_agree(law: Distribution) -> None:
    low, high = (float(end) for end in law.support())
    drawn = law.draw(Stream(7), (999, 2))
    assert drawn.shape == (999, 2)
    assert ((low <= drawn) & (drawn <= high)).all()
    assert law.is_symmetric
    assert low == -high
    mean = float(law.mean())
    assert np.isnan(mean) or mean == 0
    if isinstance(law, Coin):
        with pytest.raises(NoDensityError):
            law.density(drawn)
    else:
        np.testing.assert_array_equal(law.density(-drawn), law.density(drawn))
        x = sympy.Symbol("x", real=True)
        written = law.density_expression(x).subs(x, sympy.Float(0.7, 30))
        assert float(written) == pytest.approx(float(law.density(np.array([0.7]))[0]), rel=1e-12)


@pytest.mark.parametrize("law", [law for law in LAWS if isinstance(law, Isotropic)], ids=str)
def test_the_characteristic_function_agrees_with_the_second_moment(law: Isotropic) -> None:
    t, step = np.linspace(0, 9, 200), 1e-3
    values = law.characteristic_function(t)
    assert values[0] == 1
    assert np.abs(values).max() <= 1
    np.testing.assert_array_equal(law.characteristic_function(-t), values)
    # E X² is minus the curvature of E cos tX at zero; where it is infinite, the quotient grows as the step falls
    curvature = 2 * (1 - law.characteristic_function(np.array([step, step / 10]))) / np.array([step, step / 10]) ** 2
    if np.isfinite(moment := float(law.second_moment())):
        assert curvature[0] == pytest.approx(moment, rel=1e-4)
    else:
        assert curvature[1] > 1.1 * curvature[0]
