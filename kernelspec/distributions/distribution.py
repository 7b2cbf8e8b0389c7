"""The contract of a distribution on the line, given as an argument to bochner() or polya()."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from kernelspec.notation.arguments import Scalar, call_text

if TYPE_CHECKING:
    import numpy as np

    from kernelspec.random.streams import Stream
    from kernelspec.source import Span

__all__ = ["Distribution"]


@dataclass(frozen=True, kw_only=True)
class Distribution(ABC):
    """A law on the line with declared arguments: floats in numeric trees, SymPy expressions in symbolic ones."""

    span: Span | None = field(default=None, compare=False, repr=False)

    name: ClassVar[str]
    formula: ClassVar[str]
    reference: ClassVar[str]

    @property
    @abstractmethod
    def is_symmetric(self) -> bool:
        """Whether X and −X have the same law, for all values of the parameters that are still symbols."""

    @abstractmethod
    def support(self) -> tuple[Scalar, Scalar]:
        """The ends of the smallest closed interval that has all the mass."""

    @abstractmethod
    def mean(self) -> Scalar:
        """E X; not a number where it does not exist."""

    @abstractmethod
    def density(self, x: np.ndarray) -> np.ndarray:
        """The density as floats. Raises NoDensityError for atoms."""

    @abstractmethod
    def density_expression(self, x: Any) -> Any:
        """The density in SymPy, with DiracDelta for atoms."""

    @abstractmethod
    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        """Independent draws in the shape given, exactly; the first rows do not depend on how many follow."""

    def __str__(self) -> str:
        return call_text(self)
