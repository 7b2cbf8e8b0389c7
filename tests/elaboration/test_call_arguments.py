"""Tests of `elaboration/call_arguments.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING

import numpy as np
import pytest
from scipy.special import gamma, kv
from sklearn.gaussian_process import kernels as gaussian_process
from sklearn.metrics import pairwise

import kernelspec as ks
from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.forms.form import FORMS
from kernelspec.elaboration.names_elsewhere import NAMES
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import ArgumentError, SpecError, UnknownNameError
from kernelspec.expressions.arguments import declared
from kernelspec.kernels.leaf import load_kernel


def leaf(text: str) -> object:
    return ks.parse(text).kernel(Columns(2))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("matern(3/2, 2)", "matern(nu=3/2, scale=2)"),
        ("matern(scale=2, nu=3/2)", "matern(3/2, 2)"),
        ("matern(1.5)", "matern(nu=1.5, scale=1)"),
        ("periodic(2)", "periodic(period=2, scale=1)"),
        ("bochner(student_t(3))", "bochner(distribution=student_t(dof=3), isotropic=false)"),
        ("cosine(2)", "cosine(by=[2, 2])"),
    ],
)
def test_positions_names_defaults(text: str, same: str) -> None:
    assert leaf(text) == leaf(same)


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_every_kernel_says_which_argument_is_missing(name: str) -> None:
    arguments = declared(load_kernel(name)).items()
    missing = [argument for argument, (own, default) in arguments if default is MISSING and not own.from_data]
    if any(own.from_data for _, (own, _) in arguments):
        with pytest.raises(ks.ParameterError, match=rf"of {name}\(\) is learned from data"):
            ks.parse(f"{name}()").kernel(Columns(1))
    elif missing:
        with pytest.raises(ks.KernelspecError, match=rf"{name}\(\) needs the argument '{missing[0]}'"):
            ks.parse(f"{name}()")
    else:
        columns = 1 if name in ("binary", "circle") else 2
        assert ks.parse(f"{name}()").kernel(Columns(columns)).dim == columns


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_every_range_is_checked_at_its_ends(name: str) -> None:
    arguments = declared(load_kernel(name))
    others = {a: "student_t(3)" if argument.kind == "distribution" else "1" for a, (argument, default)
              in arguments.items() if default is MISSING}  # fmt: skip
    for argument, (kind, _) in arguments.items():
        if kind.kind not in ("number", "integer"):
            continue
        for end, is_open in ((kind.low, kind.low_open), (kind.high, kind.high_open)):
            if abs(end) == float("inf"):
                continue
            given = ", ".join(f"{a}={v}" for a, v in {**others, argument: repr(end)}.items())
            if is_open:
                with pytest.raises(ks.KernelspecError, match=rf"'{argument}' of {name}\(\) must be a"):
                    ks.parse(f"{name}({given})")
            else:
                assert ks.parse(f"{name}({given})").kernel(Columns(1)).dim == 1


def said_of(text: str) -> str:
    with pytest.raises(ks.KernelspecError) as caught:
        ks.parse(text)
    return str(getattr(caught.value, "message", caught.value))


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_has_a_hint_and_what_it_calls_exists(name: str) -> None:
    said = said_of(f"2*{name.title()}Kernel()")
    assert said.startswith(f"unknown kernel '{name.title()}Kernel'; ")
    assert "did you mean" not in said
    assert set(re.findall(r"([a-z_]+)\(", said)) - {"exp", "min", "max", "sqrt", "tanh"} <= {*KERNELS, *FORMS}
    here = NAMES[name]
    if not isinstance(here, str):
        written = re.search(rf"is ((?:[\w./]+\*)?{here.kernel}\([^;]*?\))(?:[;,]|$)", said)
        assert written is not None, said
        ks.parse(written[1].replace("…", "2"))


ROWS = np.random.default_rng(0).standard_normal((12, 3))
LIBRARIES: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray], int]] = {
    "RBF": ("RBF(length_scale=1.7)", gaussian_process.RBF(1.7), 3),
    "rbf": ("rbf_kernel(gamma=0.3)", lambda X: pairwise.rbf_kernel(X, gamma=0.3), 3),
    "laplacian": ("laplacian_kernel(gamma=0.3)", lambda X: pairwise.laplacian_kernel(X, gamma=0.3), 3),
    "Matern": ("Matern(length_scale=2, nu=5/2)", gaussian_process.Matern(2, nu=5 / 2), 3),
    "RationalQuadratic": (
        "RationalQuadratic(alpha=0.7, length_scale=2)",
        gaussian_process.RationalQuadratic(2, 0.7),
        3,
    ),
    "ExpSineSquared": ("ExpSineSquared(length_scale=0.8, periodicity=3)", gaussian_process.ExpSineSquared(0.8, 3), 1),
    "Constant": ("ConstantKernel(constant_value=2.5)", gaussian_process.ConstantKernel(2.5), 3),
    "White": ("WhiteKernel(noise_level=0.1)", gaussian_process.WhiteKernel(0.1), 3),
    "DotProduct": ("DotProduct()", pairwise.linear_kernel, 3),
    "polynomial": (
        "polynomial_kernel(degree=2, coef0=3)",
        lambda X: pairwise.polynomial_kernel(X, degree=2, coef0=3, gamma=1),
        3,
    ),
    "GPyTorch's polynomial": ("PolynomialKernel(power=2, offset=3)", lambda X: (X @ X.T + 3) ** 2, 3),
    "jitter": ("JitterTerm(sigma=0.1)", lambda X: 0.01 * np.eye(len(X)), 3),
    "inverse multiquadric": ("inverse_multiquadric()", lambda X: 1 / np.sqrt(1 + (X - X.T) ** 2 / 4), 1),
    "metric of george": ("ExpSquaredKernel(metric=3)", lambda X: pairwise.rbf_kernel(X, gamma=1 / 6), 3),
    "celerite": ("RealTerm(a=2, c=4)", lambda X: 2 * np.exp(-4 * np.abs(X - X.T)), 1),
    "celerite2": ("SHOTerm(S0=2, w0=3, Q=1/2)", lambda X: 3 * np.exp(-3 * abs(X - X.T)) * (1 + 3 * abs(X - X.T)), 1),
    "GPflow": ("Exponential(lengthscales=3, variance=2)", lambda X: 2 * np.exp(-np.abs(X - X.T) / 6), 1),
    "GPyTorch": (
        "PeriodicKernel(period_length=3, lengthscale=4)",
        lambda X: np.exp(-2 * np.sin(np.pi * (X - X.T) / 3) ** 2 / 4),
        1,
    ),
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_kernels_of_other_libraries_come_with_their_numbers(name: str) -> None:
    text, other, columns = LIBRARIES[name]
    written = re.search(r" is ((?:[\w./()]+\*)*\w+\(.*?\)+)(?:[;,]|$)", said_of(text))
    assert written is not None
    X = ROWS[:, :columns]
    np.testing.assert_allclose(ks.parse(written[1].replace("scale=c", "scale=2")).gram(X), other(X), atol=1e-12)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("RBF(length_scale=[1, 2, 0.5])", gaussian_process.RBF([1, 2, 0.5])),
        ("Matern(length_scale=[1, 2, 0.5], nu=3/2)", gaussian_process.Matern([1, 2, 0.5], nu=3 / 2)),
    ],
)
def test_a_length_for_every_column(text: str, other: gaussian_process.Kernel) -> None:
    written = said_of(text).partition(" is ")[2]
    np.testing.assert_allclose(ks.parse(written).gram(ROWS), other(ROWS), atol=1e-12)


@pytest.mark.parametrize(
    ("text", "k"),
    [
        ("gaussian(length_scale=2)", lambda r: np.exp(-(r**2) / 8)),
        ("gaussian(lengthscale=2)", lambda r: np.exp(-(r**2) / 8)),
        ("gaussian(bandwidth=2)", lambda r: np.exp(-(r**2) / 8)),
        ("cosine(period=3)", lambda r: np.cos(2 * np.pi * r / 3)),
        ("gaussian(gamma=1/2)", lambda r: np.exp(-(r**2) / 2)),
        ("gaussian(gamma=0.5)", lambda r: np.exp(-(r**2) / 2)),
        ("gaussian(gamma=2*3)", lambda r: np.exp(-6 * r**2)),
        ("gaussian(gamma=0.3)", lambda r: np.exp(-0.3 * r**2)),
        ("gaussian(range=3)", lambda r: np.exp(-((r / 3) ** 2))),
        ("exponential(range=3)", lambda r: np.exp(-r / 3)),
        ("exponential(gamma=4)", lambda r: np.exp(-4 * r)),
        ("laplace(gamma=4)", lambda r: np.exp(-4 * r)),
        ("periodic(period_length=3)", lambda r: np.exp(-2 * np.sin(np.pi * r / 3) ** 2)),
        ("matern(smoothness=1/2)", lambda r: np.exp(-r)),
        ("powered_exponential(power=1/2)", lambda r: np.exp(-(r**0.5))),
        ("rational_quadratic(2, ls=3)", lambda r: (1 + r**2 / 36) ** -2.0),
        ("gaussian(variance=2)", lambda r: 2 * np.exp(-(r**2) / 2)),
        ("gaussian(sigma_f=2)", lambda r: 4 * np.exp(-(r**2) / 2)),
        ("gaussian(len_scale=2)", lambda r: np.exp(-np.pi / 4 * (r / 2) ** 2)),  # of GSTools
        ("exponential(len_scale=2)", lambda r: np.exp(-r / 2)),
        ("exponential(ls=2)", lambda r: np.exp(-r / 4)),  # of PyMC
    ],
)
def test_arguments_of_other_libraries_come_with_their_numbers(text: str, k: Callable[[np.ndarray], np.ndarray]) -> None:
    """On one column, against the formula that the argument stands in."""
    used = re.search(r"; use (.+) \(.*\)$", said_of(text))
    assert used is not None
    call, _, _ = text.partition("(")
    before = "2, " if text.startswith("rational") else ""
    written = used[1].replace("(…)", "()") if "…" in used[1] else f"{call}({before}{used[1]})"
    X = ROWS[:, :1]
    np.testing.assert_allclose(ks.parse(written).gram(X), k(np.abs(X - X.T)), atol=1e-12)


def test_a_range_of_geostatistics_depends_on_the_order() -> None:
    """(h/φ)^κ K_κ(h/φ)/(2^{κ−1} Γ(κ)), of geoR and gstat; √(2ν) is missing in it."""
    written = re.search(r"the Matérn kernel is (.+)$", said_of("Mat(range=2, kappa=1.5)"))
    assert written is not None
    lag = np.array([[0.0], [2.0]])
    assert ks.parse(written[1]).gram(lag)[0, 1] == pytest.approx(kv(1.5, 1) / (2**0.5 * gamma(1.5)))
    assert "use scale=sqrt(2*nu)*2 (for (h/range)^nu K_nu(h/range)" in said_of("matern(3/2, phi=2)")
    assert "use scale=sqrt(2)*2 (sqrt(nu) in GSTools" in said_of("matern(3/2, len_scale=2)")


def test_the_tangent_kernel_of_a_network() -> None:
    """Against Θ = E[2σσ] + x·y E[2σ'σ'] over Gaussian weights (Jacot et al. 2018), for angles t between rows."""
    t = np.linspace(0, 3, 7)
    written = re.search(r"is (dual.*)$", said_of("NTK()"))
    assert written is not None
    found = ks.parse(written[1]).gram([[1.0, 0.0]], np.column_stack([np.cos(t), np.sin(t)]))
    step = (np.pi - t) / np.pi
    np.testing.assert_allclose(found[0], np.sin(t) / np.pi + 2 * np.cos(t) * step, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RBF(1)", "unknown kernel 'RBF'; the Gaussian kernel is gaussian(scale=…)"),
        ("rbf(gamma=2)", "unknown kernel 'rbf'; the Gaussian kernel is gaussian(scale=0.5)"),
        ("SquaredExponential()", "unknown kernel 'SquaredExponential'; the Gaussian kernel is gaussian(scale=…)"),
        ("wiener()", "unknown kernel 'wiener'; Brownian motion, min(x, y), is brownian(until=…) on one column"),
        (
            "gaussian() + white",
            "unknown name 'white'; white noise, a nugget, is noise(), with a weight as in 0.1*noise()",
        ),
        ("gausian()", "unknown kernel 'gausian'; did you mean 'gaussian'?"),
        ("Rational_Quadratic2(1)", "unknown kernel 'Rational_Quadratic2'; did you mean 'rational_quadratic'?"),
        ("bochner(normal(2))", "unknown distribution 'normal'; did you mean 'gaussian'?"),
        ("bochner(t(3))", "unknown distribution 't'; did you mean 'student_t'?"),
        ("dual(heaviside, sphere())", "unknown activation 'heaviside'; did you mean 'step'?"),
        ("quux()", "unknown kernel 'quux'"),
        (
            "poly(degree=2, variance=3)",
            "unknown kernel 'poly'; the polynomial kernel is polynomial(degree=2, offset=…); "
            "with a weight of x·y it is written as in (2*linear() + constant())**3",
        ),
        ("Sph(1, 2)", "unknown kernel 'Sph'; the spherical kernel is spherical(range=…), on at most three columns"),
        (
            "powerlaw(alpha=2)",
            "unknown kernel 'powerlaw'; a kernel that decays like a power is rational_quadratic(alpha=…, scale=…)",
        ),
        (
            "thin_plate()",
            "unknown kernel 'thin_plate'; r² log r is not positive definite, so it is not available; "
            "for smooth curves use matern(nu=3/2, scale=…)",
        ),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        ks.parse(text)
    assert caught.value.message == message


def message(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        ks.parse(text)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("gaussian(scale=width)", "param width > 0", None),
        ("gaussian(width)", "param width > 0", "gaussian()[width]"),
        ("matern(3/2, age)", "param age > 0", "matern(…)[age]"),
        ("cosine(by=w)", "param w = 1", None),
        ("polya(gamma(shape=k))", "param k > 0", None),
        ("periodic(1, scale=p)", "param p >= 0.0001", None),
    ],
)
def test_an_unknown_argument_is_a_parameter_or_a_column(text: str, line: str, column: str | None) -> None:
    found = message(text)
    assert f"add the line '{line}' above" in found
    assert ("for a column, write" in found) == (column is not None)
    assert column is None or found.endswith(f"; for a column, write {column}")
    ks.parse(f"{line}\n{text}")  # what is advised is accepted


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("match(city)", "match()[city]"),
        ("minmax(a, b)", "minmax()[a, b]"),
        ("gaussian(age, income)", "gaussian()[age, income]"),
        ("gaussian(2, age)", "gaussian(…)[age]"),
    ],
)
def test_columns_among_the_arguments(text: str, instead: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        ks.parse(text)
    assert caught.value.message.endswith(f"; put columns after the kernel, as in {instead}")
    ks.parse(instead.replace("…", "2"))


def test_no_columns_are_seen_where_there_are_none() -> None:
    assert message("match(1)") == "match() takes no arguments: match()"
    assert message("param s = 1\nmatch(s)") == "match() takes no arguments: match()"
    assert "columns" not in message("polya(exponential(1, k))")


@pytest.mark.parametrize("text", ["exp(-(x-y)**2)", "exp(-r**2)", "sqrt(1 + t)*gaussian()"])
def test_a_formula_of_points_is_told_which_kernel_it_is(text: str) -> None:
    found = message(text)
    assert "a spec names kernels, not their points" in found
    assert re.search(r"exp\(-\(x - y\)\*\*2\) as gaussian\(scale=sqrt\(1/2\)\)", found)
    gram = ks.parse("gaussian(scale=sqrt(1/2))").gram([[0.0], [1.5]])
    assert gram[0, 1] == pytest.approx(0.10539922456186433)  # exp(−1.5²)


def test_other_names_say_both() -> None:
    assert message("gaussian(2*width)").endswith(
        "; select a column with k[width], or declare a parameter with the line 'param width > 0'"
    )


def test_the_nearest_name_comes_first() -> None:
    assert message("param width = 1\ngaussian(widht)") == "unknown name 'widht'; did you mean 'width'?"
    with pytest.raises(UnknownNameError, match="did you mean 'ones'"):
        ks.parse("cosine(by=one)")
    assert "did you mean" not in message("cosine(p)")  # not 'pi'
    assert message("let a = gaussian(b)\nparam b = 2\na").startswith("unknown name 'b': move its definition above this")
