"""Every semantic error, in full: what is wrong, where, and what would be accepted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import kernelspec as ks
from kernelspec import errors
from kernelspec.spec import parse
from kernelspec.tables.table_kinds import NAMES_NEEDED

AT_ONCE: dict[type[errors.SpecError], list[tuple[str, str]]] = {
    errors.UnknownNameError: [
        ("«gausian»()", "there is no kernel 'gausian'; did you mean 'gaussian'?"),
        ("2*«frobnicate»(1)", "there is no kernel 'frobnicate'"),
        ("«student_t»(dof=3)",
         "there is no kernel 'student_t'; as a distribution it goes inside bochner(student_t(…))"),
        ("«nakagami»(2)", "there is no kernel 'nakagami'; as a distribution it goes inside polya(nakagami(…))"),
        ("param bandwidth = 2\ngaussian(«bandwith»)", "unknown name 'bandwith'; did you mean 'bandwidth'?"),
        ("gaussian(«qqq»)", "unknown name 'qqq'; for a number to be given later add the line 'param qqq > 0' above; "
         "for a column write gaussian()[qqq]"),
        ("bochner(«studnt_t»(3))", "there is no distribution 'studnt_t'; did you mean 'student_t'?"),
    ],
    errors.TypeMismatchError: [
        ("2 * «gaussian»", "'gaussian' is a kernel: write gaussian(…)"),
        ("bochner(«2»)", "a distribution is needed here, such as student_t(dof=3)"),
        ("«3»", "a number stands where a kernel is needed"),
        ("mean(gaussian(), «[1, 2]»)", "a vector stands where a kernel is needed"),
        ("gaussian() + «1»", "a number cannot be added to a kernel: 2*constant() is the kernel that is 2 everywhere"),
        ("gaussian() + «[1, 2]»", "a vector cannot be added to a kernel"),
        ("«image(2, 2, 1)» + gaussian()", "a grid cannot be added to a kernel: full(…, input=…) makes a kernel of it"),
        ("1 / «gaussian()»", "a kernel cannot divide: only a number stands after '/'"),
        ("gaussian(scale=«laplace()»)", "'scale' of gaussian() must be a number, not a kernel"),
        ("gaussian(«[1, 2]»)",
         "'scale' of gaussian() is a single number, not a vector; "
         "for one scale per column write stretch(gaussian(), […])"),
        ("cosine([1, «gaussian()»])", "a vector holds numbers, not kernels"),
        ("cosine(«[[1], [2]]»)", "'by' of cosine() is a vector, not a matrix"),
        ("gaussian() ** «[1, 2]»", "the exponent must be a number, not a vector"),
        ("bochner(student_t(3), isotropic=«1»)", "'isotropic' of bochner() is true or false"),
        ("gaussian() * («r -> r»)", "a formula stands by itself: it belongs inside product(…) or activation(…)"),
        ("«stretch(match(), 2)»",
         "stretch() acts on differences, and match() compares categories: apply it to the other factors"),
        ("«modulate(gaussian()*match()[0], 2)»",
         "modulate() acts on differences, and match() compares categories: apply it to the other factors"),
    ],
    errors.ArgumentError: [
        ("0.7 * gaussian(«sclae»=2)", "gaussian() has no argument 'sclae'; did you mean 'scale'?"),
        ("gaussian(«qqq»=2)", "gaussian() has no argument 'qqq': gaussian(scale=1)"),
        ("gaussian(1, «2»)", "gaussian() takes 1 argument: gaussian(scale=1)"),
        ("match(«1»)", "match() takes no arguments: match()"),
        ("match(«city»)",
         "match() takes no arguments: match(); columns stand behind the kernel, as in match()[city]"),
        ("gaussian(2, «scale=3»)", "gaussian() got 'scale' twice"),
        ("1 + «matern()»", "matern() needs the argument 'nu': matern(nu, scale=1)"),
        ("«stretch(gaussian())»", "stretch() needs the argument 'by': stretch(kernel, by)"),
        ("«mean()»", "mean() takes kernels, one or more: mean(k1, k2, …)"),
        ("gaussian(«sqrt(1, 2)»)", "sqrt() takes one number"),
    ],
    errors.RangeError: [
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
        ("normalize(«gaussian() - 2*laplace()»)",
         "normalize() divides by k(x, x), which is -1 here: it must be positive"),
        ("gaussian() * («1/0»)", "division by zero"),
    ],
    errors.ColumnError: [
        ("gaussian()[age, «age»]", "column 'age' is selected twice: name each column once"),
        ("laplace()[«3»][0:2]", "there is no column 3: there are 2 columns, 0 to 1"),
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
        ("gaussian()[«3»]", 2, "there is no column 3: there are 2 columns, 0 to 1"),
        ("gaussian()[«0:3»]", 2, "the slice leaves the table: there are 2 columns, 0 to 1"),
        ("gaussian()[«age»]", 2, f"column 'age' cannot be found: {NAMES_NEEDED}"),
        ("gaussian()[1, 0, «-1»]", 2, "column 1 is selected twice: name each column once"),
    ],
    errors.DimensionError: [
        ("cosine(«[1, 2]»)", 3, "'by' of cosine() has 2 entries for 3 columns"),
        ("stretch(laplace(), «[1, 2]»)", 1, "'by' of stretch() has 2 entries for 1 column"),
        ("cosine(«[1, 2]»)", None,
         "'by' of cosine() has 2 entries, so the number of columns is needed: give dim= or columns="),
        ("stretch(laplace(), «[[1, 2]]»)", None,
         "stretch() by a matrix needs the number of columns: give dim= or columns="),
        ("gaussian()[age] + «laplace()»", None,
         "laplace() applies to all columns, but only some are named in the spec: select its columns, as in k[age], "
         "or give the columns of the data"),
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


def test_the_report_as_it_is_printed() -> None:
    with pytest.raises(errors.ArgumentError) as caught:
        parse("# two parts\n0.3*laplace() + 0.7 * gaussian(sclae=2)", name="churn.kernel")
    assert str(caught.value) == (
        "churn.kernel:2:32: error: gaussian() has no argument 'sclae'; did you mean 'scale'?\n"
        "  0.3*laplace() + 0.7 * gaussian(sclae=2)\n"
        "                                 ^^^^^"
    )
