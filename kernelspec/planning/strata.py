"""The additive spine of a kernel: the terms that get shares of the budget of their own."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.compositional.mean_of_samples import mean_of_samples
from kernelspec.laws.moments import Moments
from kernelspec.laws.rewriting import rewrite, schemes
from kernelspec.laws.sampler import Sampler
from kernelspec.notation.arguments import Value
from kernelspec.notation.pairs import NumericPairs

__all__ = ["Stratum", "strata"]


@dataclass(frozen=True)
class Stratum:
    """One term w·k of a kernel Σ w_i k_i, on some columns of the table; `scheme` names another way to sample it."""

    weight: float
    kernel: Kernel
    positions: tuple[int, ...]
    scheme: str | None = None

    def validate(self) -> None:
        """Raise ValueError unless the kernel is one on as many columns as there are positions."""
        if self.kernel.dim != len(self.positions) or not math.isfinite(self.weight):
            raise ValueError(f"a kernel on {self.kernel.dim} columns stands on {len(self.positions)}")

    @property
    def schemes(self) -> tuple[str, ...]:
        """The other ways there are."""
        return schemes(self.kernel)

    def under(self, scheme: str | None, *, whole: bool = False) -> list[Stratum]:
        """The strata of the same kernel sampled in another way; itself alone if it does not have that one.

        A sum, be it one that the scheme has made, is divided into its terms, unless it is to be kept `whole`.
        """
        if scheme is None or scheme not in self.schemes:
            return [self]
        changed = replace(self, kernel=rewrite(self.kernel, scheme), scheme=scheme)
        return [changed] if whole else _spread(changed)

    def sampler(self) -> Sampler:
        """How samples of k are drawn."""
        return self._sampler

    @cached_property
    def _sampler(self) -> Sampler:
        return self.kernel.sampler(self.positions)

    def value(self, pairs: NumericPairs) -> Value:
        """k(x, y), without the weight."""
        return self.kernel.value(pairs.select(self.positions))

    @cached_property
    def mean(self) -> Kernel:
        """The mean of the samples of k: k itself, unless degrees of dual activations are cut."""
        return mean_of_samples(self.kernel)

    def mean_value(self, pairs: NumericPairs) -> Value:
        """That at (x, y), without the weight."""
        return self.mean.value(pairs.select(self.positions))

    def moments(self, pairs: NumericPairs) -> Moments:
        """Second moments of one sample of k, without the weight."""
        return self.kernel.moments(pairs.select(self.positions))


def strata(kernel: Kernel) -> list[Stratum]:
    """The terms of a kernel, looked for through sums, selections and stretches (which are linear in the kernel).

    A kernel that is no sum is its only stratum; the zero kernel has none. Below a product, a sum stays a
    mixture: strata there would no longer be independent of the other factor.
    """
    return _spread(Stratum(1.0, kernel, tuple(range(kernel.dim))))


def _spread(whole: Stratum) -> list[Stratum]:
    found: list[Stratum] = []
    pending = [whole]
    while pending:
        stratum = pending.pop()
        node = stratum.kernel
        if isinstance(node, Sum):
            terms = zip(node.weights, node.terms, strict=True)
            parts = [replace(stratum, weight=stratum.weight * w, kernel=term) for w, term in terms]
            pending.extend(reversed(parts))
        elif isinstance(node, Select):
            positions = tuple(stratum.positions[i] for i in node.positions)
            pending.append(replace(stratum, kernel=node.base, positions=positions))
        elif isinstance(node, Stretch):
            inner = strata(node.base)
            bases = [_selected(part, node.base.dim) for part in inner]
            found += [
                replace(stratum, weight=stratum.weight * part.weight, kernel=replace(node, base=base))
                for part, base in zip(inner, bases, strict=True)
            ]
        else:
            found.append(stratum)
    return found


def _selected(stratum: Stratum, dim: int) -> Kernel:
    """The kernel of a stratum on all columns again."""
    if stratum.positions == tuple(range(dim)):
        return stratum.kernel
    return Select(base=stratum.kernel, positions=stratum.positions, dim=dim, span=stratum.kernel.span)
