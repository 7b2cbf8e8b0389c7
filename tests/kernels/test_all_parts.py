"""Parts of a kernel, those of images included."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import TypeMismatchError
from kernelspec.kernels.parts import all_parts


def test_the_kernel_of_an_image_is_among_them() -> None:
    kernel = ks.parse("2*full(relu, input=image(1, 2, 1, base=match()*cauchy())) + laplace()").kernel(Columns(2))
    found = [type(part).__name__ for part in all_parts(kernel)]
    assert found == ["Sum", "Skeleton", "Product", "Match", "Cauchy", "Laplace"]


@pytest.mark.parametrize("form", ["stretch({}, 2)", "modulate({}, [1, 0])", "shift({}, 1)", "tilt({}, 0.1)"])
@pytest.mark.parametrize("base", ["match()", "gaussian()*binary()"])
def test_forms_that_act_on_differences_refuse_it(form: str, base: str) -> None:
    text = form.format(f"full(relu, input=image(1, 2, 1, base={base}))")
    with pytest.raises(TypeMismatchError, match=r"differences|categories"):
        ks.parse(text).kernel(Columns(2))
