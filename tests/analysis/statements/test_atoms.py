"""Atoms in words and as data."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.spectral_statements import atoms


def test_two_waves() -> None:
    fact = atoms(ks.analyze("cosine(2)", dim=1))
    assert fact.value == {"points": [[2.0], [-2.0]], "weights": [0.5, 0.5], "omitted": 0.0}
    assert fact.lines == ("  atom 0.5 at (2)", "  atom 0.5 at (-2)")


def test_none() -> None:
    fact = atoms(ks.analyze("gaussian()", dim=1))
    assert (fact.value, fact.lines) == (None, ())
