"""The one door to compiled quadrature: QUADPACK corrupts its memory when it is given a number that is not finite."""

from __future__ import annotations

import math
from collections.abc import Callable

from kernelspec.errors import NotFiniteError

__all__ = ["cosine_integral_between"]


def cosine_integral_between(
    function: Callable[[float], float], low: float, high: float, frequency: float, *, absolute: float, relative: float
) -> float:
    """∫ f(t) cos(ωt) dt from `low` to `high`, to the errors wanted or to rounding, by QUADPACK's Clenshaw–Curtis rule.

    Raises NotFiniteError, with the place, where f or a limit is not a finite number: none ever reaches compiled code.
    Reference: Piessens, de Doncker, Überhuber and Kahaner 1983, QAWO.
    """
    from scipy.integrate import quad

    def checked(t: float) -> float:
        value = float(function(t))
        if not math.isfinite(value):
            raise NotFiniteError(
                f"the integrand of a quadrature is {value} at t = {t:.17g}: it must be a finite number"
            )
        return value

    for name, number in (("lower limit", low), ("upper limit", high), ("frequency", frequency)):
        if not math.isfinite(number):
            raise NotFiniteError(f"the {name} of a quadrature is {number}: it must be a finite number")
    # the full output also keeps QUADPACK from warning where rounding is reached: what it returns is the most there is
    found = quad(
        checked,
        low,
        high,
        weight="cos",
        wvar=frequency,
        epsabs=absolute,
        epsrel=relative,
        limit=200,
        full_output=1,
    )
    return float(found[0])
