"""Arguments by position and by name, in the order they are declared, with their defaults."""

from __future__ import annotations

from dataclasses import MISSING

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.arguments import declared
from kernelspec.kernels.leaf import KERNELS, load_kernel


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
    missing = [argument for argument, (_, default) in declared(load_kernel(name)).items() if default is MISSING]
    if missing:
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
