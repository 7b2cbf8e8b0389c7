"""Every word of the language means one thing."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.analysis.arithmetic import FUNCTIONS
from kernelspec.analysis.forms.catalogue import FORMS
from kernelspec.analysis.vocabulary import CONSTANTS, UPCOMING
from kernelspec.errors import NotAvailableYet, TypeMismatchError
from kernelspec.kernels.catalogue import KERNELS


def test_no_word_has_two_meanings() -> None:
    words = [*KERNELS, *FORMS, *UPCOMING, *FUNCTIONS, *CONSTANTS]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("name", sorted({*KERNELS, *FORMS, *UPCOMING}))
def test_a_bare_kernel_name_says_how_to_write_it(name: str) -> None:
    with pytest.raises(TypeMismatchError) as caught:
        ks.parse(name)
    assert caught.value.message == f"'{name}' is a kernel: write {name}(…)"


@pytest.mark.parametrize("name", sorted(UPCOMING))
def test_upcoming_forms_parse_and_say_so_when_asked(name: str) -> None:
    spec = ks.parse(f"gaussian() + {name}()")
    with pytest.raises(NotAvailableYet, match=rf"{name}\(\) is in the language, but not available yet"):
        ks.analyze(spec, dim=2)
