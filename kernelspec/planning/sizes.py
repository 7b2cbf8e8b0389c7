"""How many entries a row of features stores under a candidate, and how many columns there are."""

from __future__ import annotations

from collections.abc import Sequence

from kernelspec.numerics.phasor import Form
from kernelspec.planning.candidates import entries
from kernelspec.planning.strata import Stratum

__all__ = ["most_columns", "stored_entries"]


def stored_entries(parts: Sequence[tuple[Stratum, int]], form: Form, anchors: int = 0) -> int:
    """At most, of so many samples of each stratum, and anchors; one of zeros where there is nothing else."""
    return max(1, anchors + sum(n * entries(stratum, form) for stratum, n in parts))


def most_columns(
    parts: Sequence[tuple[Stratum, int]], form: Form, buckets: int | None, bits: int | None, anchors: int = 0
) -> int | None:
    """At most; None where keys get columns as they are met in the data, which is not known beforehand.

    A key has a column for every category that is known and those that all others share, or `buckets`, or one for every
    value of its `bits`, and one more for all samples of its kind.
    """
    found = anchors
    for stratum, n in parts:
        law = stratum.law
        if not law.has_key:
            per_sample = 1
        elif stratum.known is not None:
            per_sample = len(stratum.known) + stratum.shared
        elif bits is not None:
            per_sample = 1 << bits
        elif buckets is not None:
            per_sample = buckets
        else:
            return None
        found += n * law.n_terms * per_sample * (2 if law.has_phasor and form == "paired" else 1)
        found += law.has_key and stratum.known is None and bits is not None
    return max(1, found)
