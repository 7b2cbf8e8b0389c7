"""Which of the two bounds holds for which kernel."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.analysis.bounds import ComplexGuarantee, PositiveGuarantee, guarantee_of
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import DimensionError, NotStationaryError, PlanError
from kernelspec.measures.masses import Masses


def never() -> Masses:
    raise AssertionError("the masses are not needed")


def test_what_a_positive_definite_kernel_brings() -> None:
    """k(0) = 5 and E‖ω‖² = d/σ² = 3/4."""
    kernel = ks.parse("5*gaussian(scale=2)").kernel(Columns(3))
    found = guarantee_of(lambda: kernel, never, 3, positive_definite=True)
    assert found == PositiveGuarantee(3, 5.0, pytest.approx(0.75))


def test_what_any_other_kernel_brings() -> None:
    kernel, masses = ks.parse("sinh_gaussian(by=0.5)").kernel(Columns(2)), Masses(1, 0, 0.25, 0.25, 1.5)
    found = guarantee_of(lambda: kernel, lambda: masses, 2, positive_definite=False)
    assert isinstance(found, ComplexGuarantee)
    assert (found.dim, found.masses) == (2, masses)
    assert found.moments.real_positive == pytest.approx(2)  # the real part is the Gaussian N(0, I)


def test_through_the_facts() -> None:
    facts = ks.analyze("shift_gaussian(scale=2, by=0.5)", dim=3)
    bound = facts.bound(0.1, 0.05, 4)
    assert bound.columns == 6 * bound.samples
    assert facts.bound_error(bound.samples, 0.05, 4) == pytest.approx(0.1, rel=1e-3)
    definite = ks.analyze("gaussian()", dim=3)
    assert definite.bound_error(definite.bound(0.1, 0.05, 4).samples, 0.05, 4) == pytest.approx(0.1, rel=1e-3)
    with pytest.raises(PlanError, match="infinite"):
        ks.analyze("2*gaussian() - laplace()", dim=1).bound(0.1, 0.05, 4)
    with pytest.raises(PlanError, match="no uniform bound"):
        ks.analyze("gaussian() - match()", dim=1).bound(0.1, 0.05, 4)


def test_where_the_bound_does_not_apply() -> None:
    with pytest.raises(PlanError, match="second moment of the spectral measure is infinite"):
        ks.analyze("laplace()", dim=2).bound(0.1, 0.1, 1)
    with pytest.raises(PlanError, match="no spectral measure"):
        ks.analyze("2*gaussian() - match()", dim=2).bound(0.1, 0.1, 1)
    with pytest.raises(NotStationaryError, match="inner product"):
        ks.analyze("linear()", dim=2).bound(0.1, 0.1, 1)


@pytest.mark.parametrize("text", ["gaussian()", "dual(relu, gaussian())", "2*gaussian() - laplace()"])
def test_without_a_number_of_columns(text: str) -> None:
    for call in (lambda facts: facts.bound(0.1, 0.1, 1), lambda facts: facts.bound_error(100, 0.1, 1)):
        with pytest.raises(DimensionError, match="number of columns"):
            call(ks.analyze(text))


def test_a_dual_has_the_bound_of_its_second_moment() -> None:
    """E‖ω‖² = E l · d for the dual of an activation with the mean degree E l."""
    dual, wide = ks.analyze("dual(relu, gaussian())", dim=2), ks.analyze("gaussian()", dim=2)
    degree = float(dual.second_moment / wide.second_moment)
    assert degree == pytest.approx(1, rel=1e-12)  # ½(1 + 1) of relu: E σ′² = E σ²
    assert dual.bound(0.1, 0.1, 1).samples == wide.bound(0.1, 0.1, 1).samples


@pytest.mark.parametrize("text", ["gaussian() - 0.5*dual(relu, gaussian())"])
def test_compositional_kernels_have_another_bound(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    for call in (lambda: facts.bound(0.1, 0.1, 1), lambda: facts.bound_error(100, 0.1, 1)):
        with pytest.raises(PlanError, match=r"facts\.composition\.samples\(eps, delta\)"):
            call()
    assert facts.composition is not None
    assert facts.composition.samples(0.1, 0.1) > 0


@pytest.mark.slow
@pytest.mark.parametrize("text", ["shift(matern(3/2), by=1)*matern(5/2)", "shift(matern(3/2)*matern(5/2), by=1)"])
def test_shifted_products_of_matern_kernels_have_a_bound_in_seconds(text: str) -> None:
    bound = ks.analyze(text, dim=1).bound(0.1, 0.1, 1.0)
    assert 10 < bound.samples < 10**6


def test_where_every_value_of_the_density_is_an_integral_there_is_a_reason_and_no_bound() -> None:
    with pytest.raises(PlanError, match="every value of it is an integral"):
        ks.analyze("shift(matern(3/2), by=1)*matern(5/2)", dim=2).bound(0.1, 0.1, 1.0)
