"""Tests of `exchange/to_libraries.py`: with the libraries' classes, or classes of the same names that hold the numbers.

`from_…`, which is tested against formulas and the real libraries, reads back what `to_…` makes.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import kernelspec as ks
from kernelspec.elaboration.names_elsewhere import CLASSES, kernel_here
from kernelspec.exchange.from_libraries import LIBRARIES, Counterpart
from kernelspec.loading import has_package
from tests.strategies.cases import Case, cases

GENERATOR = np.random.default_rng(5)
X, Y = GENERATOR.standard_normal((7, 3)), GENERATOR.standard_normal((5, 3))
TIMES = np.sort(GENERATOR.uniform(0, 10, (9, 1)), axis=0)


# -- classes that hold numbers -----------------------------------------------------------------------------------------


class Holder:
    """Attributes, and the parts of a kernel under the name of its library."""

    active_dims: Any = None
    variance: Any = 1.0

    def __init__(self, *parts: Any, **attributes: Any) -> None:
        vars(self).update(attributes)
        if type(self).__name__ == "ScaleKernel":
            (self.base_kernel,) = parts
            self.active_dims = self.base_kernel.active_dims
        elif type(self).__name__ == "TermProduct":
            self.term1, self.term2 = parts
        elif parts:
            self.kernels = self.terms = parts[0] if isinstance(parts[0], list) else parts

    def double(self) -> Holder:
        return self

    def initialize(self, **attributes: Any) -> Holder:
        vars(self).update(attributes)
        return self

    def get_coefficients(self) -> list[np.ndarray]:
        """As a Matern32Term has, if it is one: a small a, a large b."""
        a, b = np.array([1.0]), np.array([1e9 if type(self).__name__ == "Matern32Term" else 0.0])
        return [a, a, a, b, a, a]


class Assigned:
    """A parameter that is set after its class is made."""

    def assign(self, value: np.ndarray) -> None:
        self.value = value

    def numpy(self) -> np.ndarray:
        return self.value


class Coregion(Holder):
    """Its parameters are not arguments of the class."""

    def __init__(self, *, output_dim: int, rank: int) -> None:
        super().__init__(output_dim=output_dim, rank=rank, W=Assigned(), kappa=Assigned())


def held(names: list[str]) -> SimpleNamespace:
    """A module of classes of these names."""
    found = {name: type(name, (Coregion if name == "Coregion" else Holder,), {}) for name in names}
    return SimpleNamespace(**found)


@pytest.fixture(autouse=True)
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules of the libraries' names, with classes of the names in the table."""
    for library, part in (("GPyTorch", "kernels"), ("GPflow", "kernels"), ("celerite2", "terms")):
        module = ModuleType(library.lower())
        vars(module)[part] = held(list(LIBRARIES[library]))
        monkeypatch.setitem(sys.modules, library.lower(), module)
    torch = ModuleType("torch")
    vars(torch)["tensor"] = np.array
    monkeypatch.setitem(sys.modules, "torch", torch)


BOTH: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "GPyTorch": (ks.to_gpytorch, ks.from_gpytorch),
    "GPflow": (ks.to_gpflow, ks.from_gpflow),
}

# -- both ways ---------------------------------------------------------------------------------------------------------

TEXTS = [
    "gaussian(scale=0.7)",
    "stretch(gaussian(), [1, 2, 3])",
    "stretch(matern(nu=3/2), [1, 2, 3])[1, 2, 0]",
    "matern(nu=5/2, scale=2)",
    "exponential(scale=2)",
    "laplace(scale=2)",
    "cauchy(scale=2)",
    "stretch(rational_quadratic(alpha=0.7), [1, 2, 0.5])",
    "periodic(period=2, scale=0.7)",
    "stretch(periodic(period=2, scale=0.7), [1, 2, 3])",
    "cosine(by=-2)[1]",
    "circle()[2]",
    "2*linear()[0, 2]",
    "3*constant()",
    "polynomial(3, 0.5)",
    "(2*linear() + 0.5*constant())**2",
    "2*gaussian()[0] + 0.5*matern(nu=3/2)[2, 1]",
    "gaussian()[0]*(laplace()[1] + 2*linear()[2])",
    "3*(gaussian() + linear())*periodic(period=2)",
    "stretch(gaussian()[0] + laplace()[1], 2)",
    "gaussian()**3 + matern(nu=3/2)**2",
    "each(2*gaussian(scale=2))",
    "additive(matern(nu=5/2), order=2)",
    "additive(gaussian(), order=d)",
    "powered_exponential(alpha=1) + powered_exponential(alpha=2, scale=2)",
    "spectral_mixture([0.5, 0.7], [1, 2], [0.3, 0.4])[0]",
    "radial(r -> exp(-r/3))",
    "mean(gaussian(), laplace()[0])",
]
OF_ONE = {
    "GPyTorch": [
        "triangle(width=4)",
        "wendland(order=0, scale=4)",
        "stretch(wendland(order=1), [4, 5, 6])",
        "product(t -> max(0, 1 - t/4))",
    ],
    "GPflow": [
        "cosine(by=[1, 2, 3])",
        "changepoint(gaussian()[1]*matern(nu=3/2)[1], 2*constant() + linear()[1], on=1, at=-0.5, width=1/3)",
        "changepoint(gaussian()[0], 2*constant(), on=0, at=0.5, width=1/3) + 3*gaussian()[1]",
        "gaussian() + 0.1*noise()",
    ],
}


@pytest.mark.parametrize(
    ("library", "text"),
    [(library, text) for library, texts in OF_ONE.items() for text in [*TEXTS, *texts]],
)
def test_a_kernel_comes_back(library: str, text: str) -> None:
    there, back = BOTH[library]
    spec = ks.parse(text)
    found = back(there(spec, dim=3), dim=3)
    for other in (None, Y):
        np.testing.assert_allclose(found.gram(X, other), spec.gram(X, other), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("library", BOTH)
@pytest.mark.parametrize("matrix", ["[1, 1/2, 0], [1/2, 1, 1/2], [0, 1/2, 1]", "[1, 1, 1], [1, 1, 1], [1, 1, 1]"])
def test_categories_come_back(library: str, matrix: str) -> None:
    there, back = BOTH[library]
    spec = ks.parse(f"3*levels([2, 0, 1], [{matrix}])[1]*gaussian()[0]")
    rows = X.copy()
    rows[:, 1] = [0, 2, 1, 1, 0, 2, 2]
    np.testing.assert_allclose(back(there(spec, dim=3)).gram(rows), spec.gram(rows), rtol=1e-12, atol=1e-13)


@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(case=cases(max_depth=2))
def test_random_specs_come_back_or_are_refused(case: Case) -> None:
    spec = ks.parse(case.text)
    for there, back in BOTH.values():
        try:
            found = there(spec, dim=10, noise=False)
        except ks.NoCounterpartError:
            continue
        np.testing.assert_allclose(
            back(found, dim=10).gram(case.rows, case.rows), spec.gram(case.rows, case.rows), rtol=1e-10, atol=1e-12
        )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("exponential(scale=2)", ["RealTerm"]),
        ("2*laplace() + 3*constant()", ["RealTerm", "RealTerm"]),
        ("polya(gamma(shape=2))", ["RealTerm"]),
        ("matern(nu=1/2)", ["RealTerm"]),
        ("0.5*matern(nu=3/2, scale=2)", ["Matern32Term"]),
        ("2*sho(frequency=2, quality=3)", ["SHOTerm"]),
        ("stretch(sho(frequency=2, quality=0.3), 2)", ["SHOTerm"]),
        ("cosine(by=-2)", ["ComplexTerm"]),
        ("2*exponential(scale=2)*cosine(by=3)", ["ComplexTerm"]),
        ("modulate(exponential(), by=2) - 0.1*exponential(scale=3)", ["ComplexTerm", "RealTerm"]),
        ("stretch(exponential()*cosine(by=3), 2)", ["ComplexTerm"]),
        ("exponential()**2", ["RealTerm"]),
        ("product(t -> exp(-0.3*t)*(cos(2*t) + 0.1*sin(2*t)))", ["ComplexTerm"]),
        ("radial(r -> exp(-r)*cos(r))", ["ComplexTerm"]),
        ("matern(nu=3/2)*cosine(by=3)", ["TermProduct"]),
        ("-0.1*sho(frequency=2, quality=3) + laplace()", ["TermProduct", "RealTerm"]),
        ("exponential()[t]", ["RealTerm"]),
    ],
)
def test_exponentials_times_cosines(text: str, names: list[str]) -> None:
    spec = ks.parse(text)
    term = ks.to_celerite2(spec)
    assert [type(own).__name__ for own in getattr(term, "terms", [term])] == names
    columns = ["t"] if "[t]" in text else None
    expected = spec.gram(TIMES, columns=columns)
    np.testing.assert_allclose(ks.from_celerite2(term).gram(TIMES), expected, rtol=1e-12, atol=1e-14)


# -- numbers of the classes --------------------------------------------------------------------------------------------


def test_classes_and_numbers_of_gpytorch() -> None:
    kernel = ks.to_gpytorch("2*stretch(matern(nu=5/2), [1, 3])[2, 0]", dim=3)
    base = kernel.base_kernel
    assert (type(kernel).__name__, type(base).__name__) == ("ScaleKernel", "MaternKernel")
    assert (float(kernel.outputscale), base.nu, base.active_dims, base.ard_num_dims) == (2, 2.5, [2, 0], 2)
    np.testing.assert_allclose(base.lengthscale, [1, 3])
    # a length for all columns is one parameter, and a kernel on all columns selects none
    plain = ks.to_gpytorch("gaussian(scale=2)", dim=3)
    assert (plain.active_dims, plain.lengthscale.tolist(), hasattr(plain, "ard_num_dims")) == (None, [2], False)
    # GPyTorch divides by ℓ, where here it is ℓ²
    assert ks.to_gpytorch("periodic(period=2, scale=3)", dim=1).lengthscale.tolist() == [9]
    cubed = ks.to_gpytorch("matern(nu=3/2)**3", dim=1)
    assert len(set(map(id, cubed.kernels))) == 1  # a power has the parameters of its base


def test_classes_and_numbers_of_gpflow() -> None:
    kernel = ks.to_gpflow("2*exponential(scale=3)[1]", dim=2)
    assert (type(kernel).__name__, kernel.variance, kernel.lengthscales) == ("Exponential", 2, 1.5)
    assert kernel.active_dims == [1]
    wave = ks.to_gpflow("2*periodic(period=3, scale=5)", dim=1)
    assert (wave.period, wave.base_kernel.variance, wave.base_kernel.lengthscales) == (3, 2, 2.5)
    switch = ks.to_gpflow("changepoint(gaussian()[:], constant(), on=0, at=2, width=1/4)", dim=1)
    assert (switch.locations, switch.steepness, len(switch.kernels)) == ([2], 4, 2)


def test_numbers_of_celerite2_keep_rounding_small() -> None:
    # the error of a wave ε in place of t is (ε/c)², and celerite2's solver divides its rounding by ε/c
    term = ks.to_celerite2("4*matern(nu=3/2, scale=2)")
    assert (term.sigma, term.rho) == (2, 2)
    assert 1e-6 < term.eps / (math.sqrt(3) / 2) < 1e-5
    assert ks.to_celerite2("sho(frequency=2, quality=1/2)").eps < 1e-10


def test_parameters_have_their_values() -> None:
    spec = ks.parse("param s = 2\ngaussian(scale=s)").with_params({"s": 5})
    assert ks.to_gpytorch(spec, dim=1).lengthscale.tolist() == [5]
    with pytest.raises(ks.ParameterError, match="'s'"):
        ks.to_gpytorch("param s > 0\ngaussian(scale=s)", dim=1)


# -- noise, columns, refusals ------------------------------------------------------------------------------------------


def test_observation_noise() -> None:
    spec = ks.parse("gaussian() + 0.1*noise()")
    white = ks.to_gpflow(spec, dim=3).kernels[-1]
    assert (type(white).__name__, white.variance, white.active_dims) == ("White", 0.1, None)
    assert type(ks.to_gpflow(spec, dim=3, noise=False)).__name__ == "SquaredExponential"
    with pytest.raises(ks.NoCounterpartError, match=r"likelihood\.noise = 0\.1.*pass noise=False"):
        ks.to_gpytorch(spec, dim=3)
    assert type(ks.to_gpytorch(spec, dim=3, noise=False)).__name__ == "RBFKernel"
    with pytest.raises(ks.NoCounterpartError, match=r"compute\(t, diag=0\.1\).*pass noise=False"):
        ks.to_celerite2("laplace() + 0.1*noise()")
    assert type(ks.to_celerite2("laplace() + 0.1*noise()", noise=False)).__name__ == "RealTerm"


@pytest.mark.parametrize("there", [ks.to_gpytorch, ks.to_gpflow])
def test_columns(there: Callable[..., Any]) -> None:
    spec = ks.parse("gaussian()[income] + laplace()[age]")
    kernel = there(spec, columns=["age", "income"])
    assert [own.active_dims for own in kernel.kernels] == [[1], [0]]
    with pytest.raises(ks.DimensionError, match=r"set columns=, as in columns=\['income', 'age'\]"):
        there(spec)
    with pytest.raises(ks.DimensionError, match="set dim= or columns="):
        there("gaussian()")
    assert there("gaussian()[age]").active_dims is None
    with pytest.raises(ks.NoCounterpartError, match="the spec reads income, age"):
        ks.to_celerite2(spec)


@pytest.mark.parametrize(
    ("text", "part", "reason"),
    [
        ("2*gaussian() + minmax()[0, 1]", "minmax()", r"sums and products of constant\(\), cosine\(\), "),
        ("gaussian() - 0.5*gaussian(scale=3)", "gaussian(scale=3)", "it is subtracted, and weights there are positive"),
        ("matern(nu=7/2)", "matern(nu=7/2)", "nu is 1/2"),
        ("gaussian()*noise()", "noise()", r"noise\(\) has no counterpart"),
        ("stretch(gaussian(), [[1, 2, 0], [0, 1, 0], [0, 0, 1]])", "stretch(", "has no counterpart"),
        ("laplace()[log(column(0)**2)]", "laplace()", r"it reads log\(column\(0\)\*\*2\): make that a column"),
        ("levels(['a', 'b'], [[1, 0.5], [0.5, 1]])[1]", "levels(", "categories there are 0, 1, …, and not 'a', 'b'"),
        ("cosine(by=[1, -1, 0])", "cosine(", "has no counterpart"),
        ("wendland(order=2)", "wendland(order=2)", "has no counterpart"),
        ("gaussian() - gaussian()", "gaussian() - gaussian()", "it is 0"),
        ("changepoint(gaussian()[1], constant(), on=0, at=0, width=1)", "", "has no counterpart"),
        ("shift(laplace(), by=1)", "shift(", "has no counterpart"),
        ("dual(relu, sphere())", "dual(", "has no counterpart"),
    ],
)
@pytest.mark.parametrize("library", BOTH)
def test_what_has_no_counterpart(library: str, text: str, part: str, reason: str) -> None:
    with pytest.raises(ks.NoCounterpartError, match=reason) as caught:
        BOTH[library][0](text, dim=3)
    place, line, carets = str(caught.value).splitlines()
    assert place.startswith("<spec>:1:")
    assert line.strip() == text
    start = carets.index("^")
    assert line[start:].startswith(part)


def test_sums_over_many_sets_of_columns_are_not_written_out() -> None:
    with pytest.raises(ks.NoCounterpartError, match="it has 495 sets of columns, and up to 64 are written out"):
        ks.to_gpflow("additive(gaussian(), order=4)", dim=12)


def test_what_is_no_sum_of_exponentials() -> None:
    for text, reason in (
        ("gaussian()", "exponentials times cosines"),
        ("matern(nu=5/2)", "nu is 1/2 or 3/2"),
        ("matern(nu=3/2)**2", r"not t² e\^\{−ct\}"),
        ("matern(nu=3/2)*matern(nu=3/2, scale=2)", r"not t² e\^\{−ct\}"),
        ("triangle()", "exponentials times cosines"),
        ("brownian(until=3)", "exponentials times cosines"),
        ("exponential()[log(t)]", r"it reads log\(t\)"),
        ("minmax()", "exponentials times cosines"),
    ):
        with pytest.raises(ks.NoCounterpartError, match=reason):
            ks.to_celerite2(text)


def test_a_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpytorch", None)
    has_package.cache_clear()
    with pytest.raises(ks.MissingPackageError, match="need the package gpytorch, which is not installed: pip install"):
        ks.to_gpytorch("gaussian()", dim=1)
    has_package.cache_clear()


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_class_has_its_hint(library: str) -> None:
    """Hints, importers and exporters have the same classes; what a class goes out as is in its hint."""
    assert {*CLASSES[library]} == {*LIBRARIES[library]}
    for name, rule in LIBRARIES[library].items():
        said = kernel_here(name)
        assert said, f"{library}: {name}"
        if isinstance(rule, Counterpart) and name != "RealTerm":  # constant() as one without decay
            assert any(f"{own}(" in said for own in rule.written), f"{library}: {name}: {said}"


@pytest.mark.parametrize(
    ("read", "name", "attributes"),
    [
        (ks.from_sklearn, "RBF", {"length_scale": 2.0}),
        (ks.from_sklearn, "Matern", {"length_scale": 2.0, "nu": 1.5}),
        (ks.from_sklearn, "RationalQuadratic", {"length_scale": 2.0, "alpha": 1.5}),
        (ks.from_sklearn, "ConstantKernel", {"constant_value": 3.0}),
        (ks.from_gpytorch, "RBFKernel", {"lengthscale": 2.0}),
        (ks.from_gpytorch, "MaternKernel", {"lengthscale": 2.0, "nu": 2.5}),
        (ks.from_gpytorch, "RQKernel", {"lengthscale": 2.0, "alpha": 1.5}),
        (ks.from_gpflow, "SquaredExponential", {"lengthscales": 2.0, "variance": 3.0}),
        (ks.from_gpflow, "Matern12", {"lengthscales": 2.0, "variance": 3.0}),
        (ks.from_gpflow, "Matern52", {"lengthscales": 2.0, "variance": 3.0}),
        (ks.from_gpflow, "RationalQuadratic", {"lengthscales": 2.0, "variance": 3.0, "alpha": 1.5}),
        (ks.from_celerite2, "RealTerm", {"a": 3.0, "c": 0.5}),
    ],
)
def test_hints_have_the_numbers_that_importers_read(read: Any, name: str, attributes: dict[str, float]) -> None:
    """What the message on `RBF(length_scale=2)` says to write is what from_… makes of that object."""
    text = f"{name}({', '.join(f'{key}={value}' for key, value in attributes.items())})"
    with pytest.raises(ks.SpecError) as refused:
        ks.parse(text)
    (written,) = re.findall(r" is ((?:[\d.]+\*)?[a-z_]+\([^()]*\))", str(refused.value).partition(";")[2])
    made = read(type(name, (Holder,), {})(**attributes))
    np.testing.assert_allclose(ks.parse(written).gram(TIMES), made.gram(TIMES), rtol=1e-14)
