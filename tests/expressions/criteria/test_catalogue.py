"""For which d radial formulas are positive definite: a table from the literature."""

from __future__ import annotations

import pytest

from kernelspec.expressions.criteria.necessary import CRITERIA, statements
from kernelspec.loading import load_from
from tests.expressions.written import written

EVERY = None

KNOWN: dict[str, tuple[int | None, int | None, str]] = {
    # holds for d ≤ …, fails from d = … on
    "exp(-r**1.9)": (EVERY, None, "Schoenberg 1938"),
    "exp(-sqrt(r))": (EVERY, None, "Schoenberg 1938"),
    "2**(-r)": (EVERY, None, "Schoenberg 1938"),
    "(1 + r**1.5)**-2": (EVERY, None, "Gneiting and Schlather 2004, the Cauchy class"),
    "(1 + r)**-0.3": (EVERY, None, "Gneiting and Schlather 2004"),
    "1/(1 + log(1 + r))": (EVERY, None, "Berg, Mateu and Porcu 2008, the Dagum family's kind"),
    "1/(1 + sqrt(r))": (EVERY, None, "Berg, Mateu and Porcu 2008, Dagum"),
    "log(1 + r)/r": (EVERY, None, "Schilling, Song and Vondraček 2012, table 16"),
    "r/sinh(r)": (EVERY, None, "Feller 1971, section XVI.6"),
    "1/cosh(r)": (EVERY, None, "Feller 1971, section XV.2"),
    "1/cosh(r)**0.3": (EVERY, None, "Pitman and Yor 2003"),
    "tanh(r)/r": (EVERY, None, "Pitman and Yor 2003"),
    "sqrt(pi)/2*erf(r)/r": (EVERY, None, "an average of Gaussians"),
    "exp(1 - sqrt(1 + r**2))": (EVERY, None, "Barndorff-Nielsen 1978, hyperbolic laws"),
    "exp(exp(-r**2) - 1)": (EVERY, None, "compound Poisson with Gaussian jumps"),
    "exp(-r)*(1 + r**2)**-0.5": (EVERY, None, "products of mixtures of Gaussians"),
    "0.3*exp(-r) + 0.7*exp(-r**2)": (EVERY, None, "sums of mixtures of Gaussians"),
    "1/(1 + r + r**2)": (EVERY, None, "Schilling, Song and Vondraček 2012: 1/Bernstein"),
    "(2 - exp(-r))**-1": (EVERY, None, "1/Bernstein"),
    "cos(r)": (1, 2, "Schoenberg 1938, Ω₁"),
    "besselj(0, 2*r)": (2, 3, "Schoenberg 1938, Ω₂"),
    "sin(r)/r": (3, 4, "Schoenberg 1938, Ω₃: the wave kernel"),
    "2*besselj(1, r)/r": (4, 5, "Schoenberg 1938, Ω₄"),
    "exp(-r)*cos(r)": (2, 3, "Yaglom 1987: a ≥ b in the plane"),
    "exp(-2*r)*cos(r)": (3, 4, "Yaglom 1987: a ≥ √3 b in space"),
    "exp(-r/2)*cos(r)": (1, 2, "Yaglom 1987"),
    "max(0, 1 - r)": (1, 2, "Askey 1973; the tent of the norm"),
    "max(0, 1 - r/2)**1.5": (2, 3, "Golubov 1981"),
    "max(0, 1 - r)**2": (3, 4, "Askey 1973"),
    "max(0, 1 - r)**3": (5, 6, "Askey 1973; Golubov 1981"),
    "max(0, 1 - r)**0.5": (0, 1, "Golubov 1981"),
    "2/pi*(acos(min(r, 1)) - min(r, 1)*sqrt(1 - min(r, 1)**2))": (2, 3, "Matérn 1960, circular"),
    "1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3": (3, 4, "Matérn 1960, spherical"),
    "1 - 3/4*min(r, 2) + min(r, 2)**3/16": (3, 4, "Matérn 1960, spherical of range 2"),
    "max(0, 1 - r)**2*(1 + r/2)": (3, 4, "Matérn 1960, the spherical as a product"),
    "1 - 15/8*min(r,1) + 5/4*min(r,1)**3 - 3/8*min(r,1)**5": (5, 6, "Matérn 1960, pentaspherical"),
    "exp(-r**3)": (0, 1, "Schoenberg 1938; Lukacs 1970"),
    "exp(-r**4)": (0, 1, "Schoenberg 1938"),
    "1/(1 + r**4)": (0, 1, "Lukacs 1970"),
    "cos(r)**2 + r**2*exp(-r)": (0, 1, "above f(0)"),
    "1 + r": (0, 1, "unbounded"),
    "max(0, 1 - 3/2*r + r**3/2)": (0, 1, "the spherical kernel without its end: it grows"),
}
"""Formula → (positive definite for all d ≤ this, for none from this on, source)."""

AT_LEAST: dict[str, tuple[int, str]] = {
    "max(0, 1 - r)**4*(4*r + 1)": (3, "Wendland 1995, φ_{3,1}"),
    "max(0, 1 - r)**3*(3*r + 1)": (1, "Wendland 1995, φ_{1,1}"),
    "max(0, 1 - r)**6*(35*r**2 + 18*r + 3)/3": (3, "Wendland 1995, φ_{3,2}"),
    "max(0, 1 - r)**5*(8*r**2 + 5*r + 1)": (1, "Wendland 1995, φ_{1,2}"),
    "max(0, 1 - r)**5*(5*r + 1)": (5, "Wendland 1995, φ_{5,1}"),
    "(1 + r/3)*exp(-2*r)": (1, "Polya 1949"),
    "max(0, 1 - r)/2 + exp(-r)/2": (1, "Polya 1949"),
}
"""Formula → (positive definite for all d ≤ this, source)."""

OPEN = ["(1 - r**2/4)*exp(-r**2/2) + 0.01*cos(r)", "exp(-r**2)*(1 + sin(r**2)/9)"]


def answer(text: str) -> tuple[int | None, int | None]:
    found = statements(written(f"r -> {text}"))
    if any(one.holds is None for one in found):
        return EVERY, None
    fails = [one.fails for one in found if one.fails is not None]
    return max((one.holds or 0 for one in found), default=0), min(fails, default=None)


@pytest.mark.long
@pytest.mark.parametrize("text", KNOWN)
def test_known_dimensions(text: str) -> None:
    assert answer(text) == KNOWN[text][:2], KNOWN[text][2]


@pytest.mark.long
@pytest.mark.parametrize("text", AT_LEAST)
def test_known_to_hold(text: str) -> None:
    holds, fails = answer(text)
    assert holds is not None
    assert holds >= AT_LEAST[text][0], AT_LEAST[text][1]
    assert fails is None or fails > holds


@pytest.mark.long
@pytest.mark.parametrize("text", OPEN)
def test_what_no_criterion_decides(text: str) -> None:
    holds, _ = answer(text)
    assert holds == 0


def test_criteria_are_found_by_registration() -> None:
    formula = written("r -> exp(-r)")
    for home in CRITERIA.values():
        assert load_from(home).__module__ == home.split(":")[0]
    assert statements(formula)[0].holds is None


def test_reasons_name_the_variable_of_their_own_formula() -> None:
    """Equal formulas of other names, one after the other."""
    for name in ("t", "r", "t"):
        (flat,) = (s for s in statements(written(f"{name} -> exp(-{name}**4)")) if s.fails == 1)
        assert f"f({name})" in flat.reason


@pytest.mark.slow
def test_a_root_of_a_cut_series_is_not_used() -> None:
    """(r^3.5 + r^4)^¼ = r^0.875 + r^1.375/4 + …: f = 1 − r^1.375/4 + … is not flat at 0."""
    bent = "exp(-((r**3.5 + r**4)**0.25 - r**0.875))"
    for text in (f"{bent} - r**2.5*exp(-9*r)", f"{bent} + r**2.5*exp(-9*r)"):
        assert not any("o(r²)" in one.reason for one in statements(written(f"r -> {text}")))
    for text in ("exp(-r**2.001)", "1/(1 + (r**3)**0.9)", "exp(-r**2*sqrt(r))"):
        assert any("o(r²)" in one.reason for one in statements(written(f"r -> {text}")))
