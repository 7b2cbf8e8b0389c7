"""Every word of the language means one thing."""

from __future__ import annotations

from kernelspec.elaboration.arithmetic import FUNCTIONS
from kernelspec.elaboration.forms.catalogue import FORMS
from kernelspec.elaboration.vocabulary import CONSTANTS, UPCOMING
from kernelspec.kernels.catalogue import KERNELS


def test_no_word_has_two_meanings() -> None:
    words = [*KERNELS, *FORMS, *UPCOMING, *FUNCTIONS, *CONSTANTS]
    assert len(words) == len(set(words))
