"""The libraries whose samplers are measured, and the measuring of all that are installed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from kernelspec.comparison.measured import Measured, measure_sampler
from kernelspec.comparison.sampler import Sampler

__all__ = ["LIBRARIES", "audit", "is_installed", "samplers_of"]

LIBRARIES: Mapping[str, str] = {
    "scikit-learn": "sklearn",
    "datasketch": "datasketch",
    "GSTools": "gstools",
    "GPyTorch": "gpytorch",
    "BoTorch": "botorch",
}
"""The name of a library → the package that is imported; its samplers are in `libraries/`."""


def is_installed(library: str) -> bool:
    """Whether the samplers of a library can be made here."""
    return find_spec(LIBRARIES[library]) is not None


def samplers_of(library: str) -> Mapping[str, Sampler]:
    """The samplers of a library, by name. The library itself is not imported."""
    name = library.lower().replace("-", "_")
    found: Mapping[str, Sampler] = import_module(f"kernelspec.comparison.libraries.{name}").SAMPLERS
    return found


def audit(library: str, n_maps: int = 400, seed: int = 0) -> Iterator[Measured]:
    """Every sampler of a library that is installed, measured on twelve rows of four columns, sizes above zero."""
    rows = np.random.default_rng(0).gamma(2.0, 0.5, (12, 4))
    for name, each in samplers_of(library).items():
        yield measure_sampler(
            each.make(),
            rows,
            each.kernel,
            name=name,
            claims=each.claims,
            variance=each.variance,
            n_maps=n_maps,
            seed=seed,
        )
