"""Names of kernels and arguments in other libraries, and how to write them here, with numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from kernelspec.catalogue import KERNELS
from kernelspec.language.nodes import Call, Keyword, Number
from kernelspec.loading import suggest

__all__ = ["ACTIVATIONS_ELSEWHERE", "DISTRIBUTIONS_ELSEWHERE", "argument_here", "kernel_here"]


@dataclass(frozen=True)
class Here:
    """A kernel of the language that another library calls something else.

    `implied` arguments follow from the name, `shown` ones are always shown; those in `unlike` depend on the library, so
    their values stay open. `also` is an extra note.
    """

    words: str
    kernel: str
    implied: str = ""
    shown: tuple[str, ...] = ("scale",)
    also: str = ""
    unlike: tuple[str, ...] = ()


_GAUSSIAN = Here("the Gaussian kernel", "gaussian")
_EXPONENTIAL = Here("exp(−‖Δ‖₂/ℓ)", "exponential", also="; for the sum of absolute differences use laplace(scale=…)")
_NOISE = Here("white noise, a nugget,", "noise", shown=(), also=", with a weight as in 0.1*noise()")
_CONSTANT = Here("the kernel that is 1 everywhere", "constant", shown=(), also=", with a weight as in 2*constant()")
_PERIODIC = Here("the periodic kernel exp(−2 Σ sin²(πΔ_i/p)/ℓ²)", "periodic", shown=("period", "scale"))
_OTHER_PERIODIC = replace(_PERIODIC, unlike=("scale",))
_LINEAR = Here("the inner product", "linear", shown=(), also=", with an offset as in linear() + 2*constant()")
_RATIONAL = Here("the rational quadratic kernel", "rational_quadratic", shown=("alpha", "scale"))
_POWERED = Here("exp(−(‖Δ‖₂/ℓ)^α)", "powered_exponential", shown=("alpha", "scale"))
_SPHERICAL = "the spherical kernel is spherical(range=…), on at most three columns"
_COMPACT = "for a kernel with compact support use wendland(order=1, scale=…)"
_CHI_SQUARED = "chi-squared kernels are not available; minmax() is another kernel for nonnegative data"

NAMES: Mapping[str, Here | str] = MappingProxyType(
    {
        name: here
        for here, names in (
            (_EXPONENTIAL, "absoluteexponential exp ornsteinuhlenbeck ou realterm"),
            ("write a sum of kernels with +, and an average over columns as each(gaussian())", "additive"),
            (_CHI_SQUARED, "additivechi2 chi2 chisquared"),
            ("for rows of norm 1, arc-cosine kernels are dual(step, sphere()) and dual(relu, sphere())", "arccosine"),
            (
                _GAUSSIAN,
                "ardrbf ardsquaredexponential eq expquad expsquared exponentialquadratic exponentiatedquadratic gauss "
                "gpexpquad rbf se squaredexp squaredexponential",
            ),
            (_CONSTANT, "bias constant intercept one"),
            ("Brownian motion, min(x, y), is brownian(until=…) on one column", "brownian wiener"),
            (
                "equality of categories is match()[country]; with similarities it is levels([…], [[…]])[grade]",
                "categorical coregion index",
            ),
            (
                "a change point between two kernels is changepoint(k1, k2, on=time, at=…, width=…)",
                "changepoint changepoints",
            ),
            ("the circular kernel is not available", "circular"),
            ("the cosine of the angle between two rows is normalize(linear())", "cosinesimilarity"),
            ("e^(−ct) cos dt is exponential(scale=1/c)*cosine(by=d)", "complex"),
            ("the cosine of πΔ/p is cosine(by=pi/p), on one column", "cosine"),
            (_COMPACT, "cubic piecewisepolynomial wendland"),
            (_NOISE, "delta nugget purenugget white whitenoise"),
            (_LINEAR, "dot dotproduct linear vanilladot"),
            (_PERIODIC, "expsine2 expsinesquared gpperiodic"),
            ("write the power of a kernel as k**2", "exponentiation"),
            (_POWERED, "gammaexponential poweredexp powerexponential stable"),
            ("a length scale that varies with x is gibbs(t -> 0.1 + t/10)[x]", "gibbs"),
            ("Gneiting's class is gneiting(space=matern(nu=3/2)[x, y], time=t)", "gneiting"),
            (Here("on rows of zeros and ones the Tanimoto (Jaccard) kernel", "minmax", shown=()), "jaccard tanimoto"),
            ("use match() for equal categories, noise() for equal rows of numbers", "kronecker"),
            ("exp(−σ‖Δ‖₂) is exponential(scale=1/σ)", "laplacedot"),
            (
                Here("exp(−Σ|Δ_i|/σ)", "laplace", also="; for the Euclidean norm use exponential(scale=…)"),
                "laplacian",
            ),
            (Here("the Matérn kernel", "matern", shown=("nu", "scale")), "matern"),
            (Here("the Matérn kernel of order 1/2", "matern", "nu=1/2"), "matern12"),
            (Here("the Matérn kernel of order 3/2", "matern", "nu=3/2"), "matern32"),
            (Here("the Matérn kernel of order 5/2", "matern", "nu=5/2"), "matern52"),
            ("for rows of norm 1, the kernel of a network with erf is dual(erf, sphere())", "mlp neuralnetwork"),
            (_OTHER_PERIODIC, "periodic standardperiodic stdperiodic"),
            ("the polynomial kernel is polynomial(degree=3, offset=1)", "poly polydot polynomial"),
            (_RATIONAL, "rationalquad rationalquadratic ratquad rq"),
            ("exp(−σ‖Δ‖²) is gaussian(scale=sqrt(1/(2*σ)))", "rbfdot"),
            ("a damped oscillation is sho(frequency=…, quality=…), on one column", "rotation sho"),
            ("write a weight in front of the kernel, as in 2*gaussian()", "scale"),
            ("tanh(γ x·y + c) is not positive definite, so it is not available", "sigmoid tanhdot"),
            ("a spectral mixture is spectral_mixture(weights, means, scales)", "spectralmixture"),
            (_SPHERICAL, "spherical"),
        )
        for name in names.split()
    }
)
"""Lower-case name without '_' and suffixes such as `kernel` → its counterpart here, or a sentence without a full stop.
"""

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
    """The counterpart of an argument of another library: our name ("" for a weight), our value in terms of theirs as
    text and as a function, and how the two relate.
    """

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
"""Lower-case argument without '_' → its counterpart, by kernel; the empty name holds for all others."""


def _plain(name: str) -> str:
    return name.casefold().replace("_", "")


def kernel_here(name: str, call: Call | None = None) -> str:
    """`; the Gaussian kernel is gaussian(scale=2)` for the call `RBF(length_scale=2)`; "" for unknown names."""
    plain = _plain(name)
    known = [plain, *(plain.removesuffix(ending) for ending in _ENDINGS)]
    found = next((NAMES[one] for one in known if one in NAMES), None)
    if found is None or isinstance(found, str):
        return "" if found is None else f"; {found}"
    written = _written(found, () if call is None else call.keywords)
    return f"; {found.words} is {written}{found.also if '*' not in written else ''}"


def _written(here: Here, keywords: Iterable[Keyword]) -> str:
    """The kernel with the known arguments of another library's call, and `…` for the others."""
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
    """The value as written here: a number if it is short, else a formula in theirs."""
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
    """`; use scale=2 (the same quantity)` for `length_scale=2`, else `; did you mean 'scale'?`, or ""."""
    own = list(names)
    argument = _argument(function, keyword.name)
    if argument is not None and argument.ours in own:
        return f"; use {argument.ours}={_value(argument, keyword)} ({argument.relation})"
    if argument is not None and not argument.ours and function in KERNELS:
        return f"; use {_value(argument, keyword)}*{function}(…) ({argument.relation})"
    return suggest(keyword.name, own)
