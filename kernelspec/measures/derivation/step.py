"""One step of a derivation, and the names that steps give to what they find."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Journal", "Step"]


@dataclass(frozen=True)
class Step:
    """symbol = left = right: a function that gets a name, what it is by definition, and the form that was found.

    `rule` names the rule and `words` say what it was applied to. `left` is written in the names of steps before; it is
    None where a step only states. All three are SymPy expressions.
    """

    rule: str
    words: str
    symbol: Any
    left: Any
    right: Any

    @property
    def equals(self) -> tuple[Any, ...]:
        """The sides of the equation, without those that only repeat another."""
        sides = [self.symbol, self.left, self.right]
        return tuple(side for i, side in enumerate(sides) if side is not None and side not in sides[:i])


@dataclass
class Journal:
    """The steps written down so far; it gives out names that are not taken."""

    steps: list[Step] = field(default_factory=list)
    _taken: Counter[str] = field(default_factory=Counter)

    def name(self, letter: str) -> Any:
        """A function f_1, f_2, … with the letter f that no step before has."""
        import sympy

        self._taken[letter] += 1
        return sympy.Function(f"{letter}_{self._taken[letter]}")

    def write(self, rule: str, words: str, symbol: Any, left: Any, right: Any) -> None:
        """Add a step."""
        self.steps.append(Step(rule, words, symbol, left, right))
