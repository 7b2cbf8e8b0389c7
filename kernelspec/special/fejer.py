"""Exact draws of the Fejér law, whose characteristic function is the triangle max(0, 1 − |t|)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelspec.special.sinc import sinc

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["draw_fejer", "fejer_density"]


def fejer_density(x: np.ndarray) -> np.ndarray:
    """(1 − cos x) / πx² = sin²(x/2) / 2π(x/2)², which is 1/2π at zero."""
    return np.asarray(np.square(sinc(np.asarray(x) / 2)) / (2 * np.pi))


def draw_fejer(stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
    """Independent draws by rejection under min(1/2π, 2/πx²), accepted with probability π/4 [Devroye 1984].

    Proposals are 2V or 2/V, V uniform on (−1, 1), by the toss of a coin. Every round draws, in order, for
    those entries that have none yet, so that the first entries do not depend on how many follow.
    """
    draws = np.empty(int(np.prod(shape)))
    waiting, attempt = np.arange(len(draws)), 0
    while len(waiting):
        coin, v, u = stream.generator(f"fejér round {attempt}").random((len(waiting), 3)).T
        v = 2 * v - 1
        inside = coin < 0.5
        with np.errstate(divide="ignore"):
            x = np.where(inside, 2 * v, 2 / v)
        half = np.where(np.isfinite(x) & (x != 0), x / 2, 1.0)
        bound = np.square(np.sin(half) / np.where(inside, half, 1.0))
        accepted = (u < bound) & np.isfinite(x)
        draws[waiting[accepted]] = x[accepted]
        waiting, attempt = waiting[~accepted], attempt + 1
    return draws.reshape(shape)
