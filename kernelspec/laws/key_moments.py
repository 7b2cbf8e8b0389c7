"""The moments of samples that are 1 where two keys agree, and 0 elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.laws.moments import Moments

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.notation.pairs import Pairs

__all__ = ["key_moments"]


def key_moments(kernel: Kernel, pairs: Pairs) -> Moments:
    """A = B = P(the keys of x and y agree) = k(x, y), all of it without a phasor."""
    agreement = pairs.key_agreement(kernel.value(pairs))
    return Moments(agreement, agreement, agreement)
