"""Tests of `elaboration/elaborate.py`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kernelspec as ks
from kernelspec import errors
from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.forms.form import FORMS
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import ArgumentError, ParameterError, RangeError, SpecError, TypeMismatchError, UnknownNameError
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.sums_and_products import Sum
from kernelspec.spec import parse
from kernelspec.tables.table_kinds import NAMES_NEEDED


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("dual(relu, gaussian())", "relu"),
        ("dual(exp(c=0.25), gaussian())", "exp(c=0.25)"),
        ("dual(exp(1/4), gaussian())", "exp(c=0.25)"),
        ("dual(gaussian, gaussian())", "gaussian(a=1)"),
        ("let s = hermite(2)\ndual(s, gaussian())", "hermite(n=2)"),
        ("param c = 2\ndual(exp(c), gaussian())", "exp(c=2)"),
        ("dual(kernel=gaussian(), activation=abs)", "abs"),
        ("dual(activation(x -> x**2), gaussian())", "activation(x -> x**2)"),
    ],
)
def test_position_decides_what_a_name_means(text: str, shown: str) -> None:
    kernel = ks.parse(text).kernel(Columns(2))
    assert isinstance(kernel, Dual)
    assert str(kernel.activation) == shown


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("dual(rellu, gaussian())", UnknownNameError, "unknown activation 'rellu'; did you mean 'relu'?"),
        ("dual(zzz, gaussian())", UnknownNameError, "unknown activation 'zzz'; use abs, cos"),
        ("dual(2, gaussian())", TypeMismatchError, "expected an activation, such as relu"),
        ("dual(x -> x, gaussian())", TypeMismatchError, "write a formula as activation(x -> …)"),
        ("dual(activation(relu), gaussian())", ArgumentError, "activation() needs one formula"),
        ("dual(exp(c=-1), gaussian())", RangeError, "must be"),
        ("dual(relu(2), gaussian())", ArgumentError, "relu() takes no arguments"),
    ],
)
def test_messages(text: str, error: type[SpecError], message: str) -> None:
    with pytest.raises(error) as caught:
        ks.parse(text)
    assert message in caught.value.message
    assert caught.value.span is not None


def test_too_many_kernels_through_lets() -> None:
    lines = ["let k0 = gaussian()"] + [f"let k{i + 1} = k{i} * k{i} + k{i}" for i in range(20)]
    with pytest.raises(RangeError, match="more than 20,000 kernels, counting every use of a let"):
        ks.parse("\n".join([*lines, "k20"]))


def test_the_name_gaussian_is_a_distribution_inside_bochner() -> None:
    assert ks.parse("bochner(gaussian(2))").gram([[0.0], [1.0]])[0, 1] == pytest.approx(
        ks.parse("gaussian(1/2)").gram([[0.0], [1.0]])[0, 1]
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("let q = student_t(3)\nbochner(q)", "bochner(student_t(3))"),
        ("let dof = 3\nlet q = student_t(dof)\nlet r = q\nbochner(r)", "bochner(student_t(3))"),
        ("let q = cauchy\nbochner(q)", "bochner(cauchy())"),
        pytest.param(
            "let cauchy = student_t(3)\nbochner(cauchy)",
            "bochner(student_t(3))",
            marks=pytest.mark.filterwarnings("ignore::kernelspec.HiddenNameWarning"),
        ),
        ("polya(uniform(0, 2))", "polya(uniform(low=0, high=2))"),
    ],
)
def test_names_calls_and_lets(text: str, same: str) -> None:
    assert ks.parse(text).kernel(ks.parse(text).columns(2)) == ks.parse(same).kernel(ks.parse(same).columns(2))


AT_ONCE: dict[type[errors.SpecError], list[tuple[str, str]]] = {
    errors.UnknownNameError: [
        ("«gausian»()", "unknown kernel 'gausian'; did you mean 'gaussian'?"),
        ("2*«frobnicate»(1)", "unknown kernel 'frobnicate'"),
        ("«student_t»(dof=3)",
         "unknown kernel 'student_t'; it is a distribution: write bochner(student_t(…))"),
        ("«year»(date)", "unknown kernel 'year'; it is a function of columns: write gaussian()[year(…)]"),
        ("«nakagami»(2)", "unknown kernel 'nakagami'; it is a distribution: write polya(nakagami(…))"),
        ("param bandwidth = 2\ngaussian(«bandwith»)", "unknown name 'bandwith'; did you mean 'bandwidth'?"),
        ("gaussian(«qqq»)", "unknown name 'qqq'; for a parameter, add the line 'param qqq > 0' above; "
         "for a column, write gaussian()[qqq]"),
        ("let q = cauchy(«a»)\nlet a = 3\nbochner(q)", "unknown name 'a': move its definition above this line"),
        ("«strech»(gaussian(), 2)", "unknown kernel 'strech'; did you mean 'stretch'?"),
        ("gaussian(«sqr»(2))", "unknown kernel 'sqr'; did you mean 'sqrt'?"),
        ("«relu»(gaussian())", "unknown kernel 'relu'; it is an activation: write dual(relu, …)"),
        ("bochner(«studnt_t»(3))", "unknown distribution 'studnt_t'; did you mean 'student_t'?"),
    ],
    errors.TypeMismatchError: [
        ("2 * «gaussian»", "'gaussian' is a kernel: write gaussian(…)"),
        ("bochner(«2»)", "expected a distribution, such as student_t(dof=3)"),
        ("let q = «2»\nbochner(q)", "expected a distribution, such as student_t(dof=3)"),
        ("«3»", "expected a kernel, not a number"),
        ("mean(gaussian(), «[1, 2]»)", "expected a kernel, not a vector"),
        ("gaussian() + «1»", "cannot add a number to a kernel: for a kernel that is 1 everywhere, write 1*constant()"),
        ("gaussian() + «[1, 2]»", "cannot add a vector to a kernel"),
        ("«image(2, 2, 1)» + gaussian()", "cannot add a grid to a kernel: turn it into a kernel with full(…, input=…)"),
        ("1 / «gaussian()»", "cannot divide by a kernel: only a number can follow '/'"),
        ("gaussian(scale=«laplace()»)", "'scale' of gaussian() must be a number, not a kernel"),
        ("gaussian(«[1, 2]»)",
         "'scale' of gaussian() must be a single number, not a vector; "
         "for one scale per column, write stretch(gaussian(), […])"),
        ("cosine([1, «gaussian()»])", "a vector must hold numbers, not kernels"),
        ("cosine(«[[1], [2]]»)", "'by' of cosine() must be a vector, not a matrix"),
        ("gaussian() ** «[1, 2]»", "the exponent must be a number, not a vector"),
        ("bochner(student_t(3), isotropic=«1»)", "'isotropic' of bochner() is true or false"),
        ("param a = «[1, 2]»\nstretch(gaussian(), a)", "the default of 'a' is a vector: write param a[2] = …"),
        ("gaussian() * («r -> r»)", "a formula must be inside product(…) or activation(…)"),
        ("«stretch(match(), 2)»",
         "stretch() acts on differences, but match() compares categories: apply it to the other factors"),
        ("«modulate(gaussian()*match()[0], 2)»",
         "modulate() acts on differences, but match() compares categories: apply it to the other factors"),
    ],
    errors.ArgumentError: [
        ("0.7 * gaussian(«sclae»=2)", "gaussian() has no argument 'sclae'; did you mean 'scale'?"),
        ("gaussian(«qqq»=2)", "gaussian() has no argument 'qqq': gaussian(scale=1)"),
        ("gaussian(1, «2»)", "gaussian() takes 1 argument: gaussian(scale=1)"),
        ("match(«1»)", "match() takes no arguments: match()"),
        ("match(«city»)",
         "match() takes no arguments: match(); put columns after the kernel, as in match()[city]"),
        ("gaussian(2, «scale=3»)", "gaussian() got 'scale' twice"),
        ("1 + «matern()»", "matern() needs the argument 'nu': matern(nu, scale=1)"),
        ("«bochner()»",
         "bochner() needs the argument 'distribution': bochner(distribution, isotropic=false)"),
        ("«stretch(gaussian())»", "stretch() needs the argument 'by': stretch(kernel, by)"),
        ("«mean()»", "mean() needs one or more kernels: mean(k1, k2, …)"),
        ("«mean(k=gaussian())»", "mean() needs one or more kernels: mean(k1, k2, …)"),
        ("gaussian(«sqrt(1, 2)»)", "sqrt() needs one number"),
    ],
    errors.RangeError: [
        ("polya(«uniform(2, 1)»)", "uniform() needs low < high, not low=2.0 and high=1.0"),
        ("polya(«uniform(-1, 2)»)",
         "polya() needs a distribution on (0, ∞): uniform(low=-1, high=2) has mass below 0, down to -1"),
        ("polya(«discrete([0, 1], [1, 1])»)",
         "polya() needs a distribution on (0, ∞): discrete(values=[0, 1], weights=[1, 1]) has mass at 0, where the "
         "triangle has no width"),
        ("polya(«discrete([1], [1, 2])»)", "discrete() needs one weight for each value, not 1 values and 2 weights"),
        ("«dual(relu, brownian(until=2)[c])»",
         "dual(relu, …) needs a kernel of values between −1 and 1, and k(x, x) of this kernel may depend on x"),
        ("«dual(relu, basis(t -> t**2)[c])»",
         "dual(relu, …) needs a kernel of values between −1 and 1, and k(x, x) of this kernel may depend on x"),
        ("gaussian(«-1»)", "'scale' of gaussian() must be a number greater than 0, not -1"),
        ("powered_exponential(«2.5»)",
         "'alpha' of powered_exponential() must be a number greater than 0 and at most 2, not 2.5"),
        ("periodic(1, «1e-9»)", "'scale' of periodic() must be a number at least 0.0001, not 1e-09"),
        ("stretch(gaussian(), «0»)", "'by' of stretch() must be greater than 0, not 0"),
        ("stretch(gaussian(), «[1, -2]»)", "'by' of stretch() must be greater than 0, not -2"),
        ("matern(nu=1) ** «0.5»", "the power of this kernel must be a whole number from 1 to 100, not 0.5"),
        ("(laplace() + gaussian()) ** «101»", "the power of this kernel must be a whole number from 1 to 100, not 101"),
        ("(2*gaussian()) ** «-2»", "the power of this kernel must be a number greater than 0, not -2"),
        ("(-gaussian()) ** «0.5»", "the power of this kernel must be a whole number from 1 to 100, not 0.5"),
        ("normalize(«gaussian() - laplace()»)", "normalize() divides by k(x, x), which is 0 here: it must be positive"),
        ("normalize(«gaussian() - 2*laplace()»)",
         "normalize() divides by k(x, x), which is -1 here: it must be positive"),
        ("gaussian() * («1/0»)", "division by zero"),
    ],
    errors.ColumnError: [
        ("gaussian()[age, «age»]", "column 'age' is selected twice: remove one"),
        ("laplace()[«3»][0:2]", "column 3 is out of range: there are 2 columns, 0 to 1"),
        ("laplace()[«4:2»]", "this slice selects no column"),
    ],
    errors.DimensionError: [
        ("cosine(«[1, 2, 3]»)[0:2]", "'by' of cosine() has 3 entries for 2 columns"),
        ("cosine(«[1, 2]»)[age]", "'by' of cosine() has 2 entries for 1 column"),
        ("stretch(gaussian(), «[[1, 2], [3]]»)", "the rows of the matrix differ in length"),
        ("stretch(gaussian(), «[[1, 2]]»)[0:3]", "the matrix of stretch() has 2 columns for 3 columns of data"),
    ],
}  # fmt: skip
"""What the text alone shows: the place, marked in it, and the message."""

ON_COLUMNS: dict[type[errors.SpecError], list[tuple[str, int | None, str]]] = {
    errors.ColumnError: [
        ("gaussian()[«3»]", 2, "column 3 is out of range: there are 2 columns, 0 to 1"),
        ("gaussian()[«0:3»]", 2, "the slice is out of range: there are 2 columns, 0 to 1"),
        ("gaussian()[«age»]", 2, f"column 'age' cannot be found: {NAMES_NEEDED}"),
        ("gaussian()[1, 0, «-1»]", 2, "column 1 is selected twice: remove one"),
        *((f"2*gaussian()[«{place}»] - gaussian()[age]", None,
           "a position counts all columns, but the spec only names some: name this one, or set columns=")
          for place in ("0", "-1", ":", "1:3")),
    ],
    errors.DimensionError: [
        ("cosine(«[1, 2]»)", 3, "'by' of cosine() has 2 entries for 3 columns"),
        ("stretch(laplace(), «[1, 2]»)", 1, "'by' of stretch() has 2 entries for 1 column"),
        ("cosine(«[1, 2]»)", None,
         "'by' of cosine() has 2 entries, so the number of columns is needed: set dim= or columns="),
        ("stretch(laplace(), «[[1, 2]]»)", None,
         "stretch() by a matrix needs the number of columns: set dim= or columns="),
        ("(2 - «d»)*gaussian()[age]", None, "d counts all columns, but the spec only names some: set columns="),
        ("gaussian()[age] + «laplace()»", None,
         "laplace() applies to all columns, but the spec only names some: select its columns, as in k[age], "
         "or set columns="),
    ],
    errors.RangeError: [
        ("gaussian(«1/(d - 2)»)", 2, "division by zero"),
        ("gaussian(scale=«d - 3»)", 2, "'scale' of gaussian() must be a number greater than 0, not -1"),
    ],
}  # fmt: skip
"""What a number of columns shows, or that it is not known."""


def report(marked: str, message: str) -> tuple[str, str]:
    """The text without its marks, and the report that points at what was between them."""
    text = marked.replace("«", "").replace("»", "")
    before, rest = marked.split("«")
    width = len(rest.split("»")[0])
    line, column = before.count("\n") + 1, len(before.rsplit("\n", 1)[-1]) + 1
    shown = text.split("\n")[line - 1]
    return text, f"churn.kernel:{line}:{column}: error: {message}\n  {shown}\n  {' ' * (column - 1)}{'^' * width}"


def assert_reported(marked: str, kind: type[errors.SpecError], message: str, seen: Callable[[str], object]) -> None:
    text, expected = report(marked, message)
    with pytest.raises(kind) as caught:
        seen(text)
    assert type(caught.value) is kind
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("kind", "marked", "message"),
    [pytest.param(kind, *row, id=row[0]) for kind, rows in AT_ONCE.items() for row in rows],
)
def test_seen_at_once(kind: type[errors.SpecError], marked: str, message: str) -> None:
    assert_reported(marked, kind, message, lambda text: parse(text, name="churn.kernel"))


@pytest.mark.parametrize(
    ("kind", "marked", "dim", "message"),
    [pytest.param(kind, *row, id=row[0]) for kind, rows in ON_COLUMNS.items() for row in rows],
)
def test_seen_on_the_columns(kind: type[errors.SpecError], marked: str, dim: int | None, message: str) -> None:
    spec = parse(report(marked, message)[0], name="churn.kernel")  # whose text alone is in order
    assert_reported(marked, kind, message, lambda _: ks.analyze(spec, dim))


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
