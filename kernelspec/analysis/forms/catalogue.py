"""The named forms, loaded on use. Adding a form is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping

from kernelspec.analysis.forms.form import Form
from kernelspec.loading import load_from

__all__ = ["FORMS", "load_form"]

FORMS: Mapping[str, str] = {
    "conv": "kernelspec.analysis.forms.conv:CONV",
    "dual": "kernelspec.analysis.forms.dual:DUAL",
    "full": "kernelspec.analysis.forms.full:FULL",
    "image": "kernelspec.analysis.forms.image:IMAGE",
    "layer": "kernelspec.analysis.forms.layer:LAYER",
    "mean": "kernelspec.analysis.forms.mean:MEAN",
    "modulate": "kernelspec.analysis.forms.modulate:MODULATE",
    "normalize": "kernelspec.analysis.forms.normalize:NORMALIZE",
    "product": "kernelspec.analysis.forms.product:PRODUCT",
    "shift": "kernelspec.analysis.forms.shift:SHIFT",
    "stretch": "kernelspec.analysis.forms.stretch:STRETCH",
    "tilt": "kernelspec.analysis.forms.tilt:TILT",
}


def load_form(name: str) -> Form:
    """The form of that name."""
    found: Form = load_from(FORMS[name])
    return found
