"""Every semantic error, in full: what is wrong, where, and what would be accepted."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec import errors
from kernelspec.spec import parse

AT_ONCE = [
    # names
    ("«gausian»()", errors.UnknownNameError, "there is no kernel 'gausian'; did you mean 'gaussian'?"),
    ("2*«frobnicate»(1)", errors.UnknownNameError, "there is no kernel 'frobnicate'"),
    ("«student_t»(dof=3)", errors.UnknownNameError,
     "there is no kernel 'student_t'; as a distribution it goes inside bochner(student_t(…))"),
    ("param bandwidth = 2\ngaussian(«bandwith»)", errors.UnknownNameError,
     "unknown name 'bandwith'; did you mean 'bandwidth'?"),
    ("gaussian(«qqq»)", errors.UnknownNameError, "unknown name 'qqq'; a column is selected as in k[age]"),
    ("2 * «gaussian»", errors.TypeMismatchError, "'gaussian' is a kernel: write gaussian(…)"),
    ("bochner(«studnt_t»(3))", errors.UnknownNameError,
     "there is no distribution 'studnt_t'; did you mean 'student_t'?"),
    ("bochner(«2»)", errors.TypeMismatchError, "a distribution is needed here, such as student_t(dof=3)"),
    # arguments
    ("0.7 * gaussian(«sclae»=2)", errors.ArgumentError, "gaussian() has no argument 'sclae'; did you mean 'scale'?"),
    ("gaussian(«qqq»=2)", errors.ArgumentError, "gaussian() has no argument 'qqq': gaussian(scale=1)"),
    ("gaussian(1, «2»)", errors.ArgumentError, "gaussian() takes 1 argument: gaussian(scale=1)"),
    ("match(«1»)", errors.ArgumentError, "match() takes no arguments: match()"),
    ("gaussian(2, «scale=3»)", errors.ArgumentError, "gaussian() got 'scale' twice"),
    ("1 + «matern()»", errors.ArgumentError, "matern() needs the argument 'nu': matern(nu, scale=1)"),
    ("«stretch(gaussian())»", errors.ArgumentError, "stretch() needs the argument 'by': stretch(kernel, by)"),
    ("«mean()»", errors.ArgumentError, "mean() takes kernels, one or more: mean(k1, k2, …)"),
    ("gaussian(«sqrt(1, 2)»)", errors.ArgumentError, "sqrt() takes one number"),
    # types
    ("«3»", errors.TypeMismatchError, "a number stands where a kernel is needed"),
    ("mean(gaussian(), «[1, 2]»)", errors.TypeMismatchError, "a vector stands where a kernel is needed"),
    ("gaussian() + «1»", errors.TypeMismatchError,
     "a number cannot be added to a kernel (a constant is no kernel of the language)"),
    ("1 / «gaussian()»", errors.TypeMismatchError, "a kernel cannot divide: only a number stands after '/'"),
    ("gaussian(scale=«laplace()»)", errors.TypeMismatchError, "'scale' of gaussian() must be a number, not a kernel"),
    ("gaussian(«[1, 2]»)", errors.TypeMismatchError,
     "'scale' of gaussian() is a single number, not a vector; "
     "for one scale per column write stretch(gaussian(), […])"),
    ("cosine([1, «gaussian()»])", errors.TypeMismatchError, "a vector holds numbers, not kernels"),
    ("cosine(«[[1], [2]]»)", errors.TypeMismatchError, "'by' of cosine() is a vector, not a matrix"),
    ("gaussian() ** «[1, 2]»", errors.TypeMismatchError, "the exponent must be a number, not a vector"),
    ("bochner(student_t(3), isotropic=«1»)", errors.TypeMismatchError, "'isotropic' of bochner() is true or false"),
    ("gaussian() * («r -> r»)", errors.TypeMismatchError,
     "a formula stands by itself: it belongs inside radial(…) or product(…)"),
    ("«stretch(match(), 2)»", errors.TypeMismatchError,
     "stretch() acts on differences, and match() compares categories: apply it to the other factors"),
    ("«modulate(gaussian()*match()[0], 2)»", errors.TypeMismatchError,
     "modulate() acts on differences, and match() compares categories: apply it to the other factors"),
    # ranges
    ("gaussian(«-1»)", errors.RangeError, "'scale' of gaussian() must be a number greater than 0, not -1"),
    ("powered_exponential(«2.5»)", errors.RangeError,
     "'alpha' of powered_exponential() must be a number greater than 0 and at most 2, not 2.5"),
    ("periodic(1, «1e-9»)", errors.RangeError, "'scale' of periodic() must be a number at least 0.0001, not 1e-09"),
    ("stretch(gaussian(), «0»)", errors.RangeError, "'by' of stretch() must be greater than 0, not 0"),
    ("stretch(gaussian(), «[1, -2]»)", errors.RangeError, "'by' of stretch() must be greater than 0, not -2"),
    ("matern(nu=1) ** «0.5»", errors.RangeError,
     "the power of this kernel must be a whole number from 1 to 100, not 0.5"),
    ("(laplace() + gaussian()) ** «101»", errors.RangeError,
     "the power of this kernel must be a whole number from 1 to 100, not 101"),
    ("(2*gaussian()) ** «-2»", errors.RangeError, "the power of this kernel must be a number greater than 0, not -2"),
    ("(-gaussian()) ** «0.5»", errors.RangeError,
     "the power of this kernel must be a whole number from 1 to 100, not 0.5"),
    ("normalize(«gaussian() - 2*laplace()»)", errors.RangeError,
     "normalize() divides by k(x, x), which is -1 here: it must be positive"),
    ("gaussian() * («1/0»)", errors.RangeError, "division by zero"),
    # columns
    ("gaussian()[age, «age»]", errors.ColumnError, "column 'age' is selected twice: name each column once"),
    ("laplace()[«3»][0:2]", errors.ColumnError, "there is no column 3: there are 2 columns, 0 to 1"),
    ("laplace()[«4:2»]", errors.ColumnError, "this slice selects no column"),
    # dimensions
    ("cosine(«[1, 2, 3]»)[0:2]", errors.DimensionError, "'by' of cosine() has 3 entries for 2 columns"),
    ("cosine(«[1, 2]»)[age]", errors.DimensionError, "'by' of cosine() has 2 entries for 1 column"),
    ("stretch(gaussian(), «[[1, 2], [3]]»)", errors.DimensionError, "the rows of the matrix differ in length"),
    ("stretch(gaussian(), «[[1, 2]]»)[0:3]", errors.DimensionError,
     "the matrix of stretch() has 2 columns for 3 columns of data"),
]  # fmt: skip

ON_COLUMNS = [
    ("gaussian()[«3»]", 2, errors.ColumnError, "there is no column 3: there are 2 columns, 0 to 1"),
    ("gaussian()[«0:3»]", 2, errors.ColumnError, "the slice leaves the table: there are 2 columns, 0 to 1"),
    ("gaussian()[«age»]", 2, errors.ColumnError,
     "column 'age' cannot be found: the columns have no names; give them, or select by position"),
    ("cosine(«[1, 2]»)", 3, errors.DimensionError, "'by' of cosine() has 2 entries for 3 columns"),
    ("stretch(laplace(), «[1, 2]»)", 1, errors.DimensionError, "'by' of stretch() has 2 entries for 1 column"),
    ("cosine(«[1, 2]»)", None, errors.DimensionError,
     "'by' of cosine() has 2 entries, so the number of columns is needed: give dim= or columns="),
    ("stretch(laplace(), «[[1, 2]]»)", None, errors.DimensionError,
     "stretch() by a matrix needs the number of columns: give dim= or columns="),
    ("gaussian()[age] + «laplace()»", None, errors.DimensionError,
     "laplace() applies to all columns, but only some are named in the spec: select its columns, as in k[age], "
     "or give the columns of the data"),
    ("gaussian()[1, 0, «-1»]", 2, errors.ColumnError, "column 1 is selected twice: name each column once"),
    ("gaussian(«1/(d - 2)»)", 2, errors.RangeError, "division by zero"),
    ("gaussian(scale=«d - 3»)", 2, errors.RangeError, "'scale' of gaussian() must be a number greater than 0, not -1"),
    ("gaussian() + «radial(r -> exp(-r))»", 2, errors.NotAvailableYet,
     "radial() is in the language, but not available yet in this version"),
]  # fmt: skip


def report(marked: str, message: str) -> tuple[str, str]:
    """The text without its marks, and the report that points at what was between them."""
    text = marked.replace("«", "").replace("»", "")
    before, rest = marked.split("«")
    width = len(rest.split("»")[0])
    line, column = before.count("\n") + 1, len(before.rsplit("\n", 1)[-1]) + 1
    shown = text.split("\n")[line - 1]
    return text, f"churn.kernel:{line}:{column}: error: {message}\n  {shown}\n  {' ' * (column - 1)}{'^' * width}"


@pytest.mark.parametrize(("marked", "kind", "message"), AT_ONCE, ids=[row[0] for row in AT_ONCE])
def test_seen_at_once(marked: str, kind: type[errors.SpecError], message: str) -> None:
    text, expected = report(marked, message)
    with pytest.raises(kind) as caught:
        parse(text, name="churn.kernel")
    assert str(caught.value) == expected
    assert type(caught.value) is kind


@pytest.mark.parametrize(("marked", "dim", "kind", "message"), ON_COLUMNS, ids=[row[0] for row in ON_COLUMNS])
def test_seen_on_the_columns(marked: str, dim: int | None, kind: type[errors.SpecError], message: str) -> None:
    text, expected = report(marked, message)
    spec = parse(text, name="churn.kernel")
    with pytest.raises(kind) as caught:
        ks.analyze(spec, dim)
    assert type(caught.value) is kind
    assert str(caught.value) == expected


def test_the_report_as_it_is_printed() -> None:
    with pytest.raises(errors.ArgumentError) as caught:
        parse("# two parts\n0.3*laplace() + 0.7 * gaussian(sclae=2)", name="churn.kernel")
    assert str(caught.value) == (
        "churn.kernel:2:32: error: gaussian() has no argument 'sclae'; did you mean 'scale'?\n"
        "  0.3*laplace() + 0.7 * gaussian(sclae=2)\n"
        "                                 ^^^^^"
    )


def test_too_many_kernels_through_lets() -> None:
    lines = ["let k0 = gaussian()"] + [f"let k{i + 1} = k{i} * k{i} + k{i} * laplace()" for i in range(20)]
    with pytest.raises(errors.RangeError, match="more than 100,000 kernels, counting every use of a let"):
        parse("\n".join([*lines, "k20"]))


def test_a_free_parameter_is_asked_for_where_it_is_used() -> None:
    spec = parse("param s > 0\n2*gaussian(s)", name="churn.kernel")
    with pytest.raises(errors.ParameterError) as caught:
        spec.gram([[0.0], [1.0]])
    assert str(caught.value).startswith("churn.kernel:2:12: error: parameter 's' has no value")


@pytest.mark.parametrize("text", ["cosine(ones)", "modulate(gaussian(), by=ones)", "cosine(2/d)"])
def test_a_constant_vector_needs_no_number_of_columns(text: str) -> None:
    assert ks.analyze(text).verdict.positive_definite == "proved"
