"""The mean of a Polya kernel."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.statements import mean


def test_mean() -> None:
    assert mean(ks.analyze("polya(gamma(shape=3))", dim=1)).value == "3"
    assert mean(ks.analyze("gaussian()", dim=1)).value is None
