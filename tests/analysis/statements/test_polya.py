"""The distribution behind a Polya kernel."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.statements import polya


def test_laplace_is_one() -> None:
    fact = polya(ks.analyze("laplace()", dim=1))
    assert fact.value == {"distribution": "gamma(shape=2, scale=1)", "mean": "2", "inverse_mean": "1", "area": "2"}
    assert fact.lines[0].startswith("Polya kernel of R ~ gamma(shape=2, scale=1): E R = 2, M = E[1/R] = 1, area")
    assert polya(ks.analyze("gaussian()", dim=1)).value is None
