"""Closed densities of random products against quadrature with 40 digits, at frequencies over twelve decades.

Run with `python -m benchmarks.closed_accuracy 200`: the largest error in units of the envelope, and the time per value
beside that of the numerical inversion. The referee knows the kernels as functions of the lag only. It integrates
along the axis, or for high frequencies down the imaginary direction from every breakpoint (Cauchy's theorem).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import mpmath as mp
import numpy as np

import kernelspec as ks
from benchmarks.provenance import made_by
from kernelspec.elaboration.scope import Columns
from kernelspec.measures.measure import measure_of

__all__ = ["Factor", "density_by_quadrature", "random_product", "run"]

_STEEP = 110


@dataclass(frozen=True)
class Factor:
    """A kernel as text, k(t) and k(−t) for t > 0 (complex t too), its support, its scale and its nearest pole."""

    text: str
    right: Callable[[Any], Any]
    left: Callable[[Any], Any]
    support: Any
    scale: float
    pole: float = float("inf")
    decays: bool = True


def even(text: str, k: Callable[[Any], Any], scale: float, **rest: Any) -> Factor:
    return Factor(text, k, k, rest.pop("support", mp.inf), scale, **rest)


def random_factor(rng: np.random.Generator, names: tuple[str, ...]) -> Factor:
    name = str(rng.choice(names))
    s = float(f"{10 ** rng.uniform(-0.7, 0.7):.4g}")
    b = float(f"{rng.uniform(-0.9, 0.9) / s:.4g}")
    m, r3, r5 = mp.mpf(s), mp.sqrt(3), mp.sqrt(5)
    match name:
        case "gaussian":
            return even(f"gaussian({s})", lambda t: mp.exp(-t * t / (2 * m * m)), s)
        case "laplace":
            return even(f"laplace({s})", lambda t: mp.exp(-t / m), s)
        case "matern3":
            return even(f"matern(nu=3/2, scale={s})", lambda t: (1 + r3 * t / m) * mp.exp(-r3 * t / m), s)
        case "matern5":
            return even(
                f"matern(nu=5/2, scale={s})",
                lambda t: (1 + r5 * t / m + 5 * t * t / (3 * m * m)) * mp.exp(-r5 * t / m),
                s,
            )
        case "triangle":
            return even(f"triangle({s})", lambda t: 1 - t / m, s, support=m)
        case "cosine":
            return even(f"cosine({s})", lambda t: mp.cos(m * t), 1 / s, decays=False)
        case "polya":
            return even(
                f"polya(gamma(shape=3, scale={s}))",
                lambda t: mp.exp(-t / m) * (1 + t / m + t * t / (2 * m * m)) - t / m * mp.exp(-t / m) * (1 + t / m) / 2,
                s,
            )
        case "tilt":
            beta = mp.mpf(b)
            return Factor(
                f"tilt(laplace({s}), by={b})",
                lambda t: mp.exp(-t / m + beta * t),
                lambda t: mp.exp(-t / m - beta * t),
                mp.inf,
                s / (1 - abs(b) * s),
            )
        case "shift_gaussian":
            r = mp.mpf(b)
            return Factor(
                f"shift_gaussian(scale={s}, by={b})",
                lambda t: mp.exp(-((t + r) ** 2) / (2 * m * m)),
                lambda t: mp.exp(-((r - t) ** 2) / (2 * m * m)),
                mp.inf,
                s,
            )
        case "cauchy":
            return even(f"cauchy({s})", lambda t: 1 / (1 + t * t / (m * m)), s, pole=s, decays=False)
        case "rational_quadratic":
            reach = 2 * s
            return even(
                f"rational_quadratic(alpha=2, scale={s})",
                lambda t: (1 + t * t / (4 * m * m)) ** -2,
                s,
                pole=reach,
                decays=False,
            )
        case "sinc":
            return even(f"sinc({s})", lambda t: mp.sin(m * t) / (m * t) if t else mp.mpf(1), 1 / s, decays=False)
    raise ValueError(name)


SMOOTH = ("gaussian", "laplace", "matern3", "matern5", "triangle", "cosine", "polya", "tilt", "shift_gaussian")
MIXED = (("laplace", "matern3", "polya", "triangle"), ("cauchy", "rational_quadratic", "sinc"))


def random_product(rng: np.random.Generator) -> list[Factor]:
    """Two or three factors that close: any of the lag, or one of the lag times one of the frequency."""
    while True:
        if rng.random() < 0.6:
            found = [random_factor(rng, SMOOTH) for _ in range(rng.integers(2, 4))]
        elif rng.random() < 0.3:
            found = [random_factor(rng, ("gaussian", "shift_gaussian")), random_factor(rng, MIXED[1])]
        else:
            found = [random_factor(rng, MIXED[0]), random_factor(rng, MIXED[1])]
        if any(factor.decays for factor in found):
            return found


def _along_axis(k: Callable[[Any], Any], omega: Any, end: Any, scale: float) -> Any:
    if end == mp.inf:
        end = mp.mpf(scale)
        while abs(k(end)) > mp.mpf(10) ** -42:
            end *= 2
    steps = int(min(max(8, float(abs(omega) * end) / 6, float(end) / scale * 2), 1500))
    cuts = mp.linspace(0, end, steps + 1)
    return mp.quad(lambda t: k(t) * mp.expj(-omega * t), cuts, maxdegree=5, method="gauss-legendre")


def _down(k: Callable[[Any], Any], omega: Any, start: Any) -> Any:
    depth = _STEEP / omega
    cuts = [depth * i / 8 for i in range(9)]
    found = mp.quad(lambda y: k(start - 1j * y) * mp.exp(-omega * y), cuts, maxdegree=6)
    return -1j * mp.expj(-omega * start) * found


def density_by_quadrature(factors: list[Factor], frequency: float) -> tuple[complex, float]:
    """(μ(ω), the envelope), ω > 0."""
    omega = mp.mpf(frequency)
    support = min(factor.support for factor in factors)
    scale = min(factor.scale for factor in factors)
    width = max(factor.scale for factor in factors)
    pole = min(factor.pole for factor in factors)
    total, envelope = mp.mpc(0), mp.mpf(0)
    for side, turned in (("right", False), ("left", True)):

        def k(t: Any, side: str = side) -> Any:
            return mp.fprod(getattr(factor, side)(t) for factor in factors)

        # down to 110/ω the factors must neither have a pole nor grow faster than e^{ωy} falls
        steep = omega * scale > 15 and omega * pole > _STEEP * 1.2
        if steep:
            parts = [_down(k, omega, mp.mpf(0))]
            if support != mp.inf:
                parts.append(-_down(k, omega, support))
        else:
            parts = [_along_axis(k, omega, support, width if support == mp.inf else float(support))]
        part = mp.fsum(parts)
        total += mp.conj(part) if turned else part
        envelope += sum(map(abs, parts)) / (2 * mp.pi) if steep else 0
    total /= 2 * mp.pi
    return complex(total), float(max(abs(total), envelope if support != mp.inf else 0))


def run(count: int, seed: int = 0) -> float:
    """The largest error over `count` random products and frequencies, in units of the envelope; printed too."""
    rng, worst, seconds, values = np.random.default_rng(seed), (0.0, ""), 0.0, 0
    with mp.workdps(50):
        for done in range(count):
            if done and done % 100 == 0:
                print(f"  {done}: {worst[0]:.1e}", flush=True)
            factors = random_product(rng)
            text = " * ".join(factor.text for factor in factors)
            scale = min(factor.scale for factor in factors)
            omega = float(10 ** rng.uniform(-6, 6)) / scale
            measure = measure_of(ks.parse(text).kernel(Columns(1)))
            start = perf_counter()
            found = complex(measure.density(np.array([[omega]]))[0])
            seconds, values = seconds + perf_counter() - start, values + 1
            expected, envelope = density_by_quadrature(factors, omega)
            for rule in (mp.mp._tanh_sinh, mp.mp._gauss_legendre):
                rule.transformed_cache.clear()  # nodes of every interval ever integrated over: gigabytes
            allowed = 2.0**-52 * omega * max(factor.scale for factor in factors)
            error = abs(found - expected) / envelope if envelope > 1e-35 else 0.0
            if error > 1e-10 + allowed:
                print(f"  {error:.1e} {text} at {omega:.6g}: {found} {expected}")
            worst = max(worst, (error, f"{text} at {omega:.6g}"))
    print(
        f"largest error of {count}: {worst[0]:.1e} ({worst[1]}); {seconds / values * 1e3:.0f} ms each with making ready"
    )
    return worst[0]


if __name__ == "__main__":
    print(made_by(" ".join(["python -m benchmarks.closed_accuracy", *sys.argv[1:]])), end="\n\n")
    run(*(int(argument) for argument in sys.argv[1:] or ["100"]))
