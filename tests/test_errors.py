"""The exceptions: who catches them, and what they say."""

from __future__ import annotations

import copy
import pickle

import pytest

import kernelspec as ks
from kernelspec import errors
from kernelspec.errors import (
    CellTypeError,
    DataError,
    FileError,
    KernelspecError,
    SpecError,
    SpecSyntaxError,
    UnknownNameError,
)
from kernelspec.loading import Source, Span

ALL = [getattr(errors, name) for name in errors.__all__]
OF_SPECS = [kind for kind in ALL if issubclass(kind, SpecError)]
SPAN = Span(Source("gaussian() +\n  gauss(scale=2)", "churn.kernel"), 15, 20)


def test_the_module_offers_every_exception_it_has() -> None:
    defined = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert defined == set(errors.__all__)
    assert all(issubclass(kind, KernelspecError) for kind in ALL)


@pytest.mark.parametrize(
    ("kind", "known"),
    [
        (SpecError, ValueError),
        (errors.PlanError, ValueError),
        (DataError, ValueError),
        (CellTypeError, DataError),
        (CellTypeError, TypeError),
        (errors.NoRowsError, DataError),
        (FileError, OSError),
        (errors.MissingPackageError, ImportError),
    ],
)
def test_who_knows_nothing_of_kernelspec_catches_them_too(kind: type[Exception], known: type[Exception]) -> None:
    with pytest.raises(known, match=r"^said$"):
        raise kind("said")
    with pytest.raises(KernelspecError, match=r"^said$"):
        raise kind("said")


@pytest.mark.parametrize("kind", OF_SPECS)
def test_a_spec_error_shows_where_it_is(kind: type[SpecError]) -> None:
    assert str(kind("unknown kernel 'gauss'")) == "unknown kernel 'gauss'"
    error = kind("unknown kernel 'gauss'", SPAN)
    assert (error.message, error.span) == ("unknown kernel 'gauss'", SPAN)
    lines = str(error).splitlines()
    assert lines[0] == "churn.kernel:2:3: error: unknown kernel 'gauss'"
    assert lines[1].endswith("  gauss(scale=2)")
    assert lines[2].count("^") == len("gauss")
    assert lines[2].index("^") == lines[1].index("gauss")


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("again", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_they_travel_between_processes(kind: type[KernelspecError], again) -> None:  # type: ignore[no-untyped-def]
    error = kind("said", SPAN) if issubclass(kind, SpecError) else kind("said")
    copied = again(error)
    assert type(copied) is kind
    assert str(copied) == str(error)
    assert getattr(copied, "span", None) == getattr(error, "span", None)


def test_a_file_error_is_its_message_alone() -> None:
    error = FileError("a.npy: no such file")
    assert str(error) == error.message == "a.npy: no such file"
    assert error.filename is None


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [("gaussian(1, )) + 2", SpecSyntaxError, (1, 14)), ("(1 *\n  gauss())", UnknownNameError, (2, 3))],
)
def test_errors_of_the_language_know_their_place(text: str, kind: type[SpecError], place: tuple[int, int]) -> None:
    with pytest.raises(kind) as raised:
        ks.compile(text, dim=1)
    assert raised.value.span is not None
    assert (raised.value.span.line, raised.value.span.column) == place
