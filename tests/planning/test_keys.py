"""The names of the ways in which keys become columns."""

from __future__ import annotations

from typing import Any

import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.planning.methods import KEYS, Keys, buckets_and_bits


@pytest.mark.parametrize(
    ("keys", "expected"),
    [("auto", (16, None)), ("hashed", (16, None)), ("bits", (None, 3)), ("exact", (None, None))],
)
def test_what_is_used(keys: Keys, expected: tuple[int | None, int | None]) -> None:
    assert buckets_and_bits(keys, 16, 3) == expected
    plan = ks.compile("match()", dim=2, n_features=8, keys=keys, buckets=16, bits=3).plan
    assert (plan.buckets, plan.bits) == expected
    assert keys in KEYS


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("buckets", 16, 3), "keys must be one of 'auto', 'exact', 'hashed', 'bits', not 'buckets'"),
        (("auto", 1, 3), "buckets must be at least 2"),
        (("bits", 16, 2.5), "bits must be a whole number"),
        (("bits", 16, 10**30), "bits must be at most 24"),
        (("hashed", 10**30, 8), "buckets must be at most 2,147,483,648"),
        ((None, 16, 3), "keys must be one of"),
    ],
)
def test_what_is_refused(given: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        buckets_and_bits(*given)
