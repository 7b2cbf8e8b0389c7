"""Numbers out of text, against what Python's own `float` makes of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernelspec.numerics.decimal_kernels import read_decimals
from tests.thoroughness import examples

COMMA = np.uint8(ord(","))


def parsed(text: str, places: list[int], rows: int = 8) -> NDArray[np.float64] | None:
    numbers = np.full((max(places) + 1, rows), np.nan)
    n = read_decimals(np.frombuffer(text.encode(), np.uint8), COMMA, np.array(places), numbers)
    return None if n < 0 else numbers[:, :n]


@settings(max_examples=examples(200))
@given(
    st.from_regex(r"-?[0-9]{1,9}(\.[0-9]{1,9})?", fullmatch=True, alphabet="-.0123456789"),
    st.sampled_from(["\n", "\r\n"]),
)
def test_the_nearest_number(text: str, end: str) -> None:
    found, whole = parsed(f"7,{text}{end}", [-1, 0]), int(text.lstrip("-").replace(".", ""))
    if whole > 2**53:
        assert found is None
    else:
        assert found is not None
        assert found.tobytes() == np.float64(text).tobytes()


def test_columns_in_the_order_asked_for() -> None:
    found = parsed("1,two words,-3.5\r\n4,,-0.0\n", [1, -1, 0])
    assert found is not None
    assert found.tolist() == [[-3.5, -0.0], [1, 4]]
    assert np.signbit(found[0, 1])


@pytest.mark.parametrize(
    "text",
    [
        *("1,2,3\n", "1\n", "1,\n", ",1\n", "\n", "1,2\n\n", "1, 2\n", "1,2 \n", "1,+2\n", "1,--2\n", "1,2.\n"),
        *("1,.5\n", "1,1e5\n", "1,nan\n", "1,NA\n", "1,-\n", "1,1.2.3\n", '1,"2"\n', "1,2\r3\n", "1,2\r\r\n"),
        *(
            "1,9007199254740993\n",
            "1,1234567890123456789\n",
            "1,0.0000000000000000001\n",
            "1,99999999999999999999999\n",
        ),
    ],
)
def test_other_text_is_left_to_others(text: str) -> None:
    assert parsed(text, [0, 1]) is None


@pytest.mark.parametrize("text", ['"x",1\n', "x\r,1\n", "x\n", 'a"b,1\n'])
def test_fields_that_are_not_looked_at_end_with_the_delimiter(text: str) -> None:
    assert parsed(text, [-1, 0]) is None


def test_more_lines_than_there_is_room_for() -> None:
    assert parsed("1,2\n" * 3, [0, 1], rows=2) is None
