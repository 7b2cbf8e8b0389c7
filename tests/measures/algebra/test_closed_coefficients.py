"""The algebra in closed numbers, and jumps that are proved to be 0."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.measures.algebra.exact_numbers import ClosedCoefficients
from kernelspec.measures.algebra.kernel_series import vanishing_jumps
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.measure import measure_of
from kernelspec.special.closed_numbers import ClosedNumber

NUMBERS = ClosedCoefficients()


def jumps(text: str, count: int = 6) -> dict[float, list[bool]]:
    measure = measure_of(ks.parse(text).symbolic_kernel(Columns(1)))
    found = vanishing_jumps(line_members(measure, NUMBERS), count)
    return {float(end.enclosed(20)[0]): row for end, row in found.items()}


def test_orders_and_roots() -> None:
    two, root = NUMBERS.number(2), NUMBERS.root(NUMBERS.number(2))
    assert NUMBERS.less(root, two) is True
    assert NUMBERS.smaller(root, two) is root
    assert NUMBERS.larger(root, two) is two
    assert NUMBERS.is_zero(root * root - two, two)
    assert NUMBERS.exponential(ClosedNumber.of(0)) == 1


def test_jumps_of_matern_kernels() -> None:
    assert jumps("laplace()") == {0.0: [True, False, True, False, True, False]}
    assert jumps("matern(3/2)")[0.0][:4] == [True, True, True, False]
    assert jumps("laplace()*cauchy()")[0.0][:2] == [True, False]
    assert jumps("gaussian()") == {}


def test_what_cancels_is_seen_and_what_nearly_does_too() -> None:
    assert jumps("1.5*laplace(0.3) - 0.5*laplace(0.1)")[0.0][:4] == [True, True, True, False]
    assert jumps("1.5*laplace(0.3) - (0.5 + 1e-30)*laplace(0.1)")[0.0][:2] == [True, False]
    assert jumps("laplace() - laplace()*cauchy()")[0.0][:4] == [True, True, True, False]
    assert jumps("triangle()*laplace() - 0.1*triangle()")[1.0][:2] == [True, False]
