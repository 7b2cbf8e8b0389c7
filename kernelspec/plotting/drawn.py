"""The kernels of a figure: each with its profile, and the label and colour that it has in every panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kernelspec.analysis.profile import Profile
from kernelspec.errors import NotStationaryError
from kernelspec.plotting.figures import distinct_colours

if TYPE_CHECKING:
    from kernelspec.spec import Spec

__all__ = ["Drawn", "drawn_kernels", "label_of"]


@dataclass(frozen=True)
class Drawn:
    """A kernel in a figure: its profile, and the label and colour that it has in every panel."""

    profile: Profile
    label: str
    colour: Any


def drawn_kernels(specs: Sequence[Spec], labels: Sequence[str] | None = None) -> list[Drawn]:
    """The kernels with their labels and colours. Raises what `plot_kernels` raises."""
    if not specs:
        raise ValueError("there must be at least one kernel to draw")
    if labels is not None and len(labels) != len(specs):
        raise ValueError(f"there are {len(specs)} kernels, but {len(labels)} labels")
    names = [label_of(spec) for spec in specs] if labels is None else [" ".join(label.split()) for label in labels]
    return [
        Drawn(_profile(spec, name), name, colour)
        for spec, name, colour in zip(specs, names, distinct_colours(len(specs)), strict=True)
    ]


def label_of(spec: Spec) -> str:
    """The kernel of a spec and the values of its parameters, on one line: the label of a kernel that is given none."""
    from kernelspec.language.printer import print_node

    values = [f"{name} = {value:g}" for name, value in spec.params.items() if value is not None]
    text = " ".join(print_node(spec.program.body).split())
    return text + (", " if values else "") + ", ".join(values)


def _profile(spec: Spec, name: str) -> Profile:
    try:
        return Profile.of(spec)
    except NotStationaryError as error:
        raise NotStationaryError(f"{name} cannot be drawn: {error}") from None
