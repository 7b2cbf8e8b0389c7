"""Names of kernels and arguments in other libraries, and how to write them here, with numbers.

Classes of four libraries are templates: what an error suggests for a call is what `exchange` makes of the object.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from kernelspec.catalogue import KERNELS
from kernelspec.language.nodes import Call, Keyword, Number
from kernelspec.loading import suggest

__all__ = ["ACTIVATIONS_ELSEWHERE", "CLASSES", "DISTRIBUTIONS_ELSEWHERE", "argument_here", "is_template", "kernel_here"]

_SUM = "write a sum of kernels with +, and an average over columns as each(gaussian())"
_PRODUCT = "write a product of kernels with *"
_POLYNOMIAL = "the polynomial kernel is polynomial(degree=3, offset=1)"
_LEVELS = "equality of categories is match()[country]; with similarities it is levels([…], [[…]])[grade]"
_CHANGE = "a change point between two kernels is changepoint(k1, k2, on=time, at=…, width=…)"
_COSINE = "the cosine of πΔ/p is cosine(by=pi/p), on one column"

CLASSES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "scikit-learn": {
            "CompoundKernel": "a kernel per output is a spec per output",
            "ConstantKernel": "{constant_value}*constant()",
            "DotProduct": "linear() + {sigma_0}**2*constant()",
            "ExpSineSquared": "periodic(period={periodicity}, scale={length_scale})",
            "Exponentiation": "write the power of a kernel as k**2",
            "Matern": "matern(nu={nu}, scale={length_scale})",
            "PairwiseKernel": "write the kernel of its metric: rbf is gaussian(), laplacian laplace(), linear linear()",
            "Product": _PRODUCT,
            "RBF": "gaussian(scale={length_scale})",
            "RationalQuadratic": "rational_quadratic(alpha={alpha}, scale={length_scale})",
            "Sum": _SUM,
            "WhiteKernel": "{noise_level}*noise()",
        },
        "GPyTorch": {
            "AdditiveKernel": _SUM,
            "AdditiveStructureKernel": "the sum of a kernel over the columns is d*each(gaussian())",
            "ConstantKernel": "{constant}*constant()",
            "CosineKernel": "cosine(by=pi/{period_length})",
            "IndexKernel": _LEVELS,
            "LinearKernel": "{variance}*linear()",
            "MaternKernel": "matern(nu={nu}, scale={lengthscale})",
            "PeriodicKernel": "periodic(period={period_length}, scale=sqrt({lengthscale}))",
            "PiecewisePolynomialKernel": "wendland(order={q}, scale={lengthscale})",
            "PolynomialKernel": _POLYNOMIAL,
            "ProductKernel": _PRODUCT,
            "ProductStructureKernel": "the product of a kernel over the columns is additive(gaussian(), order=d)",
            "RBFKernel": "gaussian(scale={lengthscale})",
            "RQKernel": "rational_quadratic(alpha={alpha}, scale={lengthscale})",
            "ScaleKernel": "write a weight in front of the kernel, as in 2*gaussian()",
            "SpectralMixtureKernel": "a spectral mixture is spectral_mixture(weights, means, scales)",
        },
        "GPflow": {
            "ChangePoints": _CHANGE,
            "Constant": "{variance}*constant()",
            "Coregion": _LEVELS,
            "Cosine": _COSINE,
            "Exponential": "{variance}*exponential(scale=2*{lengthscales})",
            "Linear": "{variance}*linear()",
            "Matern12": "{variance}*matern(nu=1/2, scale={lengthscales})",
            "Matern32": "{variance}*matern(nu=3/2, scale={lengthscales})",
            "Matern52": "{variance}*matern(nu=5/2, scale={lengthscales})",
            "Periodic": "periodic(period={period}, scale=2*{lengthscales})",
            "Polynomial": _POLYNOMIAL,
            "Product": _PRODUCT,
            "RationalQuadratic": "{variance}*rational_quadratic(alpha={alpha}, scale={lengthscales})",
            "SquaredExponential": "{variance}*gaussian(scale={lengthscales})",
            "Sum": _SUM,
            "White": "{variance}*noise()",
        },
        "celerite2": {
            "ComplexTerm": "e^(−ct) cos dt is exponential(scale=1/c)*cosine(by=d)",
            "Matern32Term": "{sigma}**2*matern(nu=3/2, scale={rho})",
            "RealTerm": "{a}*exponential(scale=1/{c})",
            "RotationTerm": "a damped oscillation is sho(frequency=…, quality=…), on one column, and a rotation is two",
            "SHOTerm": "{S0}*{w0}*{Q}*sho(frequency={w0}, quality={Q})",
            "TermProduct": _PRODUCT,
            "TermSum": _SUM,
        },
    }
)
"""Library → class → a template: the kernel here, with attributes of an object or arguments of a call in braces. A class
that needs more has a sentence without a full stop.
"""

_TEMPLATE = re.compile(r"(?P<weight>\S*\*)?(?P<kernel>[a-z_]+)\((?P<arguments>.*?)\)(?P<rest> \+ .*)?")
_FIELD = re.compile(r"{(\w+)}")
_ARGUMENT = re.compile(r"(\w+)=([^{,]*){(\w+)}([^,]*)")
_SCALES = re.compile(r"(\w+)\(([^()]*?)(?:, )?scale=(\[[^\]]*\])\)")
"""A kernel with a length for every column, which is a stretch here."""


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


_HERE: Mapping[str, Here] = {
    here.kernel: here
    for here in (
        Here("the Gaussian kernel", "gaussian"),
        Here("exp(−‖Δ‖₂/ℓ)", "exponential", also="; for the sum of absolute differences use laplace(scale=…)"),
        Here("exp(−Σ|Δ_i|/σ)", "laplace", also="; for the Euclidean norm use exponential(scale=…)"),
        Here("the Matérn kernel", "matern", shown=("nu", "scale")),
        Here("white noise, a nugget,", "noise", shown=(), also=", with a weight as in 0.1*noise()"),
        Here("the kernel that is 1 everywhere", "constant", shown=(), also=", with a weight as in 2*constant()"),
        Here("the periodic kernel exp(−2 Σ sin²(πΔ_i/p)/ℓ²)", "periodic", shown=("period", "scale")),
        Here(
            "the polynomial kernel",
            "polynomial",
            shown=("degree", "offset"),
            also="; with a weight of x·y it is written as in (2*linear() + constant())**3",
            unlike=("",),
        ),
        Here("the inner product", "linear", shown=(), also=", with an offset as in linear() + 2*constant()"),
        Here("the rational quadratic kernel", "rational_quadratic", shown=("alpha", "scale")),
        Here("exp(−(‖Δ‖₂/ℓ)^α)", "powered_exponential", shown=("alpha", "scale")),
        Here("on rows of zeros and ones the Tanimoto (Jaccard) kernel", "minmax", shown=()),
        Here("a damped oscillation", "sho", shown=("frequency", "quality"), also=", on one column"),
    )
}
_OTHER_PERIODIC = replace(_HERE["periodic"], unlike=("scale",))
_COMPACT = "for a kernel with compact support use wendland(order=1, scale=…)"


def _plain(name: str) -> str:
    return name.casefold().replace("_", "")


def _of_classes() -> dict[str, Here | str]:
    """What `CLASSES` says of names: the kernel, with the arguments that the name implies, or the sentence."""
    found: dict[str, Here | str] = {"piecewisepolynomial": _COMPACT, "periodic": _OTHER_PERIODIC}
    for name, text in (entry for classes in CLASSES.values() for entry in classes.items()):
        plain = _plain(name)
        bare = next((plain.removesuffix(ending) for ending in _ENDINGS if plain.endswith(ending)), plain)
        if not is_template(text):
            found.setdefault(bare, text)
            continue
        made = _parts(text)
        implied = [own for own in made["arguments"].split(", ") if own and "{" not in own]
        if made["kernel"] in _HERE:
            here = _HERE[made["kernel"]]
            shown = tuple(own for own in here.shown if not any(one.startswith(f"{own}=") for one in implied))
            found.setdefault(bare, replace(here, implied=", ".join(implied), shown=shown))
    return found


def is_template(text: str) -> bool:
    """Whether an entry of `CLASSES` is a template, not a sentence."""
    return "{" in text


def _parts(template: str) -> dict[str, str]:
    """Weight, kernel, arguments and the rest of a template of `CLASSES`."""
    found = _TEMPLATE.fullmatch(template)
    assert found is not None, template
    return {name: text or "" for name, text in found.groupdict().items()}


_ENDINGS = ("kernel", "term", "cov")

NAMES: Mapping[str, Here | str] = MappingProxyType(
    _of_classes()
    | {
        name: here
        for here, names in (
            (_HERE["exponential"], "absoluteexponential exp ornsteinuhlenbeck ou real"),
            (
                "chi-squared kernels are not available; minmax() is another kernel for nonnegative data",
                "additivechi2 chi2 chisquared",
            ),
            ("for rows of norm 1, arc-cosine kernels are dual(step, sphere()) and dual(relu, sphere())", "arccosine"),
            (
                _HERE["gaussian"],
                "ardrbf ardsquaredexponential eq expquad expsquared exponentialquadratic exponentiatedquadratic gau "
                "gauss gpexpquad se squaredexp",
            ),
            (_HERE["constant"], "bias intercept one"),
            ("Brownian motion, min(x, y), is brownian(until=…) on one column", "brownian wiener"),
            (_LEVELS, "categorical"),
            (_CHANGE, "changepoint"),
            ("the circular kernel is not available", "circular"),
            ("the cosine of the angle between two rows is normalize(linear())", "cosinesimilarity"),
            (_COMPACT, "cubic wendland"),
            (_HERE["noise"], "delta jitter nugget purenugget whitenoise"),
            (_HERE["linear"], "dot vanilladot"),
            (_HERE["periodic"], "expsine2 gpperiodic"),
            (_HERE["powered_exponential"], "gammaexponential poweredexp powerexponential stable"),
            ("a length scale that varies with x is gibbs(t -> 0.1 + t/10)[x]", "gibbs"),
            ("Gneiting's class is gneiting(space=matern(nu=3/2)[x, y], time=t)", "gneiting"),
            (_HERE["minmax"], "jaccard tanimoto"),
            ("use match() for equal categories, noise() for equal rows of numbers", "kronecker"),
            ("exp(−σ‖Δ‖₂) is exponential(scale=1/σ)", "laplacedot"),
            (_HERE["laplace"], "laplacian"),
            ("for rows of norm 1, the kernel of a network with erf is dual(erf, sphere())", "mlp neuralnetwork"),
            (_OTHER_PERIODIC, "standardperiodic stdperiodic"),
            (_HERE["matern"], "mat"),
            (_HERE["polynomial"], "poly polydot polynomial"),
            ("a kernel that decays like a power is rational_quadratic(alpha=…, scale=…)", "powerlaw"),
            ("(1 + ‖Δ‖²/c²)^(−1/2) is rational_quadratic(alpha=1/2, scale=c)", "inversemultiquadric"),
            (
                "r² log r is not positive definite, so it is not available; "
                "for smooth curves use matern(nu=3/2, scale=…)",
                "thinplate thinplatespline tps",
            ),
            (
                "for rows of norm 1, the tangent kernel of a network with one hidden layer is "
                "dual(relu, sphere()) + sphere()*dual(step, sphere())",
                "neuraltangent ntk",
            ),
            (_HERE["rational_quadratic"], "rationalquad ratquad"),
            ("exp(−σ‖Δ‖²) is gaussian(scale=sqrt(1/(2*σ)))", "rbfdot"),
            ("tanh(γ x·y + c) is not positive definite, so it is not available", "sigmoid tanhdot"),
            ("the spherical kernel is spherical(range=…), on at most three columns", "sph spherical"),
        )
        for name in names.split()
    }
)
"""Lower-case name without '_' and suffixes such as `kernel` → its counterpart here, or a sentence without a full stop.
"""

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
    text and, if it has a number of its own, as a function, and how the two relate.
    """

    ours: str
    text: str = "{}"
    value: Callable[[float], float] | None = None
    relation: str = "the same quantity"


_SAME = Argument("scale")
_WEIGHTED = Argument("", relation="a weight in front of the kernel")
_SQUARED = Argument("", "{}**2", lambda x: x * x, "a weight in front of the kernel")
_INVERSE = Argument("scale", "1/{}", lambda x: 1 / x, "gamma is 1/scale")
_OF_GAMMA = Argument("scale", "sqrt(1/(2*{}))", lambda x: math.sqrt(1 / (2 * x)), "gamma is 1/(2*scale**2)")
_PERIODIC_SCALE = Argument("scale", relation="as in scikit-learn; GPflow's is half of it, GPyTorch's its square")
_RANGE = Argument("scale", relation="the range parameter, not the practical range")
_OF_METRIC = Argument("scale", "sqrt({})", math.sqrt, "metric is scale**2")
_OF_RANGE = Argument("scale", "{}/sqrt(2)", lambda x: x / math.sqrt(2), "exp(−(h/range)²) has range sqrt(2)*scale")
_MATERN_RANGE = Argument("scale", "sqrt(2*nu)*{}", None, "for (h/range)^nu K_nu(h/range), as in geoR and gstat")
_OF_GSTOOLS: Mapping[str, Argument] = {
    "exponential": _SAME,
    "gaussian": Argument("scale", "sqrt(2/pi)*{}", None, "exp(−π/4·(h/len_scale)²) in GSTools"),
    "matern": Argument("scale", "sqrt(2)*{}", None, "sqrt(nu) in GSTools where it is sqrt(2*nu) here"),
}
_OF_PYMC = Argument("scale", "2*{}", lambda x: 2 * x, "exp(−h/(2*ls)) in PyMC")

_ByKernel: TypeAlias = Mapping[str, Argument]


def _arguments_of_classes() -> dict[str, dict[str, Argument]]:
    """What `CLASSES` says of arguments: by kernel, and for other kernels where the quantity is the same."""
    found: dict[str, dict[str, Argument]] = {}
    texts = ((library, text) for library, classes in CLASSES.items() for text in classes.values())
    for library, text in ((library, text) for library, text in texts if is_template(text)):
        made, pairs = _parts(text), list[tuple[str, Argument]]()
        for ours, before, field, after in _ARGUMENT.findall(made["arguments"]):
            own = f"{before}{{}}{after}"
            pairs.append((field, Argument(ours, own, None, "the same quantity" if own == "{}" else f"as in {library}")))
        if len(fields := _FIELD.findall(made["weight"])) == 1:
            weight = _FIELD.sub("{}", made["weight"]).removesuffix("*")
            pairs.append((fields[0], replace(_WEIGHTED, text=weight)))
        for field, argument in pairs:
            found.setdefault(_plain(field), {}).setdefault(made["kernel"], argument)
    for by_kernel in found.values():
        same = {argument.ours: argument for argument in by_kernel.values() if argument.text == "{}"}
        if len(same) == 1:
            by_kernel.setdefault("", *same.values())
    return found


_OTHERS: Mapping[str, _ByKernel] = {
    "lenscale": _OF_GSTOOLS,
    **{
        name: {"": _SAME, "periodic": _PERIODIC_SCALE}
        for name in ("bandwidth", "bw", "lengthscale", "lengthscales", "length", "ell")
    },
    "amplitude": {"": _SQUARED},
    "coef0": {"polynomial": Argument("offset")},
    "degreesoffreedom": {"": Argument("dof")},
    "df": {"": Argument("dof")},
    "gamma": {"gaussian": _OF_GAMMA, "laplace": _INVERSE, "exponential": _INVERSE},
    "kappa": {"matern": Argument("nu"), "powered_exponential": Argument("alpha")},
    "ls": {"": _SAME, "periodic": _PERIODIC_SCALE, "exponential": _OF_PYMC},
    "metric": {"gaussian": _OF_METRIC},
    "order": {"matern": Argument("nu")},
    "outputscale": {"": _WEIGHTED},
    "p": {"": Argument("period")},
    "period": {"cosine": Argument("by", "2*pi/{}", None, "by is 2*pi/period")},
    "phi": {"gaussian": _OF_RANGE, "matern": _MATERN_RANGE, "": _RANGE},
    "power": {"polynomial": Argument("degree"), "": Argument("alpha")},
    "range": {"gaussian": _OF_RANGE, "matern": _MATERN_RANGE, "": _RANGE},
    "sigma": {"gaussian": _SAME, "laplace": _SAME, "noise": _SQUARED},
    "sigmaf": {"": _SQUARED},
    "sill": {"": _WEIGHTED},
    "smoothness": {"": Argument("nu")},
    "std": {"": _SAME},
}

_OF_CLASSES = _arguments_of_classes()

ARGUMENTS: Mapping[str, _ByKernel] = MappingProxyType(
    {name: {**_OF_CLASSES.get(name, {}), **_OTHERS.get(name, {})} for name in (*_OF_CLASSES, *_OTHERS)}
)
"""Lower-case argument without '_' → its counterpart, by kernel; the empty name holds for all others."""


def kernel_here(name: str, call: Call | None = None) -> str:
    """`; the Gaussian kernel is gaussian(scale=2)` for the call `RBF(length_scale=2)`; "" for unknown names."""
    plain, keywords = _plain(name), () if call is None else call.keywords
    known = [plain, *(plain.removesuffix(ending) for ending in _ENDINGS)]
    found = next((NAMES[one] for one in known if one in NAMES), None)
    written = _filled(plain, keywords)
    if found is None or isinstance(found, str):
        return f"; {name} is {written}" if written else "" if found is None else f"; {found}"
    written = _SCALES.sub(r"stretch(\1(\2), \3)", written or _written(found, keywords))
    return f"; {found.words} is {written}{found.also if '*' not in written else ''}"


def _filled(name: str, keywords: Iterable[Keyword]) -> str:
    """The template of a class of this name, with the values of its fields; "" unless all are given."""
    given = {_plain(keyword.name): _operand(keyword) for keyword in keywords}
    for text in (text for classes in CLASSES.values() for own, text in classes.items() if _plain(own) == name):
        fields = set(_FIELD.findall(text))
        if fields and {*map(_plain, fields)} == given.keys():
            made = text.format(**{field: given[_plain(field)] for field in fields})
            return re.sub(r"=\(([^()]*)\)(?=[,)])", r"=\1", made)
    return ""


def _written(here: Here, keywords: Iterable[Keyword]) -> str:
    """The kernel with the known arguments of another library's call, and `…` for the others."""
    given, weights = dict[str, str](), list[str]()
    for keyword in keywords:
        same = Argument(keyword.name) if keyword.name in here.shown else None
        argument = _argument(here.kernel, keyword.name) or same
        if argument is not None and argument.ours not in here.unlike:
            value = _value(argument, keyword)
            given |= {argument.ours: value} if argument.ours else {}
            weights += [] if argument.ours else [value]
    implied = [here.implied] if here.implied else []
    if "nu" in given:  # a scale that depends on it
        given = {name: re.sub(r"\bnu\b", given["nu"], value) for name, value in given.items()}
    shown = [f"{name}={given.get(name, '…')}" for name in here.shown]
    return "*".join([*weights, f"{here.kernel}({', '.join([*implied, *shown])})"])


def _argument(kernel: str, name: str) -> Argument | None:
    of_kernels = ARGUMENTS.get(_plain(name), {})
    return of_kernels.get(kernel, of_kernels.get(""))


def _value(argument: Argument, keyword: Keyword) -> str:
    """The value as written here: a number if it is short, else a formula in theirs."""
    if argument.text == "{}":
        return keyword.value.span.text
    if argument.value is not None and isinstance(keyword.value, Number) and keyword.value.value > 0:
        with suppress(OverflowError, ZeroDivisionError):
            number = argument.value(float(keyword.value.value))
            if math.isclose(float(f"{number:.6g}"), number, rel_tol=1e-15):
                return f"{number:.6g}"
    return argument.text.format(_operand(keyword))


def _operand(keyword: Keyword) -> str:
    """The value in their words, in parentheses unless it is a number or a name."""
    theirs = keyword.value.span.text
    return theirs if isinstance(keyword.value, Number) or theirs.isalnum() else f"({theirs})"


def argument_here(function: str, keyword: Keyword, names: Iterable[str]) -> str:
    """`; use scale=2 (the same quantity)` for `length_scale=2`, else `; did you mean 'scale'?`, or ""."""
    own = list(names)
    argument = _argument(function, keyword.name)
    if argument is not None and argument.ours in own:
        return f"; use {argument.ours}={_value(argument, keyword)} ({argument.relation})"
    if argument is not None and not argument.ours and function in KERNELS:
        return f"; use {_value(argument, keyword)}*{function}(…) ({argument.relation})"
    return suggest(keyword.name, own)
