"""The interface of kernel nodes, and verdicts on kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from operator import is_
from typing import Any, Literal, TypeVar

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.loading import Span
from kernelspec.rendering.notebooks import html_rows, latex_rows
from kernelspec.special.elementary import Scaled

__all__ = [
    "Kernel",
    "OnBase",
    "Verdict",
    "Witness",
    "all_parts",
    "joint_stationarity",
    "joint_symmetry",
    "rebuilt",
    "under_power_series",
]

_ANSWERS = {True: "yes", False: "no", None: "unknown"}


@dataclass(frozen=True, slots=True)
class Witness:
    """A numerical counterexample.

    A frequency with a negative density or atom, one number per column; or points, one per row, and the negative
    eigenvalue of their kernel matrix; their entries may be categories. Unknown entries are None.
    """

    frequency: tuple[float, ...] | None = None
    points: tuple[tuple[float | str, ...], ...] | None = None
    eigenvalue: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a kernel is positive definite, symmetric and stationary, with an explanation.

    `symmetric` and `stationary` are True or False if proved, else None. `stationary` is also None if the node mixes
    numeric columns with categories, which have no differences; if it is stationary in the former,
    `stationary_in_numbers` is True. `witness` has the numbers of a disproof, if any. `most_columns` is the largest
    number of columns on which a kernel that fails on more is positive definite. `steps` are exact computations by which
    a reader can check the last reason, if there are any.
    """

    positive_definite: Literal["proved", "disproved", "unknown"]
    reasons: tuple[str, ...]
    symmetric: bool | None = True
    stationary: bool | None = True
    stationary_in_numbers: bool = False
    witness: Witness | None = None
    most_columns: int | None = None
    steps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.stationary_in_numbers and self.stationary is not None:
            raise ValueError("a kernel that is stationary in its numeric columns only must have stationary=None")

    def answers(self) -> tuple[tuple[str, str], ...]:
        """The three questions and their answers, in words."""
        stationary = "in its numeric columns" if self.stationary_in_numbers else _ANSWERS[self.stationary]
        symmetric = _ANSWERS[self.symmetric]
        return (("positive definite", self.positive_definite), ("symmetric", symmetric), ("stationary", stationary))

    def lines(self) -> list[str]:
        """The explanation of positive definiteness, and the other two answers."""
        others = self.answers()[1:]
        return [
            *(f"  - {reason}" for reason in self.reasons),
            *(f"{question}: {answer}" for question, answer in others),
        ]

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON data; unknown answers are null."""
        witness = self.witness
        return {
            "positive_definite": self.positive_definite,
            "most_columns": self.most_columns,
            "symmetric": self.symmetric,
            "stationary": self.stationary,
            "stationary_in_numeric_columns": self.stationary is True or self.stationary_in_numbers,
            "reasons": list(self.reasons),
            "steps": list(self.steps),
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
    """Whether a sum (`linear`) or a product of kernels is symmetric, as far as its parts determine it.

    It is if all parts are. A sum is not if exactly one part is not, since differences of symmetric kernels are
    symmetric; a product may still vanish wherever its factor is not symmetric.
    """
    answers = [part.symmetric for part in parts]
    if all(answers):
        return True
    return False if linear and answers.count(False) == 1 and None not in answers else None


def joint_stationarity(parts: Sequence[Verdict]) -> tuple[bool | None, bool]:
    """Whether a sum or a product of kernels is stationary, and whether it is in its numeric columns.

    It is if all parts are, and is not if exactly one part is not. If several are not, a sum may be: no rule decides it.
    """
    in_numbers = [part.stationary is True or part.stationary_in_numbers for part in parts]
    if all(in_numbers):
        whole = all(part.stationary for part in parts)
        return (True, False) if whole else (None, True)
    alone = [part.stationary for part in parts].count(False) == 1 and in_numbers.count(False) == 1
    return (False, False) if alone else (None, False)


def under_power_series(part: Verdict, rules: Sequence[str], varies: bool | None) -> Verdict:
    """The verdict on a power series of a kernel, with coefficients of at least 0.

    It may be even or constant, so that different values below give equal ones, unless it `varies`.
    """
    return Verdict(
        "proved" if part.positive_definite == "proved" else "unknown",
        (*part.reasons, *rules),
        part.symmetric or None,
        part.stationary if varies else part.stationary or None,
        part.stationary_in_numbers,
    )


Tree = TypeVar("Tree")


def rebuilt(node: Tree, kind: type[Any], change: Callable[[Any], Any]) -> Tree:
    """The dataclass with `change` applied to its fields of that type, and to such entries of tuples; itself if nothing
    changes.
    """

    def new(value: Any) -> Any:
        if isinstance(value, kind):
            return change(value)
        if not isinstance(value, tuple):
            return value
        found = tuple(change(item) if isinstance(item, kind) else item for item in value)
        return value if all(map(is_, found, value)) else found

    own = {part.name: getattr(node, part.name) for part in fields(node)}  # type: ignore[arg-type]
    changed = {name: found for name, value in own.items() if (found := new(value)) is not value}
    return replace(node, **changed) if changed else node  # type: ignore[type-var]


@cache
def _field_names(cls: type[Kernel]) -> tuple[str, ...]:
    """The fields that may hold kernels."""
    return tuple(part.name for part in fields(cls) if part.name not in ("dim", "span"))


@dataclass(frozen=True, kw_only=True)
class Kernel(ABC):
    """A kernel on rows of `dim` columns (an integer, or the symbol d), with its span in the text.

    Composite nodes only use + and *, so the same code serves numbers and SymPy.
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
        """This kernel and all those below it, parents first, left to right."""
        pending: list[Kernel] = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(list(node.children())))

    def validate(self) -> None:
        """Raise ValueError unless the parts are consistent, since a tree from a file may hold anything.

        By default, the kernels directly below must have the same number of columns, at least one.
        """
        if type(self.dim) is not int or not 1 <= self.dim < 2**31:
            raise ValueError(f"a kernel on {self.dim} columns")
        self.check_widths([self.dim])

    def check_widths(self, widths: Sequence[int]) -> None:
        """Raise ValueError unless every kernel directly below has one of these numbers of columns."""
        for child in self.children():
            if child.dim not in widths:
                raise ValueError(f"a kernel on {self.dim} columns is applied to one on {child.dim} columns")

    def compared_column(self) -> int | None:
        """The column of which this kernel is 1 for equal categories and else 0; None for other kernels."""
        return None

    @abstractmethod
    def value(self, pairs: Pairs) -> Value:
        """k(x, y) for pairs of rows."""

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        """k(x, y) as m·e^s, for multiplication by large exponentials; by default s = 0."""
        import numpy as np

        return Scaled(np.asarray(self.value(pairs), dtype=float), np.zeros(()))

    @property
    def grows_exponentially(self) -> bool:
        """Whether |k| may overflow, so that products need scaled values."""
        return any(child.grows_exponentially for child in self.children())

    @property
    def has_constant_diagonal(self) -> bool:
        """Whether k(x, x) is the same for every x; otherwise `diagonal` is undefined."""
        return all(child.has_constant_diagonal for child in self.children())

    def sums_on_columns(self, x: Any, y: Any) -> Any:
        """Of a kernel on one column: its values for all pairs of x (p, c, n) and y (p, c, m), summed over c: (p, n, m).

        None if nothing is faster than pair by pair.
        """
        return None

    @abstractmethod
    def diagonal(self) -> Scalar:
        """k(x, x), if it is the same for every x."""

    @abstractmethod
    def magnitude(self) -> Scalar:
        """A bound on |p| for the samples p of this node: k(x, x) for positive weights, more for differences."""

    @abstractmethod
    def verdict(self) -> Verdict:
        """Positive definite, symmetric, stationary: derived from the children's verdicts by a theorem."""

    @property
    def is_stationary(self) -> bool:
        """Whether k is a function of x − y on all columns, so that a spectral measure exists."""
        return all(child.is_stationary for child in (*self.children(), *self.bases()))

    def transposed(self) -> Kernel:
        """k(y, x), by transposing the parts; symmetric catalogue kernels return themselves."""
        return rebuilt(self, Kernel, lambda part: part.transposed())


@dataclass(frozen=True, kw_only=True)
class OnBase(Kernel):
    """A node over one kernel, whose diagonal, magnitude, verdict and stationarity it inherits by default."""

    base: Kernel

    def diagonal(self) -> Scalar:
        return self.base.diagonal()

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    def verdict(self) -> Verdict:
        return self.base.verdict()


def all_parts(kernel: Kernel) -> Iterator[Kernel]:
    """`kernel.parts()`, and after a skeleton the parts of its one-column base kernel."""
    for part in kernel.parts():
        yield part
        for base in part.bases():
            yield from all_parts(base)
