"""The named forms, loaded on use. Adding a form is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping

from kernelspec.elaboration.forms.form import Form
from kernelspec.loading import load_from

__all__ = ["FORMS", "load_form"]

FORMS: Mapping[str, str] = {
    "conv": "kernelspec.elaboration.forms.conv:CONV",
    "dual": "kernelspec.elaboration.forms.dual:DUAL",
    "full": "kernelspec.elaboration.forms.full:FULL",
    "image": "kernelspec.elaboration.forms.image:IMAGE",
    "layer": "kernelspec.elaboration.forms.layer:LAYER",
    "mean": "kernelspec.elaboration.forms.mean:MEAN",
    "modulate": "kernelspec.elaboration.forms.modulate:MODULATE",
    "normalize": "kernelspec.elaboration.forms.normalize:NORMALIZE",
    "product": "kernelspec.elaboration.forms.product:PRODUCT",
    "radial": "kernelspec.elaboration.forms.radial:RADIAL",
    "shift": "kernelspec.elaboration.forms.shift:SHIFT",
    "stretch": "kernelspec.elaboration.forms.stretch:STRETCH",
    "tilt": "kernelspec.elaboration.forms.tilt:TILT",
}


def load_form(name: str) -> Form:
    """The form of that name."""
    found: Form = load_from(FORMS[name])
    return found
