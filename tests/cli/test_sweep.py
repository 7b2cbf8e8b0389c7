"""Every combination of the values of parameters, and what the curves are called."""

from __future__ import annotations

from fractions import Fraction

import click
import pytest

import kernelspec as ks
from kernelspec.cli.spec_input import Choices, every_choice, given_choices, is_sweep

OPTION = click.Option(["-p"], multiple=True)
CONTEXT = click.Context(click.Command("plot"))
MATERN = ks.parse("param nu = 3/2\nparam s = 1\nmatern(nu=nu, scale=s)")


def choices(*given: str) -> Choices:
    return given_choices(CONTEXT, OPTION, given)


def test_one_value_or_several() -> None:
    assert choices("nu=1/2,2.5", " s = 3 ") == {
        "nu": [{"nu": Fraction(1, 2)}, {"nu": Fraction(5, 2)}],
        "s": [{"s": Fraction(3)}],
    }
    assert is_sweep(choices("nu=1/2,5/2"))
    assert not is_sweep(choices("nu=1/2", "s=3"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["s=1", "s=2"], "gives 's' two values"),
        (["s=1,x"], "'x' is not a number"),
        (["s=1,"], "takes NAME=VALUE"),
        (["s"], "takes NAME=VALUE"),
    ],
)
def test_what_is_no_value(given: list[str], said: str) -> None:
    with pytest.raises(click.UsageError, match=said):
        choices(*given)


def test_every_combination_is_named_by_what_differs() -> None:
    specs, labels = every_choice([MATERN], ["m"], choices("nu=0.5,2.5", "s=2"))
    assert [spec.params for spec in specs] == [{"nu": 0.5, "s": 2}, {"nu": 2.5, "s": 2}]
    assert labels == ["m, nu = 0.5", "m, nu = 2.5"]
    assert every_choice([MATERN], [""], choices("s=1,2"))[1] == ["s = 1", "s = 2"]
    assert len(every_choice([MATERN], ["m"], choices("nu=0.5,2.5", "s=1,2,3"))[0]) == 6


def test_a_spec_takes_the_parameters_that_it_has() -> None:
    plain = ks.parse("gaussian()")
    specs, labels = every_choice([plain, MATERN], [None, "m"], choices("s=1,2"))
    assert specs[0] is plain
    assert len(specs) == 3
    assert labels == ["gaussian()", "m, s = 1", "m, s = 2"]
    with pytest.raises(ks.KernelspecError, match="no parameter 'width'"):
        every_choice([plain, MATERN], ["g", "m"], choices("width=1"))
