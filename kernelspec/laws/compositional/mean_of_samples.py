"""The mean of the samples of a kernel: another kernel, where degrees of dual activations are cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.laws.moments import Moments
from kernelspec.laws.resampled import Resampled
from kernelspec.laws.rewriting import replaced
from kernelspec.notation.arguments import Scalar, Value

if TYPE_CHECKING:
    from kernelspec.laws.sampler import Sampler
    from kernelspec.notation.pairs import Pairs

__all__ = ["KeptDegrees", "mean_of_samples"]


@dataclass(frozen=True, kw_only=True)
class KeptDegrees(Resampled):
    """Σ_{l ≤ n} a_l k^l, the mean of the samples of `base` = dual(…, max_degree=n)."""

    base: Dual

    def value(self, pairs: Pairs) -> Value:
        return self.base.kept_series(self.base.base.value(pairs))

    def diagonal(self) -> Scalar:
        return self.base.kept_series(self.base.base.diagonal())

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs)

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        return self.base.sampler(positions)


def mean_of_samples(kernel: Kernel) -> Kernel:
    """The kernel E p of the samples p of another one: that itself, unless some max_degree cuts a dual activation."""
    return replaced(kernel, _mean)


def _mean(node: Kernel) -> Kernel | None:
    match node:
        case Resampled():  # its samples do not go through the kernel below
            return node
        case Dual() if node.max_degree is not None:
            cut = replace(node, base=mean_of_samples(node.base))
            return KeptDegrees(base=cut, dim=node.dim, span=node.span)
        case Skeleton():
            base = mean_of_samples(node.image.base)
            return node if base is node.image.base else replace(node, image=replace(node.image, base=base))
    return None
