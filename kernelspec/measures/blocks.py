"""Which parts of a convolution share columns, and which are independent."""

from __future__ import annotations

from typing import Any

from kernelspec.measures.embedding import Embedding
from kernelspec.measures.measure import Measure

__all__ = ["independent_blocks", "support", "without_embedding"]


def support(part: Measure) -> tuple[Any, ...]:
    """The columns on which a measure lives; all of them but for an embedding."""
    if isinstance(part, Embedding):
        return part.positions
    return tuple(range(part.dim)) if isinstance(part.dim, int) else (part.dim,)


def without_embedding(part: Measure) -> Measure:
    """The measure on its own columns alone."""
    return part.part if isinstance(part, Embedding) else part


def independent_blocks(parts: tuple[Measure, ...]) -> list[tuple[tuple[int, ...], tuple[Measure, ...]]]:
    """The parts grouped so that no two groups share a column: the density is the product over the groups.

    Each group comes with its columns in increasing order and its parts as measures on those columns.
    """
    groups: list[tuple[set[int], list[Measure]]] = []
    for part in parts:
        columns, members = set(support(part)), [part]
        for group in [group for group in groups if group[0] & columns]:
            columns |= group[0]
            members = group[1] + members
            groups.remove(group)
        groups.append((columns, members))
    result = []
    for unordered, members in groups:
        kept = tuple(sorted(unordered))
        result.append((kept, tuple(_restricted(member, kept) for member in members)))
    return result


def _restricted(part: Measure, columns: tuple[int, ...]) -> Measure:
    own = support(part)
    if own == columns:
        return without_embedding(part)
    return Embedding(without_embedding(part), tuple(columns.index(column) for column in own), len(columns))
