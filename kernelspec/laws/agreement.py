"""Laws whose samples are 1 where the keys of two rows agree, and 0 elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kernelspec.laws.law import Law
from kernelspec.laws.moments import Moments

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs

__all__ = ["Agreement"]


@dataclass(frozen=True)
class Agreement(Law):
    """p = 1[the keys of x and y agree], with probability k(x, y): variance k(1 − k). The subclasses draw the keys."""

    has_phasor: ClassVar[bool] = False
    has_key: ClassVar[bool] = True

    kernel: Kernel

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    def value(self, pairs: Pairs) -> Value:
        return self.kernel.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        """A = B = P(the keys agree) = k(x, y), all of it without a phasor."""
        agreement = pairs.key_agreement(self.kernel.value(pairs))
        return Moments(agreement, agreement, agreement)

    def magnitude(self) -> Scalar:
        return self.kernel.magnitude()
