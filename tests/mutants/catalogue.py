"""The mistakes. Adding one is one function and one line: its name, the part of the language it is in, its patch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from kernelspec import compilation
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.leaves.matern import Matern
from kernelspec.laws import jordan_part
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.product import ProductLaw
from kernelspec.maps import draw as drawing
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.numerics import key_kernels
from kernelspec.random.streams import Stream
from kernelspec.samples import samples as samples_module
from kernelspec.special.wave_part import WavePart
from kernelspec.testing import samples, subjects

__all__ = ["MUTANTS", "Mutant"]

Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Mutant:
    """A mistake, and specs among which it is looked for: those with this part of the language."""

    part: str
    patch: Patch


class _Still:
    """A generator whose uniform numbers are all zero."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def random(self, n: int) -> Any:
        return 0 * self.generator.random(n)


def frequencies_without_root_two(patch: pytest.MonkeyPatch) -> None:
    right = Gaussian.draw
    patch.setattr(Gaussian, "draw", lambda self, stream, n: right(self, stream, n) / np.sqrt(2))


def amplitudes_without_root_two(patch: pytest.MonkeyPatch) -> None:
    right = drawing.draw

    def draw(plan: Any) -> Any:
        dense, keyed = right(plan)
        if dense is not None and plan.form == "phase":
            dense = replace(dense, weight=dense.weight / 2)
        return dense, keyed

    for module in (compilation, subjects):
        patch.setattr(module, "draw", draw)


def weight_lost_in_a_mixture(patch: pytest.MonkeyPatch) -> None:
    right = MixtureLaw.draw

    def draw(self: Any, stream: Any, n: int, columns: tuple[int, ...]) -> Any:
        signs = tuple(float(np.sign(w)) for w in self.weights)
        return right(replace(self, weights=signs), stream, n, columns)

    patch.setattr(MixtureLaw, "draw", draw)


def weight_lost_in_strata(patch: pytest.MonkeyPatch) -> None:
    right = drawing.draw

    def draw(plan: Any) -> Any:
        strata = tuple(replace(stratum, weight=float(np.sign(stratum.weight))) for stratum in plan.strata)
        return right(replace(plan, strata=strata))

    for module in (compilation, subjects):
        patch.setattr(module, "draw", draw)


def estimates_doubled_off_the_diagonal(patch: pytest.MonkeyPatch) -> None:
    right = FeatureMap.approximate

    def approximate(self: Any, X: Any, Y: Any = None) -> Any:
        found = right(self, X, Y)
        return np.where(np.eye(*found.shape, dtype=bool), found, 2 * found)

    patch.setattr(FeatureMap, "approximate", approximate)


def scale_for_rate(patch: pytest.MonkeyPatch) -> None:
    right = Laplace.draw_coordinates
    patch.setattr(
        Laplace, "draw_coordinates", lambda self, stream, shape: right(self, stream, shape) * float(self.scale) ** 2
    )


def offsets_forgotten(patch: pytest.MonkeyPatch) -> None:
    # offsets over a half or a quarter of a turn are right in mean and variance, as {0, π/2} are: that is no mistake
    right = Stream.generator
    patch.setattr(
        Stream,
        "generator",
        lambda self, purpose: _Still(right(self, purpose)) if purpose == "offset" else right(self, purpose),
    )


def one_jordan_mass_swapped(patch: pytest.MonkeyPatch) -> None:
    right = jordan_part.part_mass
    patch.setattr(
        jordan_part,
        "part_mass",
        lambda part, frequency: right(WavePart.POSITIVE_COSINE if part is WavePart.POSITIVE_SINE else part, frequency),
    )


def keys_mixed_by_xor(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(key_kernels, "mix_keys", lambda first, second, offset: np.bitwise_xor(first, second))


def duplicates_with_m_for_root_m(patch: pytest.MonkeyPatch) -> None:
    right = drawing.merge_equal

    def merged(batches: Any, form: Any) -> Any:
        found = []
        for before, after in zip(batches, right(batches, form), strict=True):
            one = before.weight[0] if len(before) else 1.0
            found.append(replace(after, weight=after.weight**2 / one) if len(after) < len(before) else after)
        return found

    patch.setattr(drawing, "merge_equal", merged)


def variance_five_percent_off(patch: pytest.MonkeyPatch) -> None:
    right = samples.sample_variance
    patch.setattr(samples, "sample_variance", lambda *arguments: 1.05 * right(*arguments))


def one_draw_for_a_factor_met_twice(patch: pytest.MonkeyPatch) -> None:
    def draw(self: Any, stream: Any, n: int, columns: tuple[int, ...]) -> Any:
        drawn = [factor.draw(stream.child(0), n, columns) for factor in self.factors]
        product = drawn[0]
        for other in drawn[1:]:
            product = samples_module.multiply(product, other)
        return product

    patch.setattr(ProductLaw, "draw", draw)


def independent_coordinates_of_a_matern(patch: pytest.MonkeyPatch) -> None:
    def draw(self: Any, stream: Any, n: int) -> Any:
        nu, shape = float(self.nu), (n, self.dim)
        normal = stream.generator("normal").standard_normal(shape)
        return normal * np.sqrt(2 * nu / stream.generator("chi").chisquare(2 * nu, shape)) / float(self.scale)

    patch.setattr(Matern, "draw", draw)


MUTANTS: Mapping[str, Mutant] = MappingProxyType(
    {
        "frequencies without √2": Mutant("kernel gaussian", frequencies_without_root_two),
        "amplitudes without √2": Mutant("kernel gaussian", amplitudes_without_root_two),
        "weight lost in a mixture": Mutant("operator sum", weight_lost_in_a_mixture),
        "weight lost in strata": Mutant("operator sum", weight_lost_in_strata),
        "estimates doubled off the diagonal": Mutant("kernel gaussian", estimates_doubled_off_the_diagonal),
        "scale for rate": Mutant("kernel laplace", scale_for_rate),
        "offsets forgotten": Mutant("kernel gaussian", offsets_forgotten),
        "one Jordan mass swapped": Mutant("kernel shift_gaussian", one_jordan_mass_swapped),
        "keys mixed by XOR": Mutant("kernel match", keys_mixed_by_xor),
        "duplicates with m for √m": Mutant("operator image", duplicates_with_m_for_root_m),
        "a variance 5 % off": Mutant("kernel gaussian", variance_five_percent_off),
        "one draw for a factor met twice": Mutant("operator power", one_draw_for_a_factor_met_twice),
        "independent coordinates of a Matérn": Mutant("kernel matern", independent_coordinates_of_a_matern),
    }
)
"""What must die."""
