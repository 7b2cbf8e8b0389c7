"""Things loaded by name on use, names that were meant, and lines of source with carets."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from kernelspec.errors import MissingPackageError, UnknownArgumentError

__all__ = [
    "Source",
    "Span",
    "caller_level",
    "home_of",
    "load_from",
    "load_rules",
    "loaded",
    "mpmath",
    "require_package",
    "suggest",
    "suggests_arguments",
    "sympy",
    "unknown_argument",
]

_P = ParamSpec("_P")
_Result = TypeVar("_Result")

_BETWEEN = ("kernelspec", "sklearn", "joblib", "contextlib")


def load_from(home: str) -> Any:
    """What `"package.module:attribute"` names."""
    module, _, attribute = home.partition(":")
    return getattr(import_module(module), attribute)


class _OnUse:
    """A package that is imported when something of it is first needed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # asked by what inspects modules, and by copy
            raise AttributeError(attribute)
        value = getattr(import_module(self._name), attribute)
        setattr(self, attribute, value)  # found at once from now on
        return value


mpmath: Any = _OnUse("mpmath")
sympy: Any = _OnUse("sympy")


def home_of(cls: type) -> str:
    """`"package.module:Class"` of a class."""
    return f"{cls.__module__}:{cls.__qualname__}"


def load_rules(homes: Mapping[str, str], cls: type) -> None:
    """Import the module that registers the rules of a class: the first in its line of ancestors that has any.

    Rules by type (`functools.singledispatch`) stand beside what they are about; `homes` has the module of every class
    with a rule, so that a simple kernel loads only its own.
    """
    for ancestor in cls.__mro__:
        if (module := homes.get(home_of(ancestor))) is not None:
            import_module(module)
            return


def loaded(*homes: str) -> Any:
    """The classes of these homes whose modules are loaded, for `isinstance`: of the others there are no instances."""
    split = (home.split(":") for home in homes)
    return tuple(getattr(sys.modules[module], name) for module, name in split if module in sys.modules)


def require_package(name: str, *, extra: str, purpose: str) -> None:
    """Make sure that a package which `kernelspec[extra]` brings is installed, without importing it.

    The purpose is the subject of the message: "figures". Raises MissingPackageError with the command that installs it.
    """
    if find_spec(name) is None:
        raise MissingPackageError(
            f"{purpose} need the package {name}, which is not installed: pip install 'kernelspec[{extra}]'"
        )


def caller_level() -> int:
    """The `stacklevel` at which a warning is shown at the first line outside this package, scikit-learn and joblib."""
    level, frame = 0, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    return level


_NEAR, _NEAR_SHORT = 0.7, 0.6
"""The least share of letters in common, as difflib counts it, and that of names of up to three letters."""

_BEGINNING = 3
"""Letters with which a name begins that stand for it."""


def suggest(word: str, candidates: Iterable[str], also: Mapping[str, Iterable[str]] | None = None) -> str:
    """`; did you mean 'scale'?` for the candidate nearest to the word, or nothing if none is near.

    `also` has other names for some candidates, or a group of names of which one is a candidate: these stand for it.
    Deterministic: equally near candidates are taken in alphabetical order.
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


_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "columns": ("names", "column_names", "cols", "active_dims"),
    "data": ("x", "rows", "df", "frame", "table"),
    "dim": ("d", "ndim", "n_dims", "n_dim", "input_dim", "dimension", "n_columns", "width"),
    "params": ("parameters", "values", "hyperparameters"),
    "spec": ("kernel", "formula", "expression"),
}
"""Arguments of our functions, and what they are called elsewhere."""


def unknown_argument(
    function: str, keyword: str, names: Iterable[str], also: Mapping[str, Iterable[str]] | None = None
) -> UnknownArgumentError:
    """The error for a keyword that a function does not have, with the argument that was meant.

    `also` has other names of some arguments.
    """
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


_LONGEST_SHOWN_LINE = 120


@dataclass(frozen=True, slots=True)
class Source:
    """The whole text of a spec and the name it is reported under (a file name, or `<spec>`)."""

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

        A span of several lines is underlined to the end of its first; a very long line is shown
        around the span only.
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
