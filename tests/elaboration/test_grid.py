"""Grids as values of the language."""

from __future__ import annotations

import pytest

from kernelspec.activations.analytic import Exp
from kernelspec.activations.rectifiers import Relu
from kernelspec.elaboration.arithmetic import NumberArithmetic
from kernelspec.elaboration.elaborate import SpecElaborator
from kernelspec.elaboration.forms.grids import Grid, grid_of, mean_of, whole_number
from kernelspec.elaboration.scope import Columns, Definitions
from kernelspec.errors import ParameterError, RangeError, TypeMismatchError
from kernelspec.kernels.leaves.inner_products import Binary, Circle
from kernelspec.kernels.nodes.skeleton import Image
from kernelspec.language.parser import parse_program

IMAGE = Image(6, 8, 3, Circle(dim=1))


def test_layers_stand_on_one_another() -> None:
    grid = Grid(IMAGE)
    assert grid.shape == (6, 8, 3)
    first = grid.under(Relu(), 3, 2)
    assert first.shape == (2, 3, 1)
    assert first.layers[0].windows.counts.tolist() == [[27, 27, 27]] * 2
    whole = first.under(Relu(), None)
    assert whole.shape == (1, 1, 1)
    assert whole.layers[1].windows.counts.tolist() == [[6]]
    with pytest.raises(ValueError, match="does not fit"):
        first.under(Relu(), 3)
    assert Grid(None).under(Relu(), 100) == Grid(None)


def test_the_mean_of_grids_has_every_layer_once() -> None:
    image = Grid(IMAGE)
    first = image.under(Relu(), 3, 1, "same")
    second = image.under(Exp(c=1.0), 3, 1, "same")
    third = first.under(Relu(), 3, 1, "same")
    mean = mean_of([first, second, third])
    assert mean.shape == (6, 8, 1)
    # grids 0 (image), 1 (first), 2 (second), 3 (third, on first), counted back from the next
    assert [layer.below for layer in mean.layers] == [(-1,), (-2,), (-2,)]
    assert mean.top == (-3, -2, -1)
    assert mean.under(Relu(), None).layers[-1].below == (-3, -2, -1)
    assert mean_of([first, first]).layers == first.layers
    assert mean_of([mean_of([first, second]), third]).top == (-3, -2, -1, -1)
    gray = Grid(Image(6, 8, 1, Circle(dim=1)))
    beside = mean_of([gray, gray.under(Relu(), 3, 1, "same")])
    assert beside.top == (-2, -1)
    assert beside.shape == (6, 8, 1)
    assert mean_of([Grid(None), image]) == Grid(None)


def test_grids_without_a_mean() -> None:
    image = Grid(IMAGE)
    with pytest.raises(ValueError, match="one has 6 × 8 × 3 nodes and another 6 × 8 × 1"):
        mean_of([image, image.under(Relu(), 3, 1, "same")])
    with pytest.raises(ValueError, match="over different images"):
        mean_of([image, Grid(Image(6, 8, 3, Binary(dim=1)))])


def test_values_that_are_grids() -> None:
    program = parse_program("image(6, 8, 3)")
    definitions = Definitions.of(program, {})
    elaborator = SpecElaborator(NumberArithmetic())
    assert grid_of(elaborator, program.body, Columns(144), definitions, "this") == Grid(IMAGE)
    other = parse_program("circle()").body
    with pytest.raises(TypeMismatchError, match=r"this must be a grid: image\(…\)"):
        grid_of(elaborator, other, Columns(1), definitions, "this")


@pytest.mark.parametrize(("text", "checking", "expected"), [("3", False, 3), ("6/2", True, 3), ("n", True, None)])
def test_whole_numbers(text: str, checking: bool, expected: int | None) -> None:
    program = parse_program(f"param n > 0\n{text}")
    elaborator = SpecElaborator(NumberArithmetic(), checking=checking)
    found = whole_number(elaborator, program.body, Columns(1), Definitions.of(program, {}), "this")
    assert found == expected


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "1e7"])
def test_other_numbers_are_refused(text: str) -> None:
    program = parse_program(text)
    with pytest.raises(RangeError, match="this must be a whole number from 1 to 1,000,000"):
        whole_number(SpecElaborator(NumberArithmetic()), program.body, Columns(1), Definitions.of(program, {}), "this")


def test_a_number_that_is_needed() -> None:
    from kernelspec.elaboration.arithmetic import SymbolicArithmetic

    program = parse_program("param n > 0\nn")
    with pytest.raises(ParameterError, match="this must be known here"):
        whole_number(
            SpecElaborator(SymbolicArithmetic()), program.body, Columns(1), Definitions.of(program, {}), "this"
        )
