"""What bad input once found, kept: each ended in a bare exception, a hang or a bomb."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.lib import format as npy

import kernelspec as ks
from kernelspec.cli import main
from kernelspec.errors import DataError, FileError
from kernelspec.tables.formats import open_table
from tests.fuzzing.campaign import finite_of_shape, refused_or_right
from tests.fuzzing.texts import ROWS, analyzes, compiles, parses

_FIBONACCI = "".join(f"param a{i + 2} = a{i} + a{i + 1}\n" for i in range(60))
_DOUBLING = "".join(f"let k{i + 1} = k{i}*k{i}\n" for i in range(14))
_TEXTS = {
    "OverflowError of a square": "gaussian(1e-155)",
    "OverflowError of a gamma function": "matern(nu=1e308)",
    "NaN of a Matérn of order 1e99": "matern(nu=1e99)",
    "OverflowError of two weights": "1e308*gaussian() + 1e308*laplace()",
    "OverflowError of a similarity": "rbf_cosine(1e308)",
    "RecursionError of SymPy's factorial": "polya(gamma(shape=1e300))",
    "hours of a continued fraction": "polya(inverse_gamma(shape=1e9))",
    "hours of a factorial": "polya(weibull(shape=1e-100))",
    "overflow of a frequency": "product(t -> exp(-2*t**0.001))",
    "TypeError of a nested vector": "stretch(gaussian(), [[[0],0],[0,1]])",
    "TypeError of a number beside a row": "stretch(gaussian(), [1, [0]])",
    "MemoryError of a slice": "gaussian()[0:1000000000]",
    "exponential time": f"param a0 = 1\nparam a1 = 1\n{_FIBONACCI}gaussian(scale=a61/a60)",
    "a bomb of products": f"let k0 = gaussian() + laplace()\n{_DOUBLING}k14",
    "two layers of windows": "full(relu, input=conv(relu, size=1, input=conv(relu, size=1, input=image(1, 1, 2))))",
    "OverflowError of a weight that is a power": "stretch(product(t -> max(1e99, 1.5 - t/2)), 0.5)",
    "OverflowError of a float and a fraction": "product(t -> exp(-t**0.5)) + product(t -> max(0, 1e308 - t))",
    "infinite values of a kernel": "tilt(polya(lognormal(mu=2, sigma=2), area=2), by=1000)",
    "OverflowError of a ratio": "polya(rice(nu=1e99, sigma=1e-99), area=2)",
    "squares of lags beyond floats": "mean(shift(dual(exp(c=2), gaussian(scale=1e-99)), by=[0, 1e100]), laplace())",
    "a logarithm of 0 where lags have no decimals": "tilt(polya(shifted_poisson(rate=2), area=1e-99), by=1e-9)",
    "infinite weights of samples": "shift(tilt(product(t -> max(0, 1 - t/2)), by=7), by=1e99)",
    "widths that are 0": "polya(gamma(shape=1e-15), area=1e-99)",
    "frequencies beyond floats": "stretch(polya(gamma(shape=1e-9), area=1e-99), 1e-99)",
    "squares of spreads": "tilt(polya(lognormal(mu=2, sigma=2), area=2) - gaussian(scale=1e-99), by=100)",
    "powers of moments": "(modulate(cosh_gaussian(scale=2, by=[0.5, 2]), by=1/3))**64",
    "sample weights beyond floats": "(cosh_gaussian(scale=2, by=[0.5, 2]))**100",
    "a probability of 0": "cosh_gaussian(scale=2, by=[0.5, 2])**80 + 1e-90*gaussian()",
    "a square of a size": "layer(cos, minmax() + 1000*gaussian(), dual(sin(a=2), gaussian(scale=2)))",
    "products of features that overflow": "dual(sign(), tilt(polya(rayleigh(scale=2), area=2), by=1.5))",
    "a scale that a power makes": "exponential(scale=1e99)**1e-99",
    "a scale that a product of kernels makes": "powered_exponential(alpha=1e-99, scale=2)**2",
    "a scale in a formula": "radial(r -> exp(-1e154*r))[0]",
    "an exact power of a scale in a formula": "radial(r -> exp(-2*r**1e-155))",
    "a power that is no float in a formula": f"product(t -> exp(-2*t**0.5**{'9' * 99}))",
    "a minimum with a quotient by 0": "product(t -> min(1, 3/t)**2)",
    "a polynomial of degree 1e50": "radial(r -> 1/(1+exp(1e50*r)) + 2/7*exp(-r))",
    "a cosine of a huge frequency": "product(t -> exp(0.5*cos(1e9*pi*t) - 0.5))",
    "a cosine of a tiny frequency": "product(t -> cos(1e-100*t)*exp(-1e300*t))",
    "squares of values": "tilt(1000*polya(lognormal(mu=2, sigma=2)) - gaussian(scale=1e-99), by=100)",
    "a transform beyond floats": "modulate(radial(r -> exp(-1/3*r**2)*(1 - 1e308*r**2)), by=1.5)",
    "a mean of variances beyond floats": "tilt(shift(sinh_gaussian(scale=2, by=[0.5, 2]), by=7), by=1/3-99)",
    "a variance of minus infinity": "normalize(radial(r -> exp(-r**2)*(1 - 1e154*r**2)))**2",
}


_SECONDS = {
    "densities of a mixture and of what dominates it",
    "densities that are integrals",
    "formulas that are late, one after the other",
    "a division by an integral",
    "a power of atoms",
    "a power of polynomials",
    "a power whose parts are one",
    "moments with 480 digits",
    "transforms on a ray",
    "a density beyond floats on two columns",
    "a formula that is simplified for each report",
    "the sign of a diagonal in symbols",
    "a spline of thirty pieces",
    "an integral below a root",
    "digits of an integral in a root",
    "a size that is an integral",
    "a pole at almost every draw",
    "masses of a density that is an integral at each radius",
    "slopes of a formula at each frequency",
    "a power with a hundred thousand factors",
    "a polynomial of degree 1e50",
    "powers of a sum with keys",
    "a minimum with a quotient by 0",
    "the sign of an exponent with long numbers",
    "an integral in an integral",
    "a root of a number of SymPy's",
    "terms put in order by numbers of integrals",
    "a density from its formula",
    "a cosine of a huge frequency",
    "a formula that is resolved nowhere",
    "numbers at the end of their range",
    "a norm whose square is no float",
    "a density beyond all floats",
    "roots of numbers of two hundred digits",
    "a hundred factors with keys or none",
    "an infinite frequency of a tiny shape",
    "a sum with a numerical transform",
    "a power of a sum",
    "the square of a ratio",
    "a factorial of 1e9",
    "a size that is no float",
    "values with many digits, one by one",
}
"""Texts that take longer than half a second each: for the long run."""


def _cases(texts: dict[str, str]) -> list[Any]:
    return [
        pytest.param(text, id=name, marks=[pytest.mark.long] if name in _SECONDS else [])
        for name, text in texts.items()
    ]


@pytest.fixture(scope="module", autouse=True)
def loops_that_are_compiled() -> None:
    """What takes seconds once in a new installation, whatever the text, is over before a text is timed."""
    for text in ("gaussian()", "laplace()*match() + minmax()", "layer(cos, minmax(), dual(sin(), gaussian()))"):
        fmap = ks.compile(text, data=ROWS, n_features=24)
        fmap.left(ROWS)
        fmap.approximate(ROWS)
        ks.parse(text).gram(ROWS)


@pytest.mark.slow
@pytest.mark.parametrize("text", _cases(_TEXTS))
def test_texts(text: str) -> None:
    parses(text)
    compiles(text)


_SLOW = {
    "a power of a sum": "let k = d*(bochner(gaussian(scale=2))) - 2.5*(product(t -> exp(-2*t**0.5)))\nk*k + 0.1*k",
    "a sum with a numerical transform": "let k = product(t -> exp(-2*t**100))\nk*k + d*k",
    "moments in exact numbers": "dual(leaky_relu, product(t -> max(0.5, 0.5 - t/2)))",
    "powers of a sum with keys": "(minmax() + laplace()*match())**20",
    "a hundred factors with keys or none": "(match()[0] * gaussian()[1] + minmax())**64",
    "two laws": "100*bochner(student_t(dof=2, scale=d)) + product(t -> max(0, 1e9 - t/2))",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", _cases(_SLOW))
def test_texts_whose_plans_took_long(text: str) -> None:
    compiles(text)


_ANALYSED = {
    "an exact power of a scale": "stretch(product(t -> exp(-2*t**1e99)), 100)",
    "an exact power of an order": "rational_quadratic(alpha=2, scale=2)**1e9",
    "a square of a lag over a tiny scale": "shift(dual(exp(c=1), cauchy(scale=1e-99)), by=[1e99, 3])",
    "a pole at almost every draw": "polya(erlang(shape=2, scale=2)) - 0.5*rational_quadratic(alpha=1e-9)",
    "the report of a negative kernel": "-gaussian()",
    "a high power less a dual without exact coefficients": "dual(erf, sphere()) - 0.001*sphere()**59",
    "Bessel functions of a large order": "rational_quadratic(alpha=999, scale=2) - 0.5*laplace()",
    "an infinite frequency of a tiny shape": "polya(nakagami(shape=1e-99, spread=2), area=2) - 0.5*laplace()",
    "the sign of an exponent with long numbers": "shift(polya(rice(nu=1e5, sigma=2), area=2), by=[2, 1e-5])",
    "a density beyond floats on two columns": "(product(t -> exp(-1e-99*t**0.5))) - 0.5*laplace()",
    "a power with a hundred thousand factors": "product(t -> exp(-2*t**1e5))",
    "a spline of thirty pieces": "(sinc(bandwidth=2))**30 - laplace()",
    "a root of a number of SymPy's": "dual(gaussian(), shift_gaussian(scale=2, by=[0.5, 1.5]))",
    "a density beyond all floats": "shift(tilt(triangle(width=2), by=1000), by=2)",
    "an exact power of 1e155": "product(t -> exp(-t**1e155))",
    "a Matérn of large order times e^x": "modulate(tilt(matern(nu=1000, scale=2), by=1), by=1)",
    "masses from values that take long": "modulate(shift(product(t -> exp(-2*t**0.5)), by=[1000, 1000]), by=1)",
    "squares of densities that overflow": "tilt(triangle(width=2), by=100)",
    "terms put in order by numbers of integrals": "dual(activation(x -> max(0, x) + 0.1*0.1*x**2), gaussian())",
    "a density from its formula": "7*(product(t -> max(0, 1 - t/2))) - 1*(polya(rayleigh(scale=2), area=2))",
    "densities that are integrals": "polya(lognormal(mu=2, sigma=2), area=0.5) - bochner(student_t(dof=2, scale=2))",
    "a large power under the rules for signs": "product(t -> (1+t**2+t**4+t**6)**(-99))",
    "a thousand waves looked up one by one": "product(t -> (cos(t)+cos(sqrt(2)*t)+cos(sqrt(3)*t))**40/3**40)",
    "sixty products at many digits": "(gaussian()-laplace())**60",
    "polynomials of degree 160": "(matern(19/2)-1/2*matern(17/2,scale=2))**20",
    "powers of series": "product(t -> (sin(t)/t)**50*cos(3*t)**20)",
    "a removable pole": "radial(r -> 3/r**2*(sin(r)/r - cos(r)))",
    "an order whose powers never end": "normalize(rational_quadratic(alpha=1e-99, scale=2.5))",
    "incomplete gammas written as sums": "shift(polya(distribution=gamma(shape=1000), area=1e9), by=100)",
    "numbers at the end of their range": "100*stretch(powered_exponential(alpha=2), [2, 1e99]) - polya(chi(dof=2))",
    "densities of a mixture and of what dominates it": "mean(sinh_gaussian(by=[0.5, 2]), polya(rice(nu=2, sigma=2)))",
    "slopes of a formula at each frequency": "7*product(t -> max(0, 2 - t/2)) - 1/3*polya(uniform(low=1, high=2))",
    "a root of a lag of two hundred digits": "shift(rational_quadratic(alpha=1/3, scale=2), by=[d, 1e-100])",
    "roots of numbers of two hundred digits": "cosh_gaussian(scale=2, by=[1e-100, 2])",
    "an order of twelve digits": "polya(pareto(shape=1.00000000001, scale=2), area=1e-9)",
    "a formula that is resolved nowhere": "let k = product(t -> exp(-1e307*t**2.5))\nk*k + 1e99*k",
    "a factorial of 2e15": "rational_quadratic(alpha=2)**1e15 * powered_exponential(alpha=1.5)",
    "a factorial of 1e9": "shift(polya(shifted_poisson(rate=3), area=2), by=[2, 1e9])",
    "incomplete gammas of a reciprocal": "polya(inverse_gamma(shape=100, scale=1e-99))",
    "a norm whose square is no float": "(minmax() + 1e99*dual(abs(), gaussian(scale=2)))**2",
    "an order of a hundred digits": f"(matern(nu=3/{'9' * 99})*laplace()[0])**2 - 0.5*gaussian()",
    "moments with 480 digits": "shift(polya(discrete([1, 2], [1, 2]), area=2)*sinh_gaussian(by=[0.5, 2]), by=1000)",
    "a weight that is 0 in floats": "product(t -> max(0, 1e-308 - t/1.5))",
    "infinities of both signs": "full(erf, input=image(1, 2, 1, base=tilt(bochner(uniform(low=-1, high=1)), by=1e99)))",
    "a shift of an inner product": "shift(full(relu, input=image(1, 2, 1, base=rbf_cosine())), by=[100, 1])",
    "densities far out": "shift(bochner(cauchy()), by=[0, 1e9]) + polya(gamma(shape=1e-99), area=2)",
    "ratios of huge densities": "1e99*polya(gamma(shape=2), area=1e99) - 1e99*polya(gamma(shape=d), area=2)",
    "digits of an integral in a root": "shift(dual(gaussian(), polya(rice(nu=2, sigma=2), area=1)), by=1e9)",
    "a size that is no float": "(tilt(gaussian(scale=3), by=5)*minmax())**100",
    "an exact root of order 1e99": "stretch(stretch(product(t -> exp(-2*t**1e-99)), [0.1, 1e9]), [3, 7])",
    "the square of a ratio": "shift(shift_gaussian(scale=1e-99, by=1e99), by=1e99)",
    "an exponential of a number of 1e301 digits": "shift(product(t -> exp(-1e-308*t**1e300))[-1], by=1e15)",
    "transforms on a ray": "1000*(polya(chi_square(dof=2), area=2)) - 2*(polya(weibull(shape=2, scale=2), area=1e99))",
    "a formula that is simplified for each report": (
        "stretch(full(gaussian(a=10), input=conv(gaussian(a=10), size=1, "
        "input=image(1, 2, 1, base=product(t -> min(1, 3/t)**10)))), 0.5)"
    ),
    "masses of a density that is an integral at each radius": (
        "(2*rational_quadratic(alpha=2, scale=2) - d*dual(identity(), gaussian(scale=2)))**2"
    ),
    "values with many digits, one by one": "modulate(radial(r -> exp(-1/3*r**2)*(1 - 1e308*r**2)), by=1.5)",
    "a density that is infinite at the end of a wave's law": "radial(r -> sin(r)/r) - 0.2*gaussian()",
    "the same in a column": "product(t -> besselj(0, 100*t)) - 0.2*gaussian()",
    "a power whose parts are one": "(sinc(bandwidth=2) - 0.3*gaussian())**64",
    "a power of polynomials": "polya(discrete([1, 2], [1, 2]))**64 - 0.1*gaussian()",
    "an integral below a root": (
        "normalize(dual(activation(x -> max(0, x) + 0.1*x**2), 0.5*gaussian()) - 0.1*laplace())*gaussian()"
    ),
    "an integral in an integral": (
        "dual(leaky_relu(), 0.5*dual(activation(x -> max(0, x) + 0.1*x**2), 0.5*gaussian()))"
    ),
    "atoms whose frequencies are numbers of SymPy's": "periodic(period=2, scale=0.1)**20000",
    "a power of atoms": "(periodic(period=2, scale=0.1)[0] + cosine(by=[1, 2]))**20",
    "the sign of a diagonal in symbols": (
        "2*shift(polya(rice(nu=2, sigma=2)), by=[1e-9, 1e-9]) - 0.1*shift(polya(lognormal(mu=2, sigma=2)), by=1)"
    ),
    "a division by an integral": "normalize(shift(polya(rice(nu=2, sigma=2)), by=2))",
    "a size that is an integral": (
        "layer(activation(x -> max(1e99, 171*x)), radial(r -> 1/(7 + r**2)**100), product(t -> exp(-1e99*t**3)))[-1]"
    ),
    "formulas that are late, one after the other": (
        "full(activation(x -> max(0, x) + 1000001*x**2), input=conv(activation(x -> max(0, x) + 1000001*x**2), size=2, "
        "padding=same, input=image(1, 2, 1, base=gaussian())))*linear()"
    ),
    "a state space beyond floats": "(polya(erlang(shape=7, scale=2), area=1e99))[-1]",
    "a power in an exponential of a logarithm": "radial(t -> 0.9*exp(-t) + 0.1*exp(-4000*(log(t+1)-3)**2))",
    "a power of a sum of powers in an exponential": "radial(t -> exp(-((1+t)**30+(1+t)**29+t)**30))",
    "a logarithm in a root in an exponential": "product(t -> exp(-sqrt(log(1+t)*5000+1)))",
    "an error function where mpmath fails": "(shift(polya(chi(dof=2), area=1e-99), by=[1e99, 1]))**2",
}


@pytest.mark.slow
# a step that has done too much may be stopped within a callback of the garbage collector's, which cannot raise it
@pytest.mark.filterwarnings(r"ignore:(?s).*\bWorkExceeded\b:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("text", _cases(_ANALYSED))
def test_analysis_of_texts(text: str) -> None:
    analyzes(text)


@pytest.mark.slow
@pytest.mark.parametrize("dim", [2, 100_000])
def test_whole_numbers_that_python_does_not_print(dim: int) -> None:
    for text in ("polya(nakagami(shape=100, spread=2), area=2)", "gaussian()"):
        facts = ks.analyze(text, dim=dim)
        assert facts.to_dict()
        assert str(facts)


@pytest.mark.slow
def test_twenty_thousand_lines_of_a_let() -> None:
    text = "".join(f"let k{i} = gaussian(scale=1)\n" for i in range(20_000))
    with refused_or_right():
        assert len(ks.parse(f"{text}k19999").program.statements) == 20_000


@pytest.mark.slow
def test_more_columns_than_are_worth_a_look() -> None:
    """A million columns took 5 GB to say where the kernel is one half."""
    with refused_or_right():
        result = CliRunner().invoke(main, ["explain", "-e", "gaussian()", "--dim", "1000000"], catch_exceptions=False)
    assert result.exit_code == 2
    assert "more than 64 MiB: use DATA" in result.output
    assert "½" not in result.output


@pytest.mark.long
def test_an_error_out_of_reach() -> None:
    with refused_or_right(), pytest.raises(ks.KernelspecError, match=r"error=1e-09 is not reached with 65,536"):
        ks.compile("gaussian()", data=ROWS[:3], n_features="auto", error=1e-9)


@pytest.mark.parametrize("spec", [None, 3, b"gaussian()", ["gaussian()"]])
def test_what_is_no_text(spec: Any) -> None:
    for ask in (ks.parse, ks.analyze, lambda given: ks.compile(given, dim=2)):
        with pytest.raises(ks.KernelspecError, match="a spec must be a string,"):
            ask(spec)


@pytest.mark.parametrize(("dim", "n_features"), [(10**9, 8), (2, 10**9), (1_000_000, 8), (2000, 10**7)])
def test_sizes_that_fill_the_memory(dim: int, n_features: int) -> None:
    with pytest.raises(ks.KernelspecError, match=r"at most|MiB|GiB"):
        ks.compile("gaussian()", dim=dim, n_features=n_features)


def test_an_index_far_beyond_any_table(tmp_path: Path) -> None:
    path = tmp_path / "wide.libsvm"
    path.write_text("1 1:2\n1 1000000000:1\n")
    with pytest.raises(DataError, match=r"wide.libsvm:2: '1000000000:1' has an index above 2,000,000"):
        open_table(path)


def test_an_empty_array_of_many_columns(tmp_path: Path) -> None:
    path = tmp_path / "wide.npy"
    with path.open("wb") as file:
        npy.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (0, 10**12)})
    with pytest.raises(FileError, match="has 1,000,000,000,000 columns; at most 2,000,000 are read"):
        open_table(path)


def test_more_rows_a_block_than_there_is_memory(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", ROWS)
    command = ["features", "-e", "gaussian()", tmp_path / "x.npy", "-o", tmp_path / "z.npy", "--rows-per-block", 10**12]
    assert CliRunner().invoke(main, [str(word) for word in command], catch_exceptions=False).exit_code == 0
    finite_of_shape(np.load(tmp_path / "z.npy"), (5, 1024))


_FACTS = ks.analyze("gaussian()", dim=2)
_MISTAKEN: dict[str, Callable[[], object]] = {
    "a list of no numbers": lambda: _FACTS.spectral_density_at("x"),
    "lags of no numbers": lambda: _FACTS.characteristic_function([["a", "b"]]),
    "no error": lambda: _FACTS.bound("0.1", 0.1, 1),  # type: ignore[arg-type]
    "no number of samples": lambda: _FACTS.simulated_error([[0.0]], "many", 0.1),  # type: ignore[arg-type]
    "a name of a paper": lambda: ks.compile("gaussian()", dim=2, published="li"),  # type: ignore[arg-type]
    "parameters without names": lambda: ks.parse("param s = 1\ngaussian(scale=s)", params={1: 2}),  # type: ignore[dict-item]
    "a text of parameters": lambda: ks.parse("param s = 1\ngaussian(scale=s)", params="s=2"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("mistaken", _MISTAKEN.values(), ids=_MISTAKEN)
def test_arguments_of_another_type(mistaken: Callable[[], object]) -> None:
    with pytest.raises(ks.KernelspecError):
        mistaken()


def test_lags_beyond_all_floats() -> None:
    """Differences of rows that are infinite are as far apart as can be; a kernel matrix that is infinite is refused."""
    far = np.array([[1e308, 0], [-1e308, 0], [0, 1]])
    assert np.array_equal(ks.parse("gaussian()").gram(far), np.eye(3))
    assert np.isfinite(ks.compile("gaussian()", data=far / 2, n_features=8).plan.chosen.variance)
    assert _FACTS.spectral_density_at([[1e308, 0]]) == 0
    with pytest.raises(ks.KernelspecError, match=r"k\(x, y\) overflows for rows 0 and 0"):
        ks.parse("linear()").gram(far)


@pytest.mark.long
def test_a_table_of_many_columns(tmp_path: Path) -> None:
    """Each of n columns looked through the names of all: 10,000 took more than half a minute."""
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([",".join(f"c{i}" for i in range(10_000)), ",".join(["1"] * 10_000)]))
    command = ["features", "-e", "gaussian()", str(path), "-o", str(tmp_path / "z.npy"), "--n-features", "4"]
    with refused_or_right():
        assert CliRunner().invoke(main, command, catch_exceptions=False).exit_code == 0
    finite_of_shape(np.load(tmp_path / "z.npy"), (1, 4))
