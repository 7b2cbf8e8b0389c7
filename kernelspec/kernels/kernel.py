"""The contract of every kernel node, and the verdict on what kind of kernel it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.rendering.notebooks import html_rows, latex_rows

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs, Pairs
    from kernelspec.loading import Span
    from kernelspec.special.elementary import Scaled

__all__ = ["Kernel", "OnBase", "Verdict", "Witness", "all_parts", "joint_stationarity", "joint_symmetry"]

_ANSWERS = {True: "yes", False: "no", None: "unknown"}


@dataclass(frozen=True, slots=True)
class Witness:
    """What a kernel is disproved by, in numbers.

    A frequency with a negative density or atom, one number for every column; points, one row each, and the negative
    eigenvalue of their kernel matrix. None for what is not known.
    """

    frequency: tuple[float, ...] | None = None
    points: tuple[tuple[float, ...], ...] | None = None
    eigenvalue: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Positive definite or not, symmetric or not, stationary or not, with the chain of reasons.

    `symmetric` and `stationary` are True or False where that is proved, and None where neither is. `stationary` is None
    also where the node mixes columns that have a difference with columns that have none (categories); where it is
    stationary in the former, `stationary_in_numbers` says so. `witness` has the numbers of a disproof that has any.
    `most_columns` is the largest number of columns on which a kernel that fails on more is positive definite.
    """

    positive_definite: Literal["proved", "disproved", "unknown"]
    reasons: tuple[str, ...]
    symmetric: bool | None = True
    stationary: bool | None = True
    stationary_in_numbers: bool = False
    witness: Witness | None = None
    most_columns: int | None = None

    def __post_init__(self) -> None:
        if self.stationary_in_numbers and self.stationary is not None:
            raise ValueError("what is stationary in its numeric columns alone is neither stationary nor not")

    def answers(self) -> tuple[tuple[str, str], ...]:
        """The three questions, and the answers to them in words."""
        stationary = "in its numeric columns" if self.stationary_in_numbers else _ANSWERS[self.stationary]
        return (
            ("positive definite", self.positive_definite),
            ("symmetric", _ANSWERS[self.symmetric]),
            ("stationary", stationary),
        )

    def lines(self) -> list[str]:
        """The reasons for the answer on positive definiteness, and the other two answers."""
        _, *others = self.answers()
        return [
            *(f"  - {reason}" for reason in self.reasons),
            *(f"{question}: {answer}" for question, answer in others),
        ]

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON data; what is not known is null."""
        witness = self.witness
        return {
            "positive_definite": self.positive_definite,
            "most_columns": self.most_columns,
            "symmetric": self.symmetric,
            "stationary": self.stationary,
            "stationary_in_numeric_columns": self.stationary is True or self.stationary_in_numbers,
            "reasons": list(self.reasons),
            "witness": witness
            and {
                "frequency": None if witness.frequency is None else list(witness.frequency),
                "points": None if witness.points is None else [list(point) for point in witness.points],
                "eigenvalue": witness.eigenvalue,
            },
        }

    def __repr__(self) -> str:
        return f"Verdict({', '.join(f'{question}: {answer}' for question, answer in self.answers())})"

    def _repr_html_(self) -> str:
        return html_rows("Verdict", self._rows())

    def _repr_latex_(self) -> str:
        return latex_rows(self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        return [*self.answers(), ("since", "\n".join(self.reasons))]


def joint_symmetry(parts: Sequence[Verdict], *, linear: bool) -> bool | None:
    """Whether a sum (`linear`) or a product of kernels is symmetric, as far as its parts tell.

    It is where all are. A sum is not where one alone is not, as the difference of two symmetric kernels is symmetric;
    a product may still vanish wherever its factor is not symmetric.
    """
    answers = [part.symmetric for part in parts]
    if all(answers):
        return True
    return False if linear and answers.count(False) == 1 and None not in answers else None


def joint_stationarity(parts: Sequence[Verdict]) -> tuple[bool | None, bool]:
    """Whether a sum or a product of kernels is stationary, and whether it is so in its numeric columns alone.

    It is where all parts are, and is not where one alone is not. Of several that are not, the sum may be: no rule
    decides it.
    """
    in_numbers = [part.stationary is True or part.stationary_in_numbers for part in parts]
    if all(in_numbers):
        whole = all(part.stationary for part in parts)
        return (True, False) if whole else (None, True)
    alone = [part.stationary for part in parts].count(False) == 1 and in_numbers.count(False) == 1
    return (False, False) if alone else (None, False)


@cache
def _field_names(cls: type[Kernel]) -> tuple[str, ...]:
    """Those that may hold kernels."""
    return tuple(part.name for part in fields(cls) if part.name not in ("dim", "span"))


@dataclass(frozen=True, kw_only=True)
class Kernel(ABC):
    """A kernel on rows of `dim` columns (a whole number, or the symbol d), with the span it came from.

    Composite nodes are written with + and * alone, so the same lines serve numbers and SymPy.
    """

    dim: Scalar
    span: Span | None = field(default=None, compare=False, repr=False)

    def children(self) -> Iterator[Kernel]:
        """The kernels directly below this one."""
        for name in _field_names(type(self)):
            value = getattr(self, name)
            if isinstance(value, tuple):
                yield from (item for item in value if isinstance(item, Kernel))
            elif not isinstance(value, int | float | str) and isinstance(value, Kernel):
                yield value

    def bases(self) -> Iterator[Kernel]:
        """The kernels on a single column that this node applies to every column."""
        return iter(())

    def parts(self) -> Iterator[Kernel]:
        """This kernel and all those below it, each before its own, from left to right."""
        pending: list[Kernel] = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(list(node.children())))

    def validate(self) -> None:
        """Raise ValueError unless the parts fit together, in numbers: a tree from a file may hold any.

        Here: on as many columns, at least one, as the kernels directly below.
        """
        if type(self.dim) is not int or not 1 <= self.dim < 2**31:
            raise ValueError(f"a kernel on {self.dim} columns")
        self.check_widths([self.dim])

    def check_widths(self, widths: Sequence[int]) -> None:
        """Raise ValueError unless every kernel directly below is on one of these numbers of columns."""
        for child in self.children():
            if child.dim not in widths:
                raise ValueError(f"a kernel on {self.dim} columns stands on one on {child.dim} columns")

    @abstractmethod
    def value(self, pairs: Pairs) -> Value:
        """k(x, y) for pairs of rows."""

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        """k(x, y) as m·e^s, for what is multiplied by a large exponential; here with s = 0."""
        import numpy as np

        from kernelspec.special.elementary import Scaled

        return Scaled(np.asarray(self.value(pairs), dtype=float), np.zeros(()))

    @property
    def grows_exponentially(self) -> bool:
        """Whether |k| may be large beyond all floats, so that its products are taken of scaled values."""
        return any(child.grows_exponentially for child in self.children())

    @property
    def has_constant_diagonal(self) -> bool:
        """Whether k(x, x) is the same for every x; if it is not, `diagonal` must not be asked."""
        return all(child.has_constant_diagonal for child in self.children())

    @abstractmethod
    def diagonal(self) -> Scalar:
        """k(x, x), where it is the same for every x."""

    @abstractmethod
    def magnitude(self) -> Scalar:
        """A bound on |p| for the samples p of this node: k(x, x) for positive weights, more for differences."""

    @abstractmethod
    def verdict(self) -> Verdict:
        """Positive definite, symmetric, stationary: derived from the children's verdicts by a theorem."""

    @property
    @abstractmethod
    def is_stationary(self) -> bool:
        """Whether k is a function of x − y on all columns, so that a spectral measure exists."""

    def transposed(self) -> Kernel:
        """k(y, x), by transposing the kernels below; a symmetric kernel of the catalogue is itself."""
        changed: dict[str, Any] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, Kernel):
                changed[part.name] = value.transposed()
            elif isinstance(value, tuple) and any(isinstance(item, Kernel) for item in value):
                changed[part.name] = tuple(item.transposed() if isinstance(item, Kernel) else item for item in value)
        return replace(self, **changed)


@dataclass(frozen=True, kw_only=True)
class OnBase(Kernel):
    """A node over one kernel, with its diagonal, magnitude, verdict and stationarity unless the node says otherwise."""

    base: Kernel

    def diagonal(self) -> Scalar:
        return self.base.diagonal()

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    def verdict(self) -> Verdict:
        return self.base.verdict()

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary


def all_parts(kernel: Kernel) -> Iterator[Kernel]:
    """`kernel.parts()`, and after a skeleton those of the kernel on a single column that its image is made of."""
    for part in kernel.parts():
        yield part
        for base in part.bases():
            yield from all_parts(base)
