"""E‖ω‖², which may be infinite or undefined."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.spectral_statements import second_moment


def test_finite_infinite_undefined() -> None:
    found = {text: second_moment(ks.analyze(text, dim=2)) for text in ("gaussian(2)", "laplace()", "match()")}
    assert (found["gaussian(2)"].value, found["gaussian(2)"].lines) == ("1/2", ("E‖ω‖² = 1/2",))
    assert (found["laplace()"].value, found["laplace()"].lines) == ("infinite", ("E‖ω‖² = infinite",))
    assert (found["match()"].value, found["match()"].lines) == (None, ())
    shifted = second_moment(ks.analyze("shift(laplace(), 1)", dim=1))
    assert (shifted.value, shifted.lines) == (None, ("E‖ω‖² = undefined, the measure is complex",))
