"""Floats, and what stands in for an array of them."""

from __future__ import annotations

import numpy as np

from kernelspec.special.elementary import floats, is_stand_in


class StandIn:
    def __array_function__(self, *arguments: object) -> None: ...


def test_a_stand_in_stays_what_it_is_and_all_else_is_an_array() -> None:
    own = StandIn()
    assert floats(own) is own
    assert is_stand_in(own)
    for values in (3, [1, 2], np.arange(3), np.float64(2)):
        assert not is_stand_in(values)
        assert isinstance(floats(values), np.ndarray)
        assert floats(values).dtype == np.float64
    array = np.ones(3)
    assert floats(array) is array
