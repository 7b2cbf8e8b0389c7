"""Which keys get a column for every category met in the data, and which are hashed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kernelspec.limits import MAX_CATEGORIES
from kernelspec.tables.known_categories import KnownCategories

if TYPE_CHECKING:
    from kernelspec.laws.law import Law
    from kernelspec.tables.rows import Rows

__all__ = ["SHARED", "Categories", "categories_met", "compared_by_all", "shared_by"]

SHARED = 4
"""Columns for keys that were not met, where there is one sample; of several samples each has one."""

Compared = tuple[int, ...]
"""Columns whose categories are compared, all of them together."""


@dataclass(frozen=True)
class Categories:
    """The categories met in some data, by the columns that are compared, for keys with up to `most` of them.

    Samples without variance, one of which is enough, have a column for every category up to a million. Where features
    are stored as arrays, zeros too, `stored` are the columns of a key that is hashed.
    """

    met: Mapping[Compared, KnownCategories] = field(default_factory=dict)
    most: int | None = None
    stored: int | None = None

    def of(self, law: Law, positions: tuple[int, ...]) -> KnownCategories | None:
        """Those that get columns of their own for samples of this law on some columns; None where keys are hashed."""
        compared = compared_by_all(law, positions)
        known = None if compared is None else self.met.get(compared)
        most = MAX_CATEGORIES if self.most is None or law.is_exact else self.most
        return known if known is not None and len(known) <= most else None

    def columns_stored(self, law: Law, known: KnownCategories | None) -> int:
        """Entries that are stored for each one of a sample: 1, or the columns of its key where zeros are stored too."""
        if self.stored is None or not law.has_key:
            return 1
        return self.stored if known is None else len(known) + shared_by(law)


def compared_by_all(law: Law, positions: tuple[int, ...]) -> Compared | None:
    """The columns whose categories are the key of every sample that has one; None if keys differ in what they say."""
    keys = [columns for columns in law.compared(positions) or () if columns]
    return keys[0] if len(keys) == 1 else None


def shared_by(law: Law) -> int:
    """The columns of every sample into which keys that are not known are hashed, with signs."""
    return SHARED if law.is_exact else 1


def categories_met(blocks: Iterable[Rows], wanted: Iterable[Compared]) -> dict[Compared, KnownCategories]:
    """The categories that some rows have in the columns `wanted`, whatever blocks the rows come in."""
    found: dict[Compared, KnownCategories] = {}
    wanted = sorted(wanted)
    for rows in blocks if wanted else ():
        for positions in wanted:
            own = KnownCategories.of(rows, positions)
            found[positions] = found[positions].with_others(own) if positions in found else own
    return found
