"""Densities of random composites against quadrature of the kernel itself: every difference within its error bar.

Run from the repository root: python -m benchmarks.random_densities [COUNT] [SEED]. The quadrature is Gauss's rule on
panels of lags (products of panels in the plane) that end where the kernel has a corner: nothing of the package but k.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import kernelspec as ks
from benchmarks.provenance import made_by
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import KernelspecError
from kernelspec.measures.measure import measure_of

__all__ = ["composite", "quadrature", "ratios"]

Array = NDArray[np.float64]

ROUNDING = 1e-11
"""Of ∫|k|: what the sums of floats of both sides are worth."""

REACH, POINTS, LEVELS = 12.0, 12, 9


def composite(generator: np.random.Generator, dim: int, *, asymmetric: bool) -> str:
    """A sum or product of two to four leaves in which one falls off fast, shifted, tilted and modulated."""

    def number(low: float, high: float) -> str:
        return f"{generator.uniform(low, high):.3g}"

    def leaf() -> str:
        kind = str(generator.choice(["gaussian", "laplace", "cosine", "matern", "product", "cauchy", "radial"]))
        return {
            "gaussian": f"gaussian(scale={number(0.5, 1.5)})",
            "laplace": f"laplace(scale={number(0.5, 2)})",
            "cosine": f"cosine(by=[{', '.join(number(0.3, 2) for _ in range(dim))}])",
            "matern": f"matern(nu=5/2, scale={number(0.5, 1.5)})",
            "product": f"product(t -> exp(-{number(0.5, 1.5)}*t**2)*(1 - {number(0, 0.5)}*t**2))",
            "cauchy": f"cauchy(scale={number(0.5, 1.5)})",
            "radial": f"radial(r -> exp(-{number(0.5, 1.5)}*r)*(1 + {number(0, 1)}*r**2))",
        }[kind]

    def fast() -> str:
        return f"gaussian(scale={number(0.6, 1.6)})"

    def term() -> str:
        found = f"{leaf()}*{fast()}"
        if generator.random() < 0.3:
            found = f"{found}*{leaf()}"
        if asymmetric and generator.random() < 0.7:
            turn = str(generator.choice(["shift", "tilt"]))
            found = f"{turn}({found}, by={number(0.1, 0.6)})"
        elif generator.random() < 0.3:
            found = f"modulate({found}, by={number(0.3, 2)})"
        return found

    terms = [f"{number(0.2, 1.5)}*({term()})" for _ in range(int(generator.integers(1, 3)))]
    return f" {generator.choice(['+', '-'])} ".join(terms)


def quadrature(text: str, frequencies: Array) -> tuple[NDArray[np.complex128], float]:
    """(2π)^{−d} ∫ k(Δ) e^{−iω·Δ} dΔ at frequencies (n, d) by panels between the corners, and ∫|k| as the scale."""
    dim = frequencies.shape[1]
    spec = ks.parse(text)
    lags, weights = _panels(text, dim)
    sums = np.zeros(len(frequencies), dtype=complex)
    size = 0.0
    origin = np.zeros((1, dim))
    for start in range(0, len(lags), 1 << 16):
        block, share = lags[start : start + (1 << 16)], weights[start : start + (1 << 16)]
        k = spec.gram(block, origin)[:, 0] * share
        sums += np.exp(-1j * frequencies @ block.T) @ k
        size += float(np.abs(k).sum())
    return sums / (2 * np.pi) ** dim, size / (2 * np.pi) ** dim


def _panels(text: str, dim: int) -> tuple[Array, Array]:
    """Products of panels that end at the corners; halved towards them where k is a cone there, by so many levels."""
    corners, step = _corners(text), 0.25 if dim == 1 else 0.8
    graded = step * 2.0 ** -np.arange(LEVELS) if "radial" in text else np.zeros(1)
    near = np.add.outer(corners, np.concatenate([[0.0], graded, -graded])).ravel()
    cuts = np.unique(np.concatenate([np.arange(-REACH, REACH + step, step), near]))
    x, w = np.polynomial.legendre.leggauss(POINTS)
    middle, half = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts) / 2
    line = (middle[:, None] + half[:, None] * x).ravel()
    share = (half[:, None] * w).ravel()
    if dim == 1:
        return line[:, None], share
    grid = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    return grid, np.multiply.outer(share, share).ravel()


def _corners(text: str) -> Array:
    found = {0.0}
    for step in re.findall(r"by=([\d.]+)\)", text):  # of shifts; those of other nodes do no harm
        found.add(-float(step))
    return np.array(sorted(found))


def ratios(text: str, frequencies: Array) -> Array:
    """|density − quadrature| over the stated bar and rounding, (n,). Raises KernelspecError where it is refused."""
    dim = frequencies.shape[1]
    measure = measure_of(ks.parse(text).numeric_kernel(Columns(dim)))
    density, bar = measure.density_and_error(frequencies)
    exact, size = quadrature(text, frequencies)
    return np.asarray(np.abs(density - exact) / (bar + ROUNDING * size))


def main(arguments: Sequence[str]) -> None:
    """Print the count, the worst ratio, and every failure."""
    count, seed = int(arguments[0]) if arguments else 200, int(arguments[1]) if len(arguments) > 1 else 0
    generator = np.random.default_rng(seed)
    done, refused, worst, failures = 0, [], (0.0, ""), []
    for i in range(count):
        dim = 1 + i % 2
        text = composite(generator, dim, asymmetric=i % 4 >= 2)
        frequencies = generator.uniform(-3, 3, (5, dim))
        try:
            found = float(ratios(text, frequencies).max())
        except KernelspecError as error:
            refused.append(f"{dim} {text}: {error}")
            continue
        done += 1
        worst = max(worst, (found, f"{dim} {text}"))
        if not found <= 1:
            failures.append(f"{found:.3g} {dim} {text}")
            print("fails:", failures[-1], flush=True)
    print(made_by(" ".join(["python -m benchmarks.random_densities", *sys.argv[1:]])), end="\n\n")
    print(f"{done} densities, {len(refused)} refused, {len(failures)} failures")
    print(f"worst ratio {worst[0]:.3g}: {worst[1]}")
    for line in refused:
        print("refused:", line)
    if failures:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
