"""Every word of the language means one thing."""

from __future__ import annotations

from kernelspec.elaboration.arithmetic import FUNCTIONS
from kernelspec.elaboration.forms.form import FORMS
from kernelspec.elaboration.scope import CONSTANTS
from kernelspec.kernels.leaf import KERNELS


def test_no_word_has_two_meanings() -> None:
    words = [*KERNELS, *FORMS, *FUNCTIONS, *CONSTANTS]
    assert len(words) == len(set(words))
