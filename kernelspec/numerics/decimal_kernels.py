"""Compiled: columns of plain decimal numbers out of delimited text. A module of compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled

__all__ = ["read_decimals"]

_ZERO, _NINE, _POINT, _MINUS = np.uint8(ord("0")), np.uint8(9), np.uint8(ord(".")), np.uint8(ord("-"))
_NEWLINE, _RETURN, _QUOTE = np.uint8(ord("\n")), np.uint8(ord("\r")), np.uint8(ord('"'))
_LARGEST, _MOST_DIGITS = np.uint64(2**53), np.uint64(18)
_POWERS = np.array([float(10**i) for i in range(19)])
_0, _1, _10 = np.uint64(0), np.uint64(1), np.uint64(10)  # an index without a sign is not looked at for being negative


@compiled
def read_decimals(
    text: NDArray[np.uint8], delimiter: Any, places: NDArray[np.int64], numbers: NDArray[np.float64]
) -> int:
    """The fields of lines as `numbers` (columns, rows); returns how many rows there are, −1 where not all are plain.

    `places` says for each field of a line its column in `numbers`, or −1 for one that is not looked at. A plain number
    is −?d+(.d+)?, of 18 digits at most that make a whole number up to 2⁵³ when the point is left out: that and the
    power of ten are exact, so that their quotient is the nearest float64 [Clinger 1990]. A line has as many fields as
    `places`, no quotation mark, and ends in \\n or \\r\\n; the text must end in \\n, and the delimiter be no part of a
    number.
    """
    at, row = _0, 0
    while at < np.uint64(text.shape[0]):
        if row == numbers.shape[1]:
            return -1
        for i in range(places.shape[0]):
            is_last = i == places.shape[0] - 1
            if places[i] < 0:
                at = _skipped(text, at, delimiter)
            else:
                negative = text[at] == _MINUS
                whole, first = _0, at + np.uint64(negative)
                at, whole = _digits(text, first, whole)
                n_digits, n_decimals = at - first, _0
                if text[at] == _POINT:
                    first = at + _1
                    at, whole = _digits(text, first, whole)
                    n_decimals = at - first
                    if n_decimals == _0:
                        return -1
                if n_digits == _0 or n_digits + n_decimals > _MOST_DIGITS or whole > _LARGEST:
                    return -1
                value = np.float64(whole) / _POWERS[n_decimals]
                numbers[places[i], row] = -value if negative else value
            if is_last and text[at] == _RETURN:
                at += _1
            if text[at] != (_NEWLINE if is_last else delimiter):
                return -1
            at += _1
        row += 1
    return row


@compiled
def _skipped(text: NDArray[np.uint8], at: Any, delimiter: Any) -> Any:
    """Where a field ends that begins here, or the first quotation mark in it."""
    while text[at] != delimiter and text[at] != _NEWLINE and text[at] != _RETURN and text[at] != _QUOTE:
        at += _1
    return at


@compiled
def _digits(text: NDArray[np.uint8], at: Any, whole: Any) -> Any:
    """Where the digits end that begin here, and the whole number that they are put behind."""
    digit = np.uint8(text[at] - _ZERO)
    while digit <= _NINE:
        whole = _10 * whole + np.uint64(digit)
        at += _1
        digit = np.uint8(text[at] - _ZERO)
    return at, whole
