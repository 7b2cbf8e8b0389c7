"""The names of the ways to plan features. Light: the command line imports it to say what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from kernelspec.laws.catalogue import SCHEMES

if TYPE_CHECKING:
    from kernelspec.numerics.phasor import Form

__all__ = ["FORMS", "METHODS", "Method"]

Method: TypeAlias = str
"""One of METHODS: "auto", a form, or a scheme of the laws' catalogue."""

FORMS: tuple[Form, ...] = ("paired", "phase", "complex")
"""How a complex amplitude becomes columns."""

METHODS: tuple[str, ...] = ("auto", *FORMS, *sorted(SCHEMES))
