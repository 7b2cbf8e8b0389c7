"""What random specs have covered: how often every part was drawn and judged, by which methods, beside which parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.testing.samples import Judged

__all__ = ["Coverage"]


@dataclass
class Coverage:
    """Counts over specs: parts drawn, (part, method) judged, and pairs of parts in one spec."""

    drawn: Counter[str] = field(default_factory=Counter)
    judged: Counter[tuple[str, str]] = field(default_factory=Counter)
    variances: Counter[tuple[str, str]] = field(default_factory=Counter)
    together: Counter[tuple[str, str]] = field(default_factory=Counter)

    def enter(self, parts: Iterable[str], judged: Sequence[Judged]) -> None:
        """One spec, its parts and what its methods were judged by."""
        own = sorted(parts)
        self.drawn.update(own)
        self.together.update(combinations(own, 2))
        for found in judged:
            methods = [found.method, *(["hashed"] if found.hashed else [])]
            if found.n_means:
                self.judged.update((part, method) for part in own for method in methods)
            if found.n_variances:
                self.variances.update((part, method) for part in own for method in methods)

    def times_judged(self, part: str) -> int:
        """By how many methods, over all specs, the mean of kernels with this part was judged."""
        return sum(n for (own, _), n in self.judged.items() if own == part)

    def variances_judged(self, part: str) -> int:
        """The same for variances."""
        return sum(n for (own, _), n in self.variances.items() if own == part)

    def merge(self, other: Coverage) -> None:
        """Add the counts of another run."""
        self.drawn.update(other.drawn)
        pairs = ((self.judged, other.judged), (self.variances, other.variances), (self.together, other.together))
        for own, more in pairs:
            own.update(more)

    def lines(self) -> list[str]:
        """The table: a part a line, how often it was drawn, and by method how often mean and variance were judged."""
        methods = sorted({method for _, method in self.judged})
        said = [f"{'part':32}{'drawn':>7}  judged: mean/variance by method"]
        for part in sorted(self.drawn):
            counts = [
                f"{method} {self.judged[part, method]}/{self.variances[part, method]}"
                for method in methods
                if self.judged[part, method]
            ]
            said.append(f"{part:32}{self.drawn[part]:>7}  {', '.join(counts)}")
        kernels, operators = (
            [part for part in self.drawn if part.startswith(kind)] for kind in ("kernel ", "operator ")
        )
        met = sum(tuple(sorted((k, o))) in self.together for k in kernels for o in operators)
        said.append(f"kernel below operator: {met} of {len(kernels) * len(operators)} pairs met")
        return said
