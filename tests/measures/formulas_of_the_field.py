"""Kernels of the field as formulas of the distance r on one, two or three columns, with their sources."""

from __future__ import annotations

__all__ = ["FORMULAS", "OPEN"]

_CIRCLE = "1 - 2/pi*(min(r, 1)*sqrt(1 - min(r, 1)**2) + asin(min(r, 1)))"
_PENTA = "1 - 15/8*min(r, 1) + 5/4*min(r, 1)**3 - 3/8*min(r, 1)**5"
_CUBIC = "1 - 7*min(r, 1)**2 + 35/4*min(r, 1)**3 - 7/2*min(r, 1)**5 + 3/4*min(r, 1)**7"
_BOHMAN = "max(0, 1 - r)*cos(pi*r) + sin(pi*min(r, 1))/pi"

_BY_SOURCE: dict[str, list[tuple[str, str]]] = {
    "damped oscillators [Wang and Uhlenbeck 1945]": [
        ("exp(-r)", "123"), ("exp(-r)*(1 + r)", "123"), ("exp(-r/2)*(cos(2*r) + sin(2*r)/4)", "1"),
        ("exp(-2*r)*(cosh(r) + 2*sinh(r))", "1"), ("exp(-r)*cos(r)", "12"), ("exp(-2*r)*cos(r)", "3"),
    ],
    "CARMA [Brockwell 2001]": [
        ("2*exp(-r) - exp(-2*r)", "1"), ("5/2*exp(-r) - 2*exp(-2*r) + exp(-3*r)/2", "1"),
        ("exp(-r)*cos(r)/2 + exp(-r/2)*cos(5*r)/2", "1"), ("exp(-r)*(1 + r + r**2/3)", "13"),
        ("exp(-r)*(1 + r + 2/5*r**2 + r**3/15)", "13"), ("exp(-r)*(1 + r)*cos(2*r)", "1"),
    ],
    "celerite [Foreman-Mackey et al. 2017]": [
        ("exp(-r)*(cos(2*r) + 3/10*sin(2*r))", "1"), ("exp(-r)*(2 + cos(3*r))/3", "1"), ("exp(-r)*cos(r)**2", "1"),
        ("exp(-r/3)/2 + exp(-r)*(cos(pi*r) + sin(pi*r)/pi)/2", "1"),
    ],
    "GPML [Rasmussen and Nickisch 2010]: SE, RQ, Gabor, spectral mixtures, piecewise polynomials": [
        ("exp(-r**2/2)", "123"), ("1/(1 + r**2/2)", "13"), ("(1 + r**2/4)**(-2)", "13"),
        ("exp(-r**2/2)*cos(3*r)", "1"), ("exp(-2*r**2)*cos(r)/3 + 2/3*exp(-r**2/8)*cos(4*r)", "1"),
        ("max(0, 1 - r)", "1"), ("max(0, 1 - r)**3*(1 + 3*r)", "1"), ("max(0, 1 - r)**5*(1 + 5*r + 8*r**2)", "1"),
        ("max(0, 1 - r)**7*(1 + 7*r + 19*r**2 + 21*r**3)", "1"), ("sin(r)/r", "12"),
    ],
    "Wendland 1995, Wu 1995 and Askey 1973": [
        ("max(0, 1 - r)**2", "123"), ("max(0, 1 - r)**4*(1 + 4*r)", "123"),
        ("max(0, 1 - r)**6*(3 + 18*r + 35*r**2)/3", "123"), ("max(0, 1 - r)**8*(1 + 8*r + 25*r**2 + 32*r**3)", "3"),
        ("max(0, 1 - r)**4*(4 + 16*r + 12*r**2 + 3*r**3)/4", "3"), ("max(0, 1 - r)**3*(8 + 9*r + 3*r**2)/8", "1"),
        ("max(0, 1 - r)**3.5*(1 + 3.5*r)", "12"), ("max(0, 1 - r)**1.5", "12"),
    ],
    "splines [Schoenberg 1946; Thomas-Agnan 1991]": [
        ("max(0, 2 - r)**3/4 - max(0, 1 - r)**3", "1"), ("exp(-r)*(cos(r) + sin(r))", "1"),
        ("(max(0, 3 - r)**5 - 6*max(0, 2 - r)**5 + 15*max(0, 1 - r)**5)/66", "1"),
    ],
    "geostatistics [Matheron 1965; Chilès and Delfiner 2012]": [
        ("1 - 3/2*min(r, 1) + min(r, 1)**3/2", "123"), (_CIRCLE, "12"), (_PENTA, "123"), (_CUBIC, "123"),
        ("exp(-r**1.5)", "13"), ("exp(-sqrt(r))", "1"), ("(1 + r**2)**(-3/2)", "1"), ("(1 + r**2)**(-1/2)", "1"),
        ("besselj(0, 2*r)", "1"), ("2*besselj(1, r)/r", "12"), ("exp(-r)*sin(r)/r", "13"),
        ("exp(-r)*sin(2*r)/(2*r)", "1"), ("exp(-2*r)*cos(r)", "2"), ("(1 + r**1.5)**(-2)", "1"),
        ("1 - (r**1.5/(1 + r**1.5))**0.5", "1"),
    ],
    "other laws [Bohman 1961; Gneiting 2002; Feller 1971; Daley and Porcu 2014]": [
        (_BOHMAN, "13"), ("max(0, 1 - r)*cos(2*r)", "1"), ("1/cosh(r)", "13"), ("r/sinh(r)", "1"),
        ("(1 - r**2)*exp(-r**2/2)", "1"), ("exp(-r - r**2/2)", "1"), ("(sin(r)/r)**2", "1"), ("2/(1 + exp(r))", "1"),
        ("(1 - exp(-r))/r", "1"), ("1/(1 + r)", "1"), ("log(1 + r)/r", "1"), ("1/(1 + log(1 + r))", "1"),
        ("exp(1 - sqrt(1 + r**2))", "1"), ("exp(-r**0.7)", "1"),
    ],
}  # fmt: skip

FORMULAS = {
    (formula, int(dim)): source for source, formulas in _BY_SOURCE.items() for formula, dims in formulas for dim in dims
}
"""Source by formula and number of columns."""

OPEN = {
    ("exp(-r)*sin(r)/r", 3), ("(1 + r**1.5)**(-2)", 1), ("1 - (r**1.5/(1 + r**1.5))**0.5", 1), (_BOHMAN, 1),
    (_BOHMAN, 3), ("2/(1 + exp(r))", 1), ("(1 - exp(-r))/r", 1), ("1/(1 + r)", 1), ("log(1 + r)/r", 1),
    ("1/(1 + log(1 + r))", 1), ("exp(1 - sqrt(1 + r**2))", 1), ("exp(-r**0.7)", 1),
}  # fmt: skip
"""Those without a closed density today, each with a reason."""
