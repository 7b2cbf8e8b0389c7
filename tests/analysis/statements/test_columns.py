"""The columns in words and as data."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.statements import columns


def test_names_numbers_and_any_number() -> None:
    named, counted, free = (ks.analyze("gaussian()[age]"), ks.analyze("gaussian()", dim=3), ks.analyze("gaussian()"))
    assert (columns(named).value, columns(named).lines) == (("age",), ("columns: age",))
    assert (columns(counted).value, columns(counted).lines) == (3, ("columns: 3",))
    assert (columns(free).value, columns(free).lines) == (None, ("columns: d (any number)",))
