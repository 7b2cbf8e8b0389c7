"""The catalogue of forms."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.forms.form import FORMS, load_form


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_written_as_its_signature_says(name: str) -> None:
    form = load_form(name)
    assert form.signature.startswith(f"{name}(")
    with pytest.raises(ks.KernelspecError, match=rf"{name}\(\) (needs|takes)"):
        ks.parse(f"{name}()")


def test_every_form_has_a_file_of_its_own() -> None:
    modules = [home.split(":")[0].rsplit(".", 1)[1] for home in FORMS.values()]
    assert modules == list(FORMS) == sorted(FORMS)
