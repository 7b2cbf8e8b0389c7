"""Acceptance and rejection in rounds, so that the first draws do not depend on how many follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["draw_by_rejection"]


def draw_by_rejection(
    stream: Stream, n: int, uniforms: int, propose: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """n independent draws (n,) of what `propose` proposes, accepted with the probability that it states.

    `propose` takes (m, uniforms) numbers uniform on (0, 1) and returns m candidates and m probabilities, row
    by row. Every round proposes, in order, for those entries that have none yet.
    """
    draws = np.empty(n)
    waiting, attempt = np.arange(n), 0
    while len(waiting):
        u = stream.uniforms(f"proposals of round {attempt}", (len(waiting), uniforms + 1))
        candidates, probabilities = propose(u[:, 1:])
        accepted = u[:, 0] < probabilities
        draws[waiting[accepted]] = candidates[accepted]
        waiting, attempt = waiting[~accepted], attempt + 1
    return draws
