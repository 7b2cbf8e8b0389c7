"""What other libraries call kernels and their arguments, and what is written here instead, with the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from kernelspec.catalogue import KERNELS
from kernelspec.language.nodes import Call, Keyword, Number
from kernelspec.loading import suggest

__all__ = ["ACTIVATIONS_ELSEWHERE", "ARGUMENTS", "DISTRIBUTIONS_ELSEWHERE", "NAMES", "argument_here", "kernel_here"]


@dataclass(frozen=True)
class Here:
    """A kernel of the language that another library has by another name.

    `implied` are arguments that the name says, `shown` those that are shown in any case; the value of those in `unlike`
    depends on the library, so it stays open. `also` is what to know beside it.
    """

    words: str
    kernel: str
    implied: str = ""
    shown: tuple[str, ...] = ("scale",)
    also: str = ""
    unlike: tuple[str, ...] = ()


_GAUSSIAN = Here("the Gaussian kernel", "gaussian")
_EXPONENTIAL = Here("exp(−‖Δ‖₂/ℓ)", "exponential", also="; with the sum of absolute differences it is laplace(scale=…)")
_NOISE = Here("white noise, a nugget,", "noise", shown=(), also=", with a weight as in 0.1*noise()")
_CONSTANT = Here("the kernel that is 1 everywhere", "constant", shown=(), also=", with a weight as in 2*constant()")
_PERIODIC = Here("the periodic kernel exp(−2 Σ sin²(πΔ_i/p)/ℓ²)", "periodic", shown=("period", "scale"))
_OTHER_PERIODIC = replace(_PERIODIC, unlike=("scale",))
_LINEAR = Here("the inner product", "linear", shown=(), also=", with an offset as in linear() + 2*constant()")
_RATIONAL = Here("the rational quadratic kernel", "rational_quadratic", shown=("alpha", "scale"))
_POWERED = Here("exp(−(‖Δ‖₂/ℓ)^α)", "powered_exponential", shown=("alpha", "scale"))
_TANIMOTO = Here("on rows of zeros and ones the Tanimoto (Jaccard) kernel", "minmax", shown=())
_POLYNOMIAL = "the polynomial kernel is a power, as in (linear() + constant())**3"
_SPHERICAL = "the spherical kernel is radial(r -> 1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3), on three columns at most"
_COMPACT = "a kernel of compact support is radial(r -> max(0, 1 - r)**4*(4*r + 1)), on three columns at most"
_NEURONS = "on rows of norm 1 the kernel of a network with erf is dual(erf, sphere())"
_CHANGE = "a change point between two kernels is not in the language"
_SIGMOID = "tanh(γ x·y + c) is not positive definite, and not in the language"
_CHI_SQUARED = (
    "chi-squared kernels are not in the language; minmax() is another kernel of rows without negative numbers"
)
_VARYING = "a length scale that varies with x is not in the language"
_ADDITIVE = "a sum of kernels is written with +, as in gaussian()[a] + gaussian()[b]"
_WIENER = "Brownian motion, min(x, y), is not in the language"
_OSCILLATOR = "a damped oscillation is exponential(scale=…)*cosine(by=…), on one column"
_CATEGORIES = "equality of categories is match(), as in match()[country]"
_WEIGHT = "a weight stands in front of a kernel, as in 2*gaussian()"

NAMES: Mapping[str, Here | str] = MappingProxyType(
    {
        "absoluteexponential": _EXPONENTIAL,
        "additive": _ADDITIVE,
        "additivechi2": _CHI_SQUARED,
        "arccosine": "on rows of norm 1 the arc-cosine kernels are dual(step, sphere()) and dual(relu, sphere())",
        "ardrbf": _GAUSSIAN,
        "ardsquaredexponential": _GAUSSIAN,
        "bias": _CONSTANT,
        "brownian": _WIENER,
        "categorical": _CATEGORIES,
        "changepoint": _CHANGE,
        "changepoints": _CHANGE,
        "chi2": _CHI_SQUARED,
        "chisquared": _CHI_SQUARED,
        "circular": "the circular kernel holds on two columns at most, and is not in the language",
        "constant": _CONSTANT,
        "coregion": _CATEGORIES,
        "cosinesimilarity": "the cosine of the angle between two rows is normalize(linear())",
        "cubic": _COMPACT,
        "delta": _NOISE,
        "dot": _LINEAR,
        "dotproduct": _LINEAR,
        "eq": _GAUSSIAN,
        "exp": _EXPONENTIAL,
        "expquad": _GAUSSIAN,
        "expsine2": _PERIODIC,
        "expsinesquared": _PERIODIC,
        "expsquared": _GAUSSIAN,
        "exponentialquadratic": _GAUSSIAN,
        "exponentiatedquadratic": _GAUSSIAN,
        "exponentiation": "the power of a kernel is written with **, as in k**2",
        "gammaexponential": _POWERED,
        "gauss": _GAUSSIAN,
        "gibbs": _VARYING,
        "gneiting": "Gneiting's class is not in the language; a product is gaussian()[x, y]*exponential()[t]",
        "gpexpquad": _GAUSSIAN,
        "gpperiodic": _PERIODIC,
        "hamming": "the share of equal columns is mean(match()[a], match()[b])",
        "index": _CATEGORIES,
        "intercept": _CONSTANT,
        "jaccard": _TANIMOTO,
        "kronecker": "equality of categories is match(), of rows of numbers noise()",
        "laplacedot": "exp(−σ‖Δ‖₂) is exponential(scale=1/σ)",
        "laplacian": Here("exp(−Σ|Δ_i|/σ)", "laplace", also="; with the Euclidean norm it is exponential(scale=…)"),
        "linear": _LINEAR,
        "matern": Here("the Matérn kernel", "matern", shown=("nu", "scale")),
        "matern12": Here("the Matérn kernel of order 1/2", "matern", "nu=1/2"),
        "matern32": Here("the Matérn kernel of order 3/2", "matern", "nu=3/2"),
        "matern52": Here("the Matérn kernel of order 5/2", "matern", "nu=5/2"),
        "mlp": _NEURONS,
        "neuralnetwork": _NEURONS,
        "nugget": _NOISE,
        "one": _CONSTANT,
        "ornsteinuhlenbeck": _EXPONENTIAL,
        "ou": _EXPONENTIAL,
        "periodic": _OTHER_PERIODIC,
        "piecewisepolynomial": _COMPACT,
        "poly": _POLYNOMIAL,
        "polydot": _POLYNOMIAL,
        "polynomial": _POLYNOMIAL,
        "poweredexp": _POWERED,
        "powerexponential": _POWERED,
        "purenugget": _NOISE,
        "rationalquad": _RATIONAL,
        "rationalquadratic": _RATIONAL,
        "ratquad": _RATIONAL,
        "rbf": _GAUSSIAN,
        "rbfdot": "exp(−σ‖Δ‖²) is gaussian(scale=sqrt(1/(2*σ)))",
        "realterm": _EXPONENTIAL,
        "rotation": _OSCILLATOR,
        "rq": _RATIONAL,
        "scale": _WEIGHT,
        "se": _GAUSSIAN,
        "sho": _OSCILLATOR,
        "sigmoid": _SIGMOID,
        "spectralmixture": "a spectral mixture is a sum of modulate(gaussian(scale=…), by=…), with weights",
        "spherical": _SPHERICAL,
        "squaredexp": _GAUSSIAN,
        "squaredexponential": _GAUSSIAN,
        "stable": _POWERED,
        "standardperiodic": _OTHER_PERIODIC,
        "stdperiodic": _OTHER_PERIODIC,
        "tanhdot": _SIGMOID,
        "tanimoto": _TANIMOTO,
        "vanilladot": _LINEAR,
        "wendland": _COMPACT,
        "white": _NOISE,
        "whitenoise": _NOISE,
        "wiener": _WIENER,
    }
)
"""Name, in small letters without '_' and without an ending such as `kernel` → what it is here, or a sentence without
its full stop."""

_ENDINGS = ("kernel", "term", "cov")

DISTRIBUTIONS_ELSEWHERE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "chi_square": ("chi2", "chisq", "chi_squared"),
        "exponential": ("expon", "exp"),
        "gaussian": ("normal", "norm"),
        "half_normal": ("halfnorm", "halfnormal"),
        "inverse_gamma": ("invgamma", "inversegamma"),
        "lognormal": ("lognorm",),
        "student_t": ("t", "student", "studentt"),
        "weibull": ("weibull_min",),
    }
)
"""Distributions by other names."""

ACTIVATIONS_ELSEWHERE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "identity": ("linear",),
        "leaky_relu": ("lrelu", "prelu", "leakyrelu"),
        "relu": ("rectifier", "rectified_linear"),
        "step": ("heaviside", "threshold"),
    }
)
"""Activations by other names."""


@dataclass(frozen=True)
class Argument:
    """What an argument of other libraries is here: ours (none for a weight in front of the kernel), its value by theirs
    as text and as a number, and in which relation both are."""

    ours: str
    text: str = "{}"
    value: Callable[[float], float] = float
    relation: str = "the same quantity"


_SAME = Argument("scale")
_WEIGHTED = Argument("", relation="a weight in front of the kernel")
_SQUARED = Argument("", "{}**2", lambda x: x * x, "a weight in front of the kernel")
_INVERSE = Argument("scale", "1/{}", lambda x: 1 / x, "gamma is 1/scale")
_OF_GAMMA = Argument("scale", "sqrt(1/(2*{}))", lambda x: math.sqrt(1 / (2 * x)), "gamma is 1/(2*scale**2)")
_PERIODIC_SCALE = Argument("scale", relation="as in scikit-learn; GPflow's is half of it, GPyTorch's its square")
_RANGE = Argument("scale", relation="the range parameter, not the practical range")
_OF_METRIC = Argument("scale", "sqrt({})", math.sqrt, "metric is scale**2")
_OF_RATE = Argument("scale", "1/{}", lambda x: 1 / x, "c is 1/scale")
_OF_RANGE = Argument("scale", "{}/sqrt(2)", lambda x: x / math.sqrt(2), "exp(−(h/range)²) has range sqrt(2)*scale")

_ByKernel: TypeAlias = Mapping[str, Argument]

ARGUMENTS: Mapping[str, _ByKernel] = MappingProxyType(
    {
        **{
            name: {"": _SAME, "periodic": _PERIODIC_SCALE}
            for name in ("lengthscale", "lengthscales", "length", "ell", "ls")
        },
        "a": {"exponential": _WEIGHTED},
        "amplitude": {"": _SQUARED},
        "c": {"exponential": _OF_RATE},
        "constantvalue": {"": _WEIGHTED},
        "degreesoffreedom": {"": Argument("dof")},
        "df": {"": Argument("dof")},
        "gamma": {"gaussian": _OF_GAMMA, "laplace": _INVERSE, "exponential": _INVERSE},
        "kappa": {"matern": Argument("nu"), "powered_exponential": Argument("alpha")},
        "metric": {"gaussian": _OF_METRIC},
        "noiselevel": {"": _WEIGHTED},
        "order": {"matern": Argument("nu")},
        "outputscale": {"": _WEIGHTED},
        "p": {"": Argument("period")},
        "period": {"": Argument("period")},
        "periodicity": {"": Argument("period")},
        "periodlength": {"": Argument("period")},
        "phi": {"gaussian": _OF_RANGE, "": _RANGE},
        "power": {"": Argument("alpha")},
        "range": {"gaussian": _OF_RANGE, "": _RANGE},
        "rho": {"": _SAME},
        "sigma": {"gaussian": _SAME, "laplace": _SAME, "matern": _SQUARED},
        "sigmaf": {"": _SQUARED},
        "sill": {"": _WEIGHTED},
        "smoothness": {"": Argument("nu")},
        "std": {"": _SAME},
        "variance": {"": _WEIGHTED},
    }
)
"""Argument, in small letters without '_' → what it is, for a kernel by name and for all others by the empty name."""


def _plain(name: str) -> str:
    return name.casefold().replace("_", "")


def kernel_here(name: str, call: Call | None = None) -> str:
    """`; the Gaussian kernel is gaussian(scale=2)` for the call `RBF(length_scale=2)`; nothing for a name that no
    library has."""
    plain = _plain(name)
    known = [plain, *(plain.removesuffix(ending) for ending in _ENDINGS)]
    found = next((NAMES[one] for one in known if one in NAMES), None)
    if found is None or isinstance(found, str):
        return "" if found is None else f"; {found}"
    written = _written(found, () if call is None else call.keywords)
    return f"; {found.words} is {written}{found.also if '*' not in written else ''}"


def _written(here: Here, keywords: Iterable[Keyword]) -> str:
    """The kernel with the arguments of another library's call as far as they are known, `…` for the others."""
    given, weights = dict[str, str](), list[str]()
    for keyword in keywords:
        argument = _argument(here.kernel, keyword.name)
        if argument is None and keyword.name in here.shown:
            argument = Argument(keyword.name)
        if argument is None:
            continue
        if argument.ours in here.unlike:
            continue
        if argument.ours:
            given[argument.ours] = _value(argument, keyword)
        else:
            weights.append(_value(argument, keyword))
    implied = [here.implied] if here.implied else []
    shown = [f"{name}={given.get(name, '…')}" for name in here.shown]
    return "*".join([*weights, f"{here.kernel}({', '.join([*implied, *shown])})"])


def _argument(kernel: str, name: str) -> Argument | None:
    of_kernels = ARGUMENTS.get(_plain(name), {})
    return of_kernels.get(kernel, of_kernels.get(""))


def _value(argument: Argument, keyword: Keyword) -> str:
    """The value as it is written here: a number where that has few digits, else a formula of theirs."""
    theirs = keyword.value.span.text
    if isinstance(keyword.value, Number) and keyword.value.value > 0:
        try:
            number = argument.value(float(keyword.value.value))
        except (OverflowError, ZeroDivisionError):
            number = math.inf
        shown = f"{number:.6g}"
        if argument.text == "{}" or math.isclose(float(shown), number, rel_tol=1e-15):
            return theirs if argument.text == "{}" else shown
        return argument.text.format(theirs)
    return argument.text.format(theirs if argument.text == "{}" or theirs.isalnum() else f"({theirs})")


def argument_here(function: str, keyword: Keyword, names: Iterable[str]) -> str:
    """`; use scale=2 (the same quantity)` for `length_scale=2`, else `; did you mean 'scale'?`, or nothing."""
    own = list(names)
    argument = _argument(function, keyword.name)
    if argument is not None and argument.ours in own:
        return f"; use {argument.ours}={_value(argument, keyword)} ({argument.relation})"
    if argument is not None and not argument.ours and function in KERNELS:
        return f"; use {_value(argument, keyword)}*{function}(…) ({argument.relation})"
    return suggest(keyword.name, own)
