"""What is counted while a kernel is elaborated, and where it is refused."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Counts
from kernelspec.errors import RangeError
from kernelspec.language.parser import parse_program
from kernelspec.limits import MAX_EVALUATIONS, MAX_KERNELS, MAX_WRITTEN_COLUMNS

NODE = parse_program("gaussian()").body


def test_the_bounds_are_allowed_and_one_more_is_not() -> None:
    counts = Counts()
    counts.count_kernels(MAX_KERNELS, NODE)
    counts.count_columns(MAX_WRITTEN_COLUMNS, NODE)
    counts.count_evaluations(MAX_EVALUATIONS, NODE)
    assert counts == Counts(20_000, 8_000_000, 400_000)
    for count in (counts.count_kernels, counts.count_columns, counts.count_evaluations):
        with pytest.raises(RangeError) as caught:
            count(1, NODE)
        assert caught.value.span == NODE.span


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("+".join(["gaussian()[0:1999999]"] * 40), (1, 89)),
        ("gaussian()[0:1000000]" + "[0:999999]" * 30, (1, 1)),
        ("gaussian()" + "[0:2000000]" * 40, (1, 1)),
        ("let k = gaussian()[0:1999999]\n" + "+".join(["k"] * 40), (2, 9)),
        ("let v = ones\n" + "+".join(["cosine(by=v)[0:2000000]"] * 40), (2, 35)),
        ("stretch(gaussian(), [" + ", ".join(["ones"] * 40) + "])[0:2000000]", (1, 40)),
    ],
)
def test_a_short_text_does_not_stand_for_gigabytes(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(RangeError, match="more than 8,000,000 columns") as caught:
        ks.parse(text)
    span = caught.value.span
    assert span is not None
    assert (span.line, span.column) == place


def test_lets_that_double_kernels_of_formulas_are_counted() -> None:
    for base in ("product(t -> exp(-t**3))", "radial(r -> exp(-r**3))", "full(relu, input=image(1, 2, 1))"):
        lines = "".join(f"let k{i + 1} = mean(stretch(k{i}, 2), k{i})**2\n" for i in range(3))
        assert ks.parse(f"let k0 = {base}\n{lines}k3")
        lines = "".join(f"let k{i + 1} = stretch(k{i}, 2) + stretch(k{i}, 3)\n" for i in range(15))
        with pytest.raises(RangeError, match="more than 20,000 kernels"):
            ks.parse(f"let k0 = {base}\n{lines}k15")


def test_lets_that_double_the_grids_of_a_mean_are_counted() -> None:
    lines = "".join(f"let g{i + 1} = mean(g{i}, g{i})\n" for i in range(30))
    with pytest.raises(RangeError, match="more than 20,000 kernels"):
        ks.parse(f"let g0 = image(1, 1, 1)\n{lines}full(relu, input=g30)")
