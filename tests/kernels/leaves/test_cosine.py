"""The cosine kernel."""

import mpmath as mp
import numpy as np
import pytest
import sympy

from kernelspec.errors import NoDensityError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.discrete import Cosine
from kernelspec.random.streams import Stream
from tests.kernels.cases import direction
from tests.kernels.standard import at, standard_kernel_tests


def formula(lag):
    return mp.cos(mp.fsum(mp.mpf(w) * t for w, t in zip(direction(len(lag)), lag, strict=True)))


test_standard = standard_kernel_tests({"cosine": formula}, leave_out=["symbolic_parameters"])

W = Cosine(by=(1.5, -0.5), dim=2)


def test_atoms():
    atoms = W.atoms()
    assert {tuple(point) for point in atoms.points} == {(1.5, -0.5), (-1.5, 0.5)}
    assert atoms.weights.tolist() == [0.5, 0.5]
    assert atoms.omitted == 0
    assert W.finite_atoms() == (((1.5, -0.5), sympy.S.Half), ((-1.5, 0.5), sympy.S.Half))


def test_the_constant_kernel_has_one_atom():
    constant = Cosine(by=(0.0, 0.0), dim=2)
    assert constant.atoms().weights.tolist() == [1.0]
    assert (at(constant, np.ones((2, 2))) == 1).all()


def test_only_the_two_frequencies_are_drawn():
    drawn = W.draw(Stream(5), 1000)
    assert {tuple(row) for row in drawn} == {(1.5, -0.5), (-1.5, 0.5)}


def test_density_is_two_deltas():
    with pytest.raises(NoDensityError, match="two atoms"):
        W.density(NumericPairs.of_vectors(np.zeros((1, 2))))
    frequency = SymbolicPairs.frequency(2)
    first, second = frequency.component(1), frequency.component(2)
    written = Cosine(by=(sympy.S(3), sympy.S(1)), dim=2).density_expression(frequency)
    total = sympy.integrate(written * sympy.cos(first + 2 * second), (first, -sympy.oo, sympy.oo))
    assert sympy.simplify(sympy.integrate(total, (second, -sympy.oo, sympy.oo)) - sympy.cos(5)) == 0


def test_second_moment_with_symbols():
    a, b = sympy.symbols("a b", positive=True)
    assert Cosine(by=(a, b), dim=2).second_moment() == a**2 + b**2
    assert Cosine(by=(a, b), dim=2).second_moment(2) == 4 * a**2 + 4 * b**2
    d = sympy.Symbol("d", integer=True, positive=True)
    assert Cosine(by=(a,), dim=d).second_moment() == d * a**2
