"""Loading by name on first use, suggestions for misspelt names, and source lines with carets."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ParamSpec, TypeVar

from kernelspec.errors import DataError, FileError, MissingPackageError, UnknownArgumentError
from kernelspec.limits import MAX_TEXT

__all__ = [
    "Source",
    "Span",
    "ascii_name",
    "caller_level",
    "has_package",
    "home_of",
    "is_table_name",
    "listed",
    "load_from",
    "load_rules",
    "loaded",
    "missing_package",
    "mpmath",
    "nearest_column",
    "pyarrow",
    "read_text",
    "require_package",
    "scipy",
    "sparse",
    "special",
    "suggest",
    "suggests_arguments",
    "sympy",
    "unknown_argument",
    "unknown_column",
]

_P = ParamSpec("_P")
_Result = TypeVar("_Result")

_BETWEEN = ("kernelspec", "sklearn", "joblib", "contextlib")


def load_from(home: str) -> Any:
    """The object at `"package.module:attribute"`. Raises MissingPackageError if a package is not installed."""
    module, _, attribute = home.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise missing_package(error) or error from None


class _OnUse:
    """A package that is imported on first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # requested by introspection and copy
            raise AttributeError(attribute)
        value = load_from(f"{self._name}:{attribute}")
        setattr(self, attribute, value)  # direct access from now on
        return value


if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped,unused-ignore]
    from scipy import sparse
else:
    pyarrow = _OnUse("pyarrow")
    sparse = _OnUse("scipy.sparse")
mpmath: Any = _OnUse("mpmath")
scipy: Any = _OnUse("scipy")
special: Any = _OnUse("scipy.special")
sympy: Any = _OnUse("sympy")


def home_of(cls: type) -> str:
    """`"package.module:Class"` of a class."""
    return f"{cls.__module__}:{cls.__qualname__}"


def load_rules(homes: Mapping[str, str], cls: type) -> None:
    """Import the module that registers the rules for a class: the first in its MRO that has any.

    Rules by type (`functools.singledispatch`) live beside their subject; `homes` has the module for every class with a
    rule, so that a simple kernel loads only its own.
    """
    for ancestor in cls.__mro__:
        if (module := homes.get(home_of(ancestor))) is not None:
            import_module(module)
            return


def loaded(*homes: str) -> Any:
    """Those of these classes whose modules are loaded, for `isinstance`: the others have no instances."""
    split = (home.split(":") for home in homes)
    return tuple(getattr(sys.modules[module], name) for module, name in split if module in sys.modules)


@cache
def has_package(name: str) -> bool:
    """Whether a package is installed, without importing it."""
    return find_spec(name) is not None


NEEDED: Mapping[str, str] = {
    "celerite2": "terms",
    "gpflow": "kernels of GPflow",
    "gpytorch": "kernels of GPyTorch",
    "narwhals": "tables of pandas, polars and Arrow",
    "numba": "keys, polynomials, sparse frequencies and filters",
    "pyarrow": "CSV and Parquet files",
    "sklearn": "estimators",
}
"""Dependencies that `pip install --no-deps` leaves out, libraries to export to, and what needs each of them."""


def missing_package(error: ImportError) -> MissingPackageError | None:
    """The error that names the package to install, if one of `NEEDED` could not be imported."""
    name = (error.name or "").partition(".")[0]
    if name not in NEEDED or has_package(name):
        return None
    package = "scikit-learn" if name == "sklearn" else name
    return MissingPackageError(
        f"{NEEDED[name]} need the package {package}, which is not installed: pip install {package}"
    )


def require_package(name: str, *, extra: str, purpose: str) -> None:
    """Check that a package of `kernelspec[extra]` is installed, without importing it.

    `purpose` is the subject of the message, such as "figures". Raises MissingPackageError with the install command.
    """
    if find_spec(name) is None:
        raise MissingPackageError(
            f"{purpose} need the package {name}, which is not installed: pip install 'kernelspec[{extra}]'"
        )


def caller_level() -> int:
    """The `stacklevel` that attributes a warning to the first line outside this package, scikit-learn and joblib."""
    level, frame = 0, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    return level


_NEAR, _NEAR_SHORT = 0.7, 0.6
"""The lowest difflib similarity to suggest a name, and that for names of up to three letters."""

_BEGINNING = 3  # this many first letters of a name stand for it


def suggest(word: str, candidates: Iterable[str], also: Mapping[str, Iterable[str]] | None = None) -> str:
    """`; did you mean 'scale'?` for the candidate nearest to the word, or "" if none is near.

    `also` maps candidates to other names, or labels to groups of names that contain a candidate. Deterministic: ties go
    to the first candidate in alphabetical order.
    """
    known = sorted(set(candidates))
    meant = {name: name for name in known}
    for name, others in (also or {}).items():
        group = (name, *others)
        stands = next((one for one in group if one in known), None)
        if stands is not None:
            meant = dict.fromkeys(group, stands) | meant
    if word.casefold() in meant:
        return f"; did you mean '{meant[word.casefold()]}'?"
    matcher = difflib.SequenceMatcher(b=word.casefold())

    def nearness(name: str) -> float:
        matcher.set_seq1(name.casefold())
        begins = len(word) >= _BEGINNING and name.casefold().startswith(word.casefold())
        return max(matcher.ratio(), _NEAR if begins else 0)

    best = max(sorted(meant), key=nearness, default="")  # the first of equally near ones
    enough = _NEAR_SHORT if max(len(word), len(best)) <= _BEGINNING else _NEAR
    return f"; did you mean '{meant[best]}'?" if best and nearness(best) >= enough else ""


_GREEK = (
    "αalpha βbeta γgamma δdelta εepsilon ϵepsilon ζzeta ηeta θtheta ϑtheta ιiota κkappa ϰkappa λlambda μmu "
    "\N{MICRO SIGN}mu νnu ξxi οomicron πpi ϖpi ρrho ϱrho σsigma ςsigma τtau υupsilon φphi ϕphi χchi ψpsi ωomega"
)
"""Letters, each before its name."""

_SMALL = {own[0]: own[1:] for own in _GREEK.split()}
_CAPITALS = {letter.upper(): _SMALL[letter].capitalize() for letter in "αβγδεζηθικλμνξοπρστυφχψω"}
_LETTERS = str.maketrans(_SMALL | _CAPITALS)


def ascii_name(text: str) -> str:
    """The ASCII spelling of a name, `sigma_1` for `σ_1`. Characters without one stay."""
    return text if text.isascii() else text.translate(_LETTERS)


_MOST_NAMES_SHOWN = 12


def nearest_column(name: str, columns: Sequence[str] | None) -> str:
    """`; did you mean 'age'?`, or `; it has 'age', 'city'`, the first twelve, if none is near."""
    known = columns or ()
    if (greek := next((own for own in known if ascii_name(own) == name != own), None)) is not None:
        return f'; write "{greek}" in quotes for the column with Greek letters'
    return suggest(name, known) or (f"; it has {listed(known)}" if known else "")


def listed(names: Sequence[str]) -> str:
    """`'age', 'city', …`: at most the first twelve names."""
    more = ", …" if len(names) > _MOST_NAMES_SHOWN else ""
    return ", ".join(map(repr, names[:_MOST_NAMES_SHOWN])) + more


def unknown_column(where: str, name: str, columns: Sequence[str] | None) -> DataError:
    """The error for a column that a table does not have."""
    return DataError(f"{where}: unknown column {name!r}{nearest_column(name, columns)}")


_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "columns": ("names", "column_names", "cols", "active_dims"),
    "data": ("x", "rows", "df", "frame", "table"),
    "dim": ("d", "ndim", "n_dims", "n_dim", "input_dim", "dimension", "n_columns", "width"),
    "params": ("parameters", "values", "hyperparameters"),
    "spec": ("kernel", "formula", "expression"),
}
"""Arguments of our functions, and their names elsewhere."""


def unknown_argument(
    function: str, keyword: str, names: Iterable[str], also: Mapping[str, Iterable[str]] | None = None
) -> UnknownArgumentError:
    """The error for an unknown keyword, with the argument that was probably meant; `also` has further aliases."""
    own = [name for name in names if name != "self"]
    hint = suggest(keyword, own, {**_ARGUMENTS, **(also or {})}) or f"; it has {', '.join(own)}"
    return UnknownArgumentError(f"{function}() has no argument '{keyword}'{hint}")


def suggests_arguments(
    also: Mapping[str, Iterable[str]] | None = None,
) -> Callable[[Callable[_P, _Result]], Callable[_P, _Result]]:
    """A decorator: an unknown keyword raises `unknown_argument`."""

    def decorate(function: Callable[_P, _Result]) -> Callable[_P, _Result]:
        names = tuple(signature(function).parameters)
        called = function.__qualname__.removesuffix(".__init__").removesuffix("_spec")

        @wraps(function)
        def _call(*arguments: _P.args, **keywords: _P.kwargs) -> _Result:
            for keyword in keywords:
                if keyword not in names:
                    raise unknown_argument(called, keyword, names, also)
            return function(*arguments, **keywords)

        return _call

    return decorate


_TABLES = (
    *(".csv", ".tsv", ".jsonl", ".ndjson", ".gz", ".parquet", ".arrow", ".feather"),
    *(".npy", ".libsvm", ".svm", ".svmlight"),
)
"""Suffixes of tables; .npz is missing because saved maps have it too."""


def is_table_name(path: str) -> bool:
    """Whether a file of this name is a table, not a spec."""
    return Path(path).suffix.lower() in _TABLES


_MOST_BYTES = 4 * MAX_TEXT  # UTF-8 has up to four bytes a character


def read_text(path: str | Path, stream: IO[bytes] | None = None) -> str:
    """The text of a spec file, or of a stream that messages call `path`: at most 4 MB are read. Raises FileError."""
    try:
        with Path(path).open("rb") if stream is None else nullcontext(stream) as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    except (TypeError, ValueError):  # no name at all; NUL, or half of a surrogate pair
        raise FileError(f"{str(path)!r:.60} is not a valid file name") from None
    if data.startswith(b"PK\x03\x04"):
        raise FileError(f"{path} is not a spec but an archive, such as a saved map or model: kernelspec show {path}")
    if len(data) > _MOST_BYTES:
        raise FileError(f"{path} has more than {_MOST_BYTES:,} bytes, but a spec has at most {MAX_TEXT:,} characters")
    try:
        return data.decode("utf-8-sig")  # which some editors of Windows begin with a mark
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not UTF-8 text: byte {error.start} cannot be read") from None


_LONGEST_SHOWN_LINE = 120


@dataclass(frozen=True, slots=True)
class Source:
    """The full text of a spec, and its name in errors (a file name, or `<spec>`)."""

    text: str
    name: str = "<spec>"


@dataclass(frozen=True, slots=True)
class Span:
    """The characters `start` to `end` (exclusive) of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """Line number, counted from 1."""
        return self.source.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """Column of the first character, counted from 1."""
        return self.start - (self.source.text.rfind("\n", 0, self.start) + 1) + 1

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]

    def through(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.source, self.start, max(self.end, other.end))

    def report(self, message: str) -> str:
        """`file:line:column: error: message`, the line, and carets under the span.

        A span of several lines is underlined to the end of its first line; of a very long line, only the part around
        the span is shown.
        """
        text, column = self.source.text, self.column
        begin = self.start - (column - 1)
        stop = text.find("\n", begin)
        line = text[begin : len(text) if stop < 0 else stop].rstrip("\r")
        width = max(1, min(self.end - self.start, len(line) - (column - 1)))
        offset = column - 1
        if len(line) > _LONGEST_SHOWN_LINE:
            left = max(0, offset - _LONGEST_SHOWN_LINE // 3)
            right = left + _LONGEST_SHOWN_LINE
            head, tail = ("…" if left else ""), ("…" if right < len(line) else "")
            offset += len(head) - left
            line = head + line[left:right] + tail
            width = max(1, min(width, len(line) - offset))
        shown = "".join(c if c.isprintable() else (" " if c == "\t" else "\N{REPLACEMENT CHARACTER}") for c in line)
        return f"{self.source.name}:{self.line}:{column}: error: {message}\n  {shown}\n  {' ' * offset}{'^' * width}"
