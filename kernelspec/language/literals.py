"""Literals and spelling: decimal text to exact fractions, quoted names, Greek letters and typographic operators."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from kernelspec.errors import SpecError, SpecSyntaxError
from kernelspec.limits import MAX_DIGITS, MAX_EXPONENT, MAX_NAME
from kernelspec.loading import Span

__all__ = [
    "ascii_operator",
    "column_name",
    "column_text",
    "find_forbidden",
    "is_plain_name",
    "number_text",
    "number_value",
]

_OPERATORS = str.maketrans({"·": "*", "⋅": "*", "×": "*", "−": "-"})
# Control characters except tab and newline, surrogates, and marks that reverse the direction of text.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def ascii_operator(text: str) -> str:
    """The ASCII spelling of an operator: `·` and `×` are `*`, the minus sign U+2212 is `-`."""
    return text if text.isascii() else text.translate(_OPERATORS)


def is_plain_name(text: str) -> bool:
    """Whether the text is a valid name without quotes."""
    return _PLAIN_NAME.fullmatch(text) is not None


def find_forbidden(text: str) -> re.Match[str] | None:
    """The first character that no spec may contain, even in a comment or a quoted name."""
    return _FORBIDDEN.search(text)


# Numbers with exponents in this range are written out, as Python does for floats.
_LOWEST_PLAIN, _HIGHEST_PLAIN = -4, 15
_LARGEST = Fraction(10**MAX_EXPONENT)
_NONE = Fraction(0)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "'": "'", "\\": "\\"}
_ESCAPED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def number_value(text: str, span: Span) -> Fraction:
    """The exact value of a decimal literal.

    Raises SpecSyntaxError if it has too many digits or is out of bounds; checked before any arithmetic, so
    `1e999999999` is cheap to reject.
    """
    value, message = _value(text)
    if message:
        raise SpecSyntaxError(message, span)
    return value


@lru_cache(maxsize=1024)
def _value(text: str) -> tuple[Fraction, str]:
    """The value, or an error message; cached because long texts have few distinct literals."""
    mantissa, _, exponent = text.lower().partition("e")
    digits = len(mantissa) - mantissa.count(".")
    if digits > MAX_DIGITS:
        return _NONE, f"this number has {digits} digits; at most {MAX_DIGITS} are allowed"
    power = exponent.lstrip("+-").lstrip("0")
    if len(power) > len(str(MAX_EXPONENT)) or int(power or 0) > MAX_EXPONENT:
        return _NONE, f"exponents of ten must lie between -{MAX_EXPONENT} and {MAX_EXPONENT}"
    value = Fraction(text)
    if value and not 1 / _LARGEST <= value <= _LARGEST:
        return _NONE, f"numbers other than 0 must lie between 1e-{MAX_EXPONENT} and 1e{MAX_EXPONENT}"
    return value, ""


def number_text(value: Fraction, span: Span | None = None) -> str:
    """The shortest decimal text of a value: `2`, `0.1`, `1e-30`.

    Raises SpecError if no literal has that value: it is negative (use Negation), has no finite decimal expansion (1/3
    is a Product), or is out of bounds. Parsed trees never hold such a number.
    """
    try:
        return _shortest(value)
    except SpecError as error:
        raise SpecError(error.message, span) from None


@lru_cache(maxsize=4096)
def _shortest(value: Fraction) -> str:
    """`number_text`, kept because quantiles of columns are written over and over. Raises SpecError."""
    if value < 0:
        raise SpecError(f"{value} is not a literal: write it as the Negation of {-value}")
    digits, power = _decimal(value)
    leading = power + len(digits) - 1
    point = len(digits) + power
    if power >= 0:
        plain = digits + "0" * power
    elif point > 0:
        plain = f"{digits[:point]}.{digits[point:]}"
    else:
        plain = "0." + "0" * -point + digits if leading >= _LOWEST_PLAIN else ""
    if _LOWEST_PLAIN <= leading <= _HIGHEST_PLAIN and len(plain) <= MAX_DIGITS:
        return plain
    return f"{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{leading}"


def _decimal(value: Fraction) -> tuple[str, int]:
    """Digits without leading or trailing zeros, and a power of ten: value = digits · 10^power."""
    if value == 0:
        return "0", 0
    if not 1 / _LARGEST <= value <= _LARGEST:
        raise SpecError(f"numbers other than 0 must lie between 1e-{MAX_EXPONENT} and 1e{MAX_EXPONENT}")
    twos = (value.denominator & -value.denominator).bit_length() - 1
    fives, rest = 0, value.denominator >> twos
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest != 1:
        raise SpecError(f"{value} is not a literal: its decimals never end; write it as a Product of two numbers")
    power = max(twos, fives)
    whole = str(value.numerator * 2 ** (power - twos) * 5 ** (power - fives))
    digits = whole.rstrip("0")
    if len(digits) > MAX_DIGITS:
        raise SpecError(f"this number has {len(digits)} digits; at most {MAX_DIGITS} are allowed")
    return digits, len(whole) - len(digits) - power


def column_name(text: str, span: Span) -> str:
    r"""The name inside quotes, with `\"`, `\'`, `\\`, `\n`, `\r` and `\t` resolved.

    Raises SpecSyntaxError at any other backslash.
    """

    def resolve(match: re.Match[str]) -> str:
        try:
            return _ESCAPES[match[1]]
        except KeyError:
            place = Span(span.source, span.start + 1 + match.start(), span.start + 1 + match.end())
            message = rf"unknown escape '{match[0]}' in a quoted name: use \\, \", \', \n, \r or \t"
            raise SpecSyntaxError(message, place) from None

    return re.sub(r"\\(.)", resolve, text[1:-1])


def column_text(name: str, span: Span | None = None, *, quoted: bool = False) -> str:
    """The name as written in `k[…]`: bare if possible and not `quoted`, else in double quotes.

    Raises SpecError for a name that is too long or contains a forbidden character.
    """
    if len(name) > MAX_NAME:
        raise SpecError(f"this name has {len(name):,} characters; at most {MAX_NAME} are allowed", span)
    if forbidden := find_forbidden(name):
        raise SpecError(f"a name cannot contain the character U+{ord(forbidden[0]):04X}", span)
    return name if is_plain_name(name) and not quoted else '"' + "".join(_ESCAPED.get(c, c) for c in name) + '"'
