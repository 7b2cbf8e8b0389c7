"""The first line `#! kernelspec 1`, by which a spec says the version of the language it is written in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kernelspec.errors import SpecSyntaxError
from kernelspec.source import Span

__all__ = ["LANGUAGE_VERSION", "check_version"]

LANGUAGE_VERSION = 1
"""What `#! kernelspec 1` on the first line asks for."""

_VERSION = re.compile(r"#![ \t]*kernelspec\b[ \t]*(?P<version>[^\n]*)")


def check_version(comments: Iterable[Span]) -> None:
    """Raise SpecSyntaxError for a version line that asks for more than this release has, or does not come first.

    It is a comment to everyone else, and a formatter that moved it would change what it says; hence the
    check of its place.
    """
    for comment in comments:
        match = _VERSION.match(comment.text)
        if match is None:
            continue
        version = match["version"].strip()
        if comment.source.text[: comment.start].strip():
            raise SpecSyntaxError("the version belongs on the first line", comment)
        if not re.fullmatch("[1-9][0-9]{0,8}", version):
            raise SpecSyntaxError("expected a version number, as in '#! kernelspec 1'", comment)
        if int(version) > LANGUAGE_VERSION:
            message = f"this is version {version} of the language; this release reads version {LANGUAGE_VERSION}"
            raise SpecSyntaxError(f"{message} (a newer kernelspec reads it)", comment)
