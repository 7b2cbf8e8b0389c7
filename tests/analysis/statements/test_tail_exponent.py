"""The tail of the density in all reports, or why there is none."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.spectral_statements import tail_exponent


def test_powers_and_faster() -> None:
    found = tail_exponent(ks.analyze("laplace()*gaussian()", dim=1))
    assert (found.value, found.lines) == (2, ("the density falls like ‖ω‖^−2",))
    assert found.latex == ((r"\mu(\omega)", r"O(\lVert\omega\rVert^{-2})"),)
    found = tail_exponent(ks.analyze("cauchy()", dim=1))
    assert (found.value, found.lines) == ("infinite", ("the density falls faster than any power of ‖ω‖",))


def test_none_with_its_reason() -> None:
    for text, reason in (("periodic(1)", "atoms"), ("param s > 0\nlaplace(s)", "no value"), ("matern(nu=2)", "half")):
        found = tail_exponent(ks.analyze(text, dim=1))
        assert (found.value, found.lines) == (None, ())
        assert reason in str(found.missing)
