"""Falling densities with their formulas in mpmath."""

from __future__ import annotations

import mpmath as mp

from kernelspec.verdicts.falling import Bessel, Falling

__all__ = ["EXAMPLES"]

EXAMPLES = {
    "gaussian": (
        Falling(-mp.log(2 * mp.pi) / 2, line=mp.mpf(1) / 2), lambda u: mp.exp(-u / 2) / mp.sqrt(2 * mp.pi)
    ),
    "laplace": (Falling(-mp.log(mp.pi), ((mp.mpf(1), mp.mpf(1)),)), lambda u: 1 / (mp.pi * (1 + u))),
    "cauchy": (Falling(mp.log(mp.mpf(1)), root=mp.mpf(2)), lambda u: mp.exp(-2 * mp.sqrt(u))),
    "student": (
        Falling(mp.mpf(1), ((mp.mpf(3) / 2, mp.mpf(4)), (mp.mpf(1), mp.mpf(1) / 7))),
        lambda u: mp.e * (1 + 4 * u) ** mp.mpf(-1.5) / (1 + u / 7),
    ),
    "bessel": (
        Falling(mp.mpf(0), bessel=Bessel(mp.mpf(2), mp.mpf(1) / 3, mp.mpf(3))),
        lambda u: 2 * (3 * mp.sqrt(u) / 2) ** (mp.mpf(1) / 3) * mp.besselk(mp.mpf(1) / 3, 3 * mp.sqrt(u)),
    ),
}  # fmt: skip
