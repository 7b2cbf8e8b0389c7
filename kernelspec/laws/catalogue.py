"""The laws by where they live: those that kernels have by themselves, and other ways to sample some of them.

Light: the command line imports it to say what there is. A law is one file and one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["DRAWS", "LAWS", "SCHEMES", "Draws", "Scheme"]


@dataclass(frozen=True)
class Scheme:
    """Another way to sample some kernels: what it is, its rule as "module:function", kernel → law or None.

    `law` is the class of its laws, where no other line of the catalogue names it.
    """

    words: str
    rule: str
    law: str | None = None
    divides: bool = False
    """Whether it divides a term into several, each with its share of the budget: no other law of samples, and nothing
    below a node that is not linear in its parts."""
    exact_in_columns: bool = False
    """Whether its exact part takes more than one column, which beside anchors may be worth less than they cost."""
    without_offsets: bool = False
    """Whether it is for cosine and sine alone: random offsets would give variance to what is exact."""


@dataclass(frozen=True)
class Draws:
    """A way to draw samples together: what it is, and the function (law, stream, n, columns) → stream or None.

    `runs`, where there is one, is the function (law, stream, n, columns, runs) → stream of so many draws of n samples,
    one after the other: how much they vary is measured on many. `samples`, where there is one, is the function (law,
    stream, n, columns, runs) → batches, for samples that are known by less than their numbers. Where a sample alone has
    another law than an independent one, `bias` is the function (law, pairs) → mean errors and their standard errors.
    """

    words: str
    stream: str
    runs: str | None = None
    samples: str | None = None
    bias: str | None = None
    accepts: str = ""
    """The kernels they are for, in words."""


_OWN: Mapping[str, str] = {
    "coordinate": "kernelspec.laws.coordinate:CoordinateLaw",
    "dual": "kernelspec.laws.compositional.dual:DualLaw",
    "fourier": "kernelspec.laws.fourier:FourierLaw",
    "gcws": "kernelspec.laws.gcws:GcwsLaw",
    "joint": "kernelspec.laws.joint:JointLaw",
    "match": "kernelspec.laws.match:MatchLaw",
    "mixture": "kernelspec.laws.mixture:MixtureLaw",
    "one": "kernelspec.laws.one:OneLaw",
    "other_atoms": "kernelspec.laws.other_atoms:OtherAtomsLaw",
    "polar": "kernelspec.laws.polar:PolarLaw",
    "product": "kernelspec.laws.product:ProductLaw",
    "selected": "kernelspec.laws.selection:SelectedLaw",
    "signed_radial": "kernelspec.laws.signed_radial:SignedRadialLaw",
    "skeleton": "kernelspec.laws.compositional.skeleton:SkeletonLaw",
    "stretch": "kernelspec.laws.stretch:StretchLaw",
    "tilt": "kernelspec.laws.tilt:TiltLaw",
    "translation": "kernelspec.laws.translation:TranslationLaw",
    "unit_rows": "kernelspec.laws.unit_rows:UnitRowsLaw",
}
"""The laws that kernels have by themselves: their modules register the rules of `own_law`. And what a scheme leaves."""

SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "atoms": Scheme(
            "the heaviest frequencies exactly, in products with samples of their own, and samples of all others, for "
            "periodic()",
            "kernelspec.laws.atoms:atoms",
            "kernelspec.laws.atoms:AtomsLaw",
            divides=True,
            exact_in_columns=True,
            without_offsets=True,
        ),
        "binning": Scheme(
            "cells of random grids, for Polya kernels such as polya(), laplace(), triangle() and their products",
            "kernelspec.laws.binning:binning",
            "kernelspec.laws.binning:BinningLaw",
        ),
        "category_phases": Scheme(
            "a random phase for every category, for match() and skeletons over it",
            "kernelspec.laws.category_phases:category_phases",
            "kernelspec.laws.category_phases:CategoryPhasesLaw",
        ),
        "exact": Scheme(
            "all columns themselves, for linear() and sphere(), and all products of features, for products and powers "
            "of these, constant(), match(), cosine() and sums of them",
            "kernelspec.laws.exact_features:exact",
            "kernelspec.laws.exact_features:ExactFeaturesLaw",
        ),
        "gcws": Scheme("consistent weighted samples, one by one, for minmax()", "kernelspec.laws.gcws:gcws"),
        "poisson": Scheme(
            "consistent weighted samples from a Poisson process, for minmax()",
            "kernelspec.laws.poisson:poisson",
            "kernelspec.laws.poisson:PoissonLaw",
        ),
        "polar": Scheme(
            "the modulus of a complex measure, with its phase on the left, for asymmetric kernels",
            "kernelspec.laws.polar:polar",
        ),
        "jordan": Scheme(
            "the non-negative parts of a signed or complex measure, for formulas, shift_gaussian(), sinh_gaussian(), "
            "cosh_gaussian()",
            "kernelspec.laws.jordan:jordan",
            "kernelspec.laws.jordan_part:JordanPart",
        ),
        "rejection": Scheme(
            "the parts of jordan, by rejection from the Gaussian as published", "kernelspec.laws.jordan:rejection"
        ),
        "rows": Scheme(
            "rows scaled by real exponentials, for sinh_gaussian() and cosh_gaussian()",
            "kernelspec.laws.sinh_rows:rows",
            "kernelspec.laws.sinh_rows:SinhRowsLaw",
        ),
        "shifts": Scheme("three shifted Gaussians, for sinh_gaussian()", "kernelspec.laws.shifts:shifts"),
        "neurons": Scheme(
            "an activation of random linear forms, for dual(…) of sphere() or normalize(linear())",
            "kernelspec.laws.compositional.neurons:neurons",
            "kernelspec.laws.compositional.neurons:NeuronLaw",
        ),
        "curved_neurons": Scheme(
            "the constant and degree one exactly, and neurons less what is constant and linear in them, for terms that "
            "are a dual(…) of sphere() or normalize(linear())",
            "kernelspec.laws.compositional.low_degrees:curved_neurons",
            divides=True,
            exact_in_columns=True,
        ),
        "low_degrees": Scheme(
            "the constant and degree one exactly, and products of two samples or more, for terms that are a dual(…) of "
            "linear(), sphere() or normalize(linear()), without max_degree",
            "kernelspec.laws.compositional.low_degrees:low_degrees",
            "kernelspec.laws.compositional.low_degrees:HigherDegreesLaw",
            divides=True,
            exact_in_columns=True,
        ),
        "varying": Scheme(
            "samples that are not constant, and the constant in one column, for terms that are a dual(…) without "
            "max_degree or a skeleton",
            "kernelspec.laws.compositional.varying:varying",
            "kernelspec.laws.compositional.varying:VaryingLaw",
            divides=True,
        ),
    }
)
"""Other ways to sample some kernels, by the name of the method; of equal ones the first is taken."""

DRAWS: Mapping[str, Draws] = MappingProxyType(
    {
        "hadamard": Draws(
            "structured frequencies, by fast Walsh–Hadamard transforms",
            "kernelspec.laws.hadamard:hadamard",
            samples="kernelspec.laws.hadamard:structured",
            bias="kernelspec.laws.hadamard_bias:hadamard_bias",
            accepts="frequencies of isotropic kernels on 64 columns or more, such as gaussian() and matern(), and of "
            "their stretches; not products",
        ),
        "orthogonal": Draws(
            "frequencies in orthogonal blocks",
            "kernelspec.laws.orthogonal:orthogonal",
            "kernelspec.laws.orthogonal:orthogonal_runs",
            accepts="frequencies of several columns that are normal up to a factor",
        ),
        "sobol": Draws(
            "frequencies from scrambled Sobol' points",
            "kernelspec.laws.sobol:sobol",
            "kernelspec.laws.sobol:sobol_runs",
            accepts="laws with known quantiles",
        ),
    }
)
"""Ways to draw samples together, by name."""

LAWS: Mapping[str, str] = MappingProxyType(
    {**_OWN, **{name: scheme.law for name, scheme in SCHEMES.items() if scheme.law is not None}}
)
"""The classes of laws, "module:Class", by the names they have in saved maps."""
