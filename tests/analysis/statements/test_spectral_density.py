"""The density, or why there is none."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.spectral_statements import spectral_density


def test_density_and_reason() -> None:
    fact = spectral_density(ks.analyze("laplace()", dim=1))
    assert fact.value == "1/(pi*(omega**2 + 1))"
    assert (fact.missing, fact.lines) == (None, (f"spectral density = {fact.value}",))
    fact = spectral_density(ks.analyze("cosine(1)", dim=1))
    assert (fact.value, fact.lines, fact.explains) == (None, (), True)
    assert "atoms" in str(fact.missing)
