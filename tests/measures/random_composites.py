"""Random composite kernels, each as text and once more as a plain function, and their densities by QUADPACK."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product

import numpy as np
from scipy.integrate import quad
from scipy.special import gamma, j0, kv

Function = Callable[[float], float]
Radial = Callable[[float], float]


@dataclass(frozen=True)
class Line:
    """k on a line: its text, its values, the lags where it has kinks or peaks, and whether it falls exponentially."""

    text: str
    value: Function
    marks: tuple[float, ...] = (0.0,)
    fast: bool = True


@dataclass(frozen=True)
class Composite:
    """A kernel on `dim` columns, and its density at a point with the error of the quadrature."""

    text: str
    dim: int
    density: Callable[[Sequence[float]], tuple[complex, float]]


def composites(seed: int, count: int) -> list[Composite]:
    """The first `count` composites of a seed: three of five on one column, the others on two."""
    rng = np.random.default_rng(seed)
    return [_on_two(rng) if i % 5 in (1, 3) else _on_one(rng) for i in range(count)]


def _on_one(rng: np.random.Generator) -> Composite:
    line = _line(rng)
    return Composite(line.text, 1, lambda omega: _fourier(line, omega[0]))


def _on_two(rng: np.random.Generator) -> Composite:
    kind = rng.integers(4)
    if kind == 0:
        return _radial(rng)
    first, second = _line(rng), _line(rng)
    if kind == 1:
        a, b = _positive(rng, 0.5, 2), _positive(rng, 0.5, 2)
        text = f"stretch(({first.text})[0]*({second.text})[1], [{a}, {b}])"
        return Composite(text, 2, lambda w: _times(a * b, _fourier(first, a * w[0]), _fourier(second, b * w[1])))
    if kind == 2:
        r, s = _number(rng, 1), _number(rng, 1)
        text = f"shift(({first.text})[0]*({second.text})[1], by=[{r}, {s}])"
        return Composite(
            text, 2, lambda w: _times(np.exp(1j * (r * w[0] + s * w[1])), _fourier(first, w[0]), _fourier(second, w[1]))
        )
    weight = _number(rng, 0.9)
    text = f"({first.text})[0]*({second.text})[1] + {weight}*gaussian(1.5)"

    def density(w: Sequence[float]) -> tuple[complex, float]:
        value, error = _times(1, _fourier(first, w[0]), _fourier(second, w[1]))
        return value + weight * 1.5**2 / (2 * math.pi) * math.exp(-(1.5**2) * (w[0] ** 2 + w[1] ** 2) / 2), error

    return Composite(text, 2, density)


def _radial(rng: np.random.Generator) -> Composite:
    """(1/2π) ∫ r J₀(rρ) k(r) dr of a product of radial kernels."""
    s, nu, ell = _positive(rng, 0.6, 3), rng.choice([0.5, 1.5, 2.5]), _positive(rng, 0.5, 2)
    text = f"gaussian({s})*matern({nu}, {ell})"

    def density(w: Sequence[float]) -> tuple[complex, float]:
        rho = math.hypot(*w)
        found = quad(
            lambda r: r * j0(r * rho) * math.exp(-(r**2) / (2 * s**2)) * _matern(nu, ell)(r) / (2 * math.pi),
            0,
            9 * s,
            epsabs=1e-13,
            limit=500,
        )
        return found[0], found[1]

    return Composite(text, 2, density)


def _line(rng: np.random.Generator) -> Line:
    kind = rng.integers(7)
    if kind <= 3:
        factors = [_factor(rng) for _ in range(rng.integers(2, 4) if kind else 2)]
        if rng.random() < 0.2 and any(factor.fast for factor in factors):  # QUADPACK has no rule for its tail alone
            b = _positive(rng, 0.5, 3)
            factors.append(Line(f"sinc({b})", lambda t: float(np.sinc(b * t / math.pi)), fast=False))
        return _ended(rng, _product(factors))
    if kind == 4:
        base = _bracketed(_factor(rng))
        return _ended(rng, Line(f"{base.text}**2", lambda t: base.value(t) ** 2, base.marks, base.fast))
    if kind == 5:
        left, right, weight = _product([_factor(rng), _factor(rng)]), _factor(rng), _number(rng, 1)
        return _ended(rng, _sum(left, right, weight))
    mixed = _sum(_factor(rng), _factor(rng), _number(rng, 0.9))
    return _ended(rng, _product([_bracketed(mixed), _factor(rng)]))


def _ended(rng: np.random.Generator, line: Line) -> Line:
    """The line as it is, or shifted, stretched or modulated, and made to fall where it does so slowly with waves."""
    match rng.integers(5):
        case 0:
            r = _number(rng, 2)
            return Line(f"shift({line.text}, by={r})", lambda t: line.value(t + r), _moved(line.marks, r), line.fast)
        case 1:
            s = _positive(rng, 0.3, 3)
            return Line(
                f"stretch({line.text}, {s})", lambda t: line.value(t / s), tuple(s * m for m in line.marks), line.fast
            )
        case 2 if line.fast:
            w = _positive(rng, 0.5, 4)
            return Line(f"modulate({line.text}, by={w})", lambda t: line.value(t) * math.cos(w * t), line.marks)
    return line


def _factor(rng: np.random.Generator) -> Line:  # noqa: PLR0912
    s = _positive(rng, 0.5, 3)
    match rng.integers(13):
        case 0:
            return Line(f"gaussian({s})", lambda t: math.exp(-(t**2) / (2 * s**2)))
        case 1:
            return Line(f"laplace({s})", lambda t: math.exp(-abs(t) / s))
        case 2:
            nu = float(rng.choice([0.3, 0.7, 1.5, 2.5]))
            return Line(f"matern({nu}, {s})", _matern(nu, s))
        case 3:
            return Line(f"cauchy({s})", lambda t: 1 / (1 + (t / s) ** 2), fast=False)
        case 4:
            return Line(f"triangle({s})", lambda t: max(0.0, 1 - abs(t) / s), (-s, 0.0, s))
        case 5:
            a = _positive(rng, 0.7, 2)
            return Line(f"rational_quadratic({a}, {s})", lambda t: (1 + t**2 / (2 * a * s**2)) ** -a, fast=False)
        case 6:
            a = _positive(rng, 0.7, 1.9)
            return Line(f"powered_exponential({a}, {s})", lambda t: math.exp(-((abs(t) / s) ** a)))
        case 7 | 8:
            r = _number(rng, 1.5)
            return Line(f"shift_gaussian({s}, by={r})", lambda t: math.exp(-((t + r) ** 2) / (2 * s**2)), (-r, 0.0))
        case 9:
            b = _number(rng, 1.2)
            return Line(
                f"sinh_gaussian({s}, by={b})",
                lambda t: math.exp(-(t**2) / (2 * s**2)) * (1 + math.sinh(b * t)) if abs(t) < 40 * s else 0.0,
                (-(s**2) * b, 0.0, s**2 * b),
            )
        case 10:
            b = _number(rng, 1.2)
            return Line(f"cosh_gaussian({s}, by={b})", lambda t: math.exp(b * t - t**2 / (2 * s**2)), (0.0, s**2 * b))
        case 11:
            b = round(0.7 * float(rng.uniform(-1, 1)) / s, 3)
            if b == 0:
                b = 0.01
            if rng.random() < 0.5:
                return Line(f"tilt(laplace({s}), by={b})", lambda t: math.exp(b * t - abs(t) / s))
            base = _matern(1.5, s)
            return Line(f"tilt(matern(1.5, {s}), by={b})", lambda t: _tilted_matern(base, s, b, t))
        case _:
            base, r = _factor(rng), _number(rng, 1.5)
            text = f"shift({base.text}, by={r})"
            return Line(text, lambda t: base.value(t + r), _moved(base.marks, r), base.fast)


def _matern(nu: float, scale: float) -> Function:
    def value(t: float) -> float:
        x = math.sqrt(2 * nu) * abs(t) / scale
        if x < 1e-12:
            return 1.0
        return float(2 ** (1 - nu) / gamma(nu) * x**nu * kv(nu, x))

    return value


def _tilted_matern(base: Function, scale: float, by: float, t: float) -> float:
    return base(t) * math.exp(by * t) if abs(t) < 300 * scale else 0.0


def _product(factors: list[Line]) -> Line:
    parts = [_bracketed(factor) for factor in factors]
    marks = tuple(sorted({mark for part in parts for mark in part.marks}))
    return Line(
        "*".join(part.text for part in parts),
        lambda t: math.prod(part.value(t) for part in parts),
        marks,
        any(part.fast for part in parts),
    )


def _sum(left: Line, right: Line, weight: float) -> Line:
    marks = tuple(sorted({*left.marks, *right.marks}))
    return Line(
        f"({left.text} + {weight}*{right.text})",
        lambda t: left.value(t) + weight * right.value(t),
        marks,
        left.fast and right.fast,
    )


def _bracketed(line: Line) -> Line:
    return line if line.text.startswith("(") or "*" not in line.text else Line(
        f"({line.text})", line.value, line.marks, line.fast
    )  # fmt: skip


def _moved(marks: tuple[float, ...], by: float) -> tuple[float, ...]:
    return tuple(sorted({0.0, *(mark - by for mark in marks)}))


def _fourier(line: Line, omega: float) -> tuple[complex, float]:
    """(1/2π) ∫ k(t) e^{−iωt} dt, cosine and sine, between the marks, by octaves outside them, and the tails."""
    reach = 4 * max(1.0, *map(abs, line.marks))
    end = reach
    while end < (1e6 if line.fast else 64 * reach) and max(map(abs, map(line.value, (end, -end, 1.3 * end)))) > 1e-19:
        end *= 2
    octaves = [sign * reach * 2.0**j for sign in (1, -1) for j in range(-3, int(math.log2(end / reach)) + 1)]
    cuts = sorted({*line.marks, *octaves, end, -end})
    total, error = 0j, 0.0
    for low, high in pairwise(cuts):
        if high - low < 1e-12:
            continue
        for weight, unit in (("cos", 1), ("sin", -1j)):
            value, doubt, *_ = quad(
                line.value, low, high, weight=weight, wvar=omega, epsabs=1e-13, epsrel=1e-12, limit=400, full_output=1
            )
            total, error = total + unit * value, error + doubt
    for side, (weight, unit) in product(() if line.fast else (1, -1), (("cos", 1), ("sin", -1j))):
        if omega == 0 and weight == "sin":
            continue
        waves = {"weight": weight, "wvar": omega, "limlst": 400, "epsabs": 1e-12} if omega else {"epsabs": 1e-13}
        tail = partial(lambda t, side: line.value(side * t), side=side)
        value, doubt, *_ = quad(tail, end, math.inf, full_output=1, **waves)
        total, error = total + unit * (side if weight == "sin" else 1) * value, error + doubt
    return total / (2 * math.pi), error / (2 * math.pi)


def _times(weight: complex, left: tuple[complex, float], right: tuple[complex, float]) -> tuple[complex, float]:
    (a, e), (b, f) = left, right
    return weight * a * b, abs(weight) * (abs(a) * f + abs(b) * e + e * f)


def _number(rng: np.random.Generator, size: float) -> float:
    return round(float(rng.choice([-1, 1]) * rng.uniform(0.05, 1) * size), 2)


def _positive(rng: np.random.Generator, low: float, high: float) -> float:
    return round(float(rng.uniform(low, high)), 2)
