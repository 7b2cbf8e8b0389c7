"""From a kernel to the laws of its samples, and the laws by name.

Imports little, because the command line uses it for help. A law is one file and one line here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, singledispatch
from types import MappingProxyType
from typing import TYPE_CHECKING

from kernelspec.catalogue import SAMPLERS, package_of
from kernelspec.errors import NotAvailableYet
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.loading import home_of, load_from, load_rules, loaded

if TYPE_CHECKING:
    from kernelspec.laws.law import Law

__all__ = [
    "DRAWS",
    "EXACT_IN_PART",
    "LAWS",
    "OF_SHARES",
    "SCHEMES",
    "WITHOUT_OFFSETS",
    "Below",
    "closed_to",
    "law_of",
    "own_law",
    "schemes_of",
    "words_of",
]


@dataclass(frozen=True)
class Scheme:
    """Another sampling scheme for some kernels: its description, and its rule as "module:function", kernel → law or
    None.

    The rule is only applied to instances of the classes `nodes`, and to leaves only if the property `leaf_fact` is
    true, so that it is not even imported for others. `law` is the class of its laws, if no other line of the catalogue
    names it.
    """

    words: str
    rule: str
    nodes: tuple[str, ...]
    law: str | None = None
    leaf_fact: str = ""
    divides: bool = False
    """Whether it divides a term into several strata; no other scheme of laws does, and nothing below a node that is not
    linear in its parts.
    """
    exact_in_columns: bool = False
    """Whether its exact part needs more than one column, which may not be worth its cost beside landmarks."""
    without_offsets: bool = False
    """Whether it needs cosine and sine: random offsets would add variance to what is exact."""


@dataclass(frozen=True)
class Draws:
    """A way to couple samples: its description, and the function (law, stream, n, columns) → stream or None.

    `runs`, if given, is a function (law, stream, n, columns, runs) → stream of several consecutive draws of n samples,
    which serve to measure their variance. `samples`, if given, is a function (law, stream, n, columns, runs) → batches,
    for samples with a compact representation. If coupled samples are not distributed like independent ones, `bias` is a
    function (law, pairs) → mean errors and their standard errors.
    """

    words: str
    stream: str
    runs: str | None = None
    samples: str | None = None
    bias: str | None = None
    accepts: str = ""
    """The kernels it applies to, in words."""


_LEAVES, _NODES = "kernelspec.kernels.leaves", "kernelspec.kernels.nodes"
_STATIONARY = "kernelspec.kernels.leaf:Stationary"
_FORMULAS = ("kernelspec.kernels.formula:FormulaProduct", "kernelspec.kernels.formula:FormulaRadial")
_DIRECTION = f"{_LEAVES}.gaussian_directions:GaussianDirection"
_SINH, _COSH = f"{_LEAVES}.gaussian_directions:SinhGaussian", f"{_LEAVES}.gaussian_directions:CoshGaussian"
_INNER = f"{_LEAVES}.of_rows:InnerProduct"
_MATCH, _MINMAX = f"{_LEAVES}.of_rows:Match", f"{_LEAVES}.of_rows:MinMax"
_ADDITIVE = f"{_NODES}.sums_and_products:Additive"
_SUM, _DUAL, _SKELETON = f"{_NODES}.sums_and_products:Sum", f"{_NODES}.dual:Dual", f"{_NODES}.skeleton:Skeleton"
_PRODUCT, _POWER = f"{_NODES}.sums_and_products:Product", f"{_NODES}.sums_and_products:Power"
_SHIFT, _TILT, _SELECT, _STRETCH = (
    f"{_NODES}.columns_and_lags:{name}" for name in ("Shift", "Tilt", "Select", "Stretch")
)

_HOMES: Mapping[str, str] = {
    _STATIONARY: "kernelspec.laws.fourier",
    f"{_LEAVES}.of_rows:RbfCosine": "kernelspec.laws.coordinate",
    f"{_LEAVES}.discrete:Constant": "kernelspec.laws.sums_and_products",
    **dict.fromkeys(_FORMULAS, "kernelspec.laws.jordan"),
    _DIRECTION: "kernelspec.laws.translation",
    _INNER: "kernelspec.laws.coordinate",
    f"{_LEAVES}.of_rows:Shaped": "kernelspec.laws.coordinate",
    _MATCH: "kernelspec.laws.keys",
    _MINMAX: "kernelspec.laws.keys",
    _SUM: "kernelspec.laws.sums_and_products",
    _ADDITIVE: "kernelspec.laws.compositional.base_products",
    _PRODUCT: "kernelspec.laws.sums_and_products",
    _POWER: "kernelspec.laws.sums_and_products",
    _SELECT: "kernelspec.laws.columns_and_lags",
    _STRETCH: "kernelspec.laws.columns_and_lags",
    _SHIFT: "kernelspec.laws.translation",
    _TILT: "kernelspec.laws.translation",
    _DUAL: "kernelspec.laws.compositional.dual",
    _SKELETON: "kernelspec.laws.compositional.skeleton",
}
"""Class of a kernel → the module that registers its rules of `own_law` and `closed_to`."""

_OWN: Mapping[str, str] = {
    "additive": "kernelspec.laws.compositional.base_products:AdditiveLaw",
    "coordinate": "kernelspec.laws.coordinate:CoordinateLaw",
    "dual": "kernelspec.laws.compositional.dual:DualLaw",
    "fourier": "kernelspec.laws.fourier:FourierLaw",
    "gcws": "kernelspec.laws.keys:GcwsLaw",
    "joint": "kernelspec.laws.joint:JointLaw",
    "match": "kernelspec.laws.keys:MatchLaw",
    "mixture": "kernelspec.laws.sums_and_products:MixtureLaw",
    "one": "kernelspec.laws.sums_and_products:OneLaw",
    "other_atoms": "kernelspec.laws.atoms:OtherAtomsLaw",
    "polar": "kernelspec.laws.translation:PolarLaw",
    "product": "kernelspec.laws.sums_and_products:ProductLaw",
    "selected": "kernelspec.laws.columns_and_lags:SelectedLaw",
    "signed_radial": "kernelspec.laws.jordan:SignedRadialLaw",
    "shapes": "kernelspec.laws.coordinate:ShapesLaw",
    "skeleton": "kernelspec.laws.compositional.skeleton:SkeletonLaw",
    "stretch": "kernelspec.laws.columns_and_lags:StretchLaw",
    "tilt": "kernelspec.laws.translation:TiltLaw",
    "translation": "kernelspec.laws.translation:TranslationLaw",
    "unit_rows": "kernelspec.laws.coordinate:UnitRowsLaw",
}
"""The default laws of kernels, and what schemes leave."""

SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "atoms": Scheme(
            "the heaviest frequencies exactly, in products with samples of their own, and samples of all others, for "
            "periodic()",
            "kernelspec.laws.atoms:atoms",
            nodes=(_STATIONARY, _PRODUCT, _POWER, _STRETCH),
            leaf_fact="is_discrete",
            law="kernelspec.laws.atoms:AtomsLaw",
            divides=True,
            exact_in_columns=True,
            without_offsets=True,
        ),
        "binning": Scheme(
            "cells of random grids, for Polya kernels such as polya(), laplace(), triangle() and their products",
            "kernelspec.laws.keys:binning",
            nodes=(_STATIONARY,),
            leaf_fact="is_polya",
            law="kernelspec.laws.keys:BinningLaw",
        ),
        "category_phases": Scheme(
            "a random phase for every category, for match() and skeletons over it",
            "kernelspec.laws.keys:CategoryPhasesLaw",
            nodes=(_MATCH,),
            law="kernelspec.laws.keys:CategoryPhasesLaw",
        ),
        "exact": Scheme(
            "all columns themselves, for linear() and sphere(), and all products of features, for products and powers "
            "of these, constant(), match(), cosine() and sums of them",
            "kernelspec.laws.exact_features:exact",
            nodes=(_INNER, _SUM, _ADDITIVE, _PRODUCT, _POWER, _DUAL),
            law="kernelspec.laws.exact_features:ExactFeaturesLaw",
        ),
        "gcws": Scheme(
            "consistent weighted samples, one by one, for minmax()", "kernelspec.laws.keys:GcwsLaw", nodes=(_MINMAX,)
        ),
        "poisson": Scheme(
            "consistent weighted samples from a Poisson process, for minmax()",
            "kernelspec.laws.keys:PoissonLaw",
            nodes=(_MINMAX,),
            law="kernelspec.laws.keys:PoissonLaw",
        ),
        "polar": Scheme(
            "the modulus of a complex measure, with its phase on the left, for asymmetric kernels",
            "kernelspec.laws.translation:polar",
            nodes=(_SHIFT, _DIRECTION),
        ),
        "jordan": Scheme(
            "the non-negative parts of a signed or complex measure, for formulas, shift_gaussian(), sinh_gaussian(), "
            "cosh_gaussian()",
            "kernelspec.laws.jordan:jordan",
            nodes=(*_FORMULAS, _DIRECTION),
            law="kernelspec.laws.jordan:JordanPart",
        ),
        "rejection": Scheme(
            "the parts of jordan, by rejection from the Gaussian as published",
            "kernelspec.laws.jordan:rejection",
            nodes=(_DIRECTION,),
        ),
        "rows": Scheme(
            "rows scaled by real exponentials, for sinh_gaussian() and cosh_gaussian()",
            "kernelspec.laws.translation:rows",
            nodes=(_SINH, _COSH),
            law="kernelspec.laws.translation:SinhRowsLaw",
        ),
        "shifts": Scheme(
            "three shifted Gaussians, for sinh_gaussian()", "kernelspec.laws.jordan:shifts", nodes=(_SINH,)
        ),
        "neurons": Scheme(
            "an activation of random linear forms, for dual(…) of sphere() or normalize(linear())",
            "kernelspec.laws.compositional.neurons:neurons",
            nodes=(_DUAL,),
            law="kernelspec.laws.compositional.neurons:NeuronLaw",
        ),
        "curved_neurons": Scheme(
            "the constant and degree one exactly, and neurons less what is constant and linear in them, for terms that "
            "are a dual(…) of sphere() or normalize(linear())",
            "kernelspec.laws.compositional.low_degrees:curved_neurons",
            nodes=(_DUAL,),
            divides=True,
            exact_in_columns=True,
        ),
        "low_degrees": Scheme(
            "the constant and degree one exactly, and products of two samples or more, for terms that are a dual(…) of "
            "linear(), sphere() or normalize(linear()), without max_degree",
            "kernelspec.laws.compositional.low_degrees:low_degrees",
            nodes=(_DUAL,),
            law="kernelspec.laws.compositional.low_degrees:HigherDegreesLaw",
            divides=True,
            exact_in_columns=True,
        ),
        "varying": Scheme(
            "samples that are not constant, and the constant in one column, for terms that are a dual(…) without "
            "max_degree or a skeleton",
            "kernelspec.laws.compositional.low_degrees:varying",
            nodes=(_DUAL, _SKELETON),
            law="kernelspec.laws.compositional.low_degrees:VaryingLaw",
            divides=True,
        ),
    }
)
"""Other sampling schemes, by the name of the method; the first of equal ones wins."""

DRAWS: Mapping[str, Draws] = MappingProxyType(
    {
        "hadamard": Draws(
            "structured frequencies, by fast Walsh–Hadamard transforms",
            "kernelspec.laws.hadamard:hadamard",
            samples="kernelspec.laws.hadamard:structured",
            bias="kernelspec.laws.hadamard:hadamard_bias",
            accepts="frequencies of isotropic kernels on 64 columns or more, such as gaussian() and matern(), and of "
            "their stretches; not products",
        ),
        "orthogonal": Draws(
            "frequencies in orthogonal blocks",
            "kernelspec.laws.joint:orthogonal",
            "kernelspec.laws.joint:orthogonal_runs",
            accepts="frequencies of several columns that are normal up to a factor",
        ),
        "sobol": Draws(
            "frequencies from scrambled Sobol' points",
            "kernelspec.laws.joint:sobol",
            "kernelspec.laws.joint:sobol_runs",
            accepts="laws with known quantiles",
        ),
    }
)
"""Ways to couple samples, by name."""

LAWS: Mapping[str, str] = MappingProxyType(
    {**_OWN, **{name: scheme.law for name, scheme in SCHEMES.items() if scheme.law is not None}}
)
"""The classes of laws, "module:Class", by their names in saved maps."""


OF_SHARES = frozenset(name for name, scheme in SCHEMES.items() if scheme.divides)
EXACT_IN_PART = frozenset(name for name, scheme in SCHEMES.items() if scheme.exact_in_columns)
WITHOUT_OFFSETS = frozenset(name for name, scheme in SCHEMES.items() if scheme.without_offsets)


def words_of(scheme: str) -> str:
    """The description of a scheme."""
    return str(SAMPLERS.load(scheme).words) if scheme in SAMPLERS else SCHEMES[scheme].words


@dataclass(frozen=True)
class Below:
    """The laws of the kernels below a node, under the requested scheme unless the node is closed to it."""

    scheme: str | None

    def __call__(self, kernel: Kernel) -> Law:
        return law_of(kernel, self.scheme)


def law_of(kernel: Kernel, scheme: str | None = None) -> Law:
    """The law of a kernel's samples, with the `scheme` for every node that has it, from the top down.

    Nodes without it, and everything below a node that is closed to it, have their default laws.
    """
    if scheme is not None:
        found = _scheme_law(scheme, kernel)
        if found is not None:
            return found
    _load_rules(type(kernel))
    return own_law(kernel, Below(None if scheme in closed_to(kernel) else scheme))


def laws_of(kernel: Kernel) -> dict[str | None, Law]:
    """All laws of a kernel: None → its default, and the name of every scheme → its law."""
    return {scheme: law_of(kernel, scheme) for scheme in (None, *schemes_of(kernel))}


def schemes_of(kernel: Kernel) -> tuple[str, ...]:
    """The names of the schemes that some node of the tree has, in catalogue order."""
    names, found = (*SCHEMES, *SAMPLERS), set[str]()
    pending: list[tuple[Kernel, frozenset[str]]] = [(kernel, frozenset())]
    seen: set[tuple[int, frozenset[str]]] = set()
    while pending:
        node, closed = pending.pop()
        if (id(node), closed) in seen:  # kernels may be shared
            continue
        seen.add((id(node), closed))
        inside = closed | closed_to(node)
        found.update(name for name in names if name not in closed | found and _scheme_law(name, node) is not None)
        pending.extend((child, inside) for child in (*node.children(), *node.bases()))
    return tuple(name for name in names if name in found)


@singledispatch
def own_law(kernel: Kernel, below: Below) -> Law:
    """The default law of a kernel; `below` gives the laws of its parts."""
    del below
    if isinstance(kernel, loaded("kernelspec.kernels.nodes.columns_and_lags:Unavailable")):
        kernel.refuse()
    if (package := package_of(type(kernel))) is not None:
        raise NotAvailableYet(
            f"{kernel} has no samples: the plug-in package {package!r} registers no law for it with own_law; values "
            "and exact models need none"
        )
    raise TypeError(f"no law for the samples of {type(kernel).__name__}: register one with own_law")


@singledispatch
def closed_to(kernel: Kernel) -> frozenset[str]:
    """The schemes that no part below this node may have; none for a kernel without parts."""
    if not any(True for _ in kernel.children()):
        return frozenset()
    known = closed_to.dispatch(type(kernel))
    _load_rules(type(kernel))
    if (rule := closed_to.dispatch(type(kernel))) is not known:
        return rule(kernel)
    raise TypeError(f"no rule for schemes below {type(kernel).__name__}: register one with closed_to")


@cache
def _load_rules(cls: type[Kernel]) -> None:
    load_rules(_HOMES, cls)


def _scheme_law(name: str, kernel: Kernel) -> Law | None:
    """The result of a scheme's rule, which is imported only for kernels that may have it."""
    if name in SAMPLERS:
        sampler = SAMPLERS.load(name)
        law: Law | None = sampler.of_kernel(kernel)
        if not (law is None or hasattr(law, "moments")):
            raise TypeError(f"of_kernel() gives {law!r:.60}, neither a law nor None")
        return law
    scheme = SCHEMES[name]
    if not _is_any_of(type(kernel), scheme.nodes):
        return None
    if scheme.leaf_fact and isinstance(kernel, Leaf) and not getattr(kernel, scheme.leaf_fact):
        return None
    return _scheme_rule(name)(kernel)


@cache
def _is_any_of(cls: type[Kernel], homes: tuple[str, ...]) -> bool:
    return any(home_of(ancestor) in homes for ancestor in cls.__mro__)


@cache
def _scheme_rule(name: str) -> Callable[[Kernel], Law | None]:
    rule: Callable[[Kernel], Law | None] = load_from(SCHEMES[name].rule)
    return rule
