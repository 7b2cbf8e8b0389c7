"""Arguments of `ks.compile` and `ks.verify` as they were in version 0.1: taken for one more version, with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from kernelspec.errors import PlanError
from kernelspec.published.published import Published

__all__ = ["accepts_former_arguments"]

P = ParamSpec("P")
R = TypeVar("R")

_PUBLISHED = ("zero_bit", "normalized", "masses", "n_rows_for_masses")


def accepts_former_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """The function with the keywords and the positional seed of version 0.1, which do what they did and warn."""

    @wraps(function)
    def _call(*arguments: Any, **named: Any) -> R:
        if len(arguments) == 4 and "seed" not in named:
            _warn("the seed by its place", "seed=")
            *arguments, named["seed"] = arguments  # type: ignore[assignment]
        former = {name: named.pop(name) for name in _PUBLISHED if name in named}
        if former:
            _warn(" and ".join(f"{name}=" for name in former), f"published=ks.Published({', '.join(former)})")
            named["published"] = Published(**former)
        if "sampler" in named:
            _warn("sampler=", "method='rejection'")
            named["method"] = _method_of(named.pop("sampler"), named.get("method", "auto"))
        named, said = _with_keys(named)
        for former_words, words in said:
            _warn(former_words, words)
        return function(*arguments, **named)

    return _call


def _with_keys(named: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The keywords with `keys`, and what is to be said of those that are from before: the old words and the new."""
    said, own = [], dict(named)
    if own.get("bits", 0) is None:
        said.append(("bits=None", "keys='auto', the default,"))
        del own["bits"]
    if own.get("buckets", 0) is None:
        said.append(("buckets=None", "keys='exact'"))
        del own["buckets"]
        own.setdefault("keys", "exact")
    if "bits" in own and "keys" not in own:
        said.append(("bits= without keys=", "keys='bits', bits="))
        own["keys"] = "bits"
    return own, said


def _method_of(sampler: str, method: str) -> str:
    """The method that draws the parts of Jordan decompositions in this way."""
    if sampler not in ("arcs", "rejection"):
        raise PlanError(f"sampler must be 'arcs' or 'rejection', not {sampler!r}")
    if sampler == "arcs":
        return method
    if method not in ("auto", "jordan", "rejection"):
        raise PlanError(f"sampler='rejection' draws the parts of method='jordan', not of method={method!r}")
    return "rejection"


def _warn(former: str, now: str) -> None:
    # shown at the line that calls compile
    warnings.warn(f"{former} is from version 0.1 and will go: use {now} instead", FutureWarning, stacklevel=3)
