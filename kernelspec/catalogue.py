"""The catalogue of kernels, distributions, activations and samplers, built in or from plug-ins.

The registry of plug-ins is the only global state of the package. A plug-in calls `register_kernel` and the like, or
lists its classes under the entry points "kernelspec.plugins", which are loaded when a name is unknown.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ContextDecorator
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from inspect import isfunction
from types import FrameType, MethodType, TracebackType
from typing import Any, TypeVar

from kernelspec.errors import KernelspecError, PluginError, UnknownNameError
from kernelspec.loading import caller_level, home_of, load_from

__all__ = [
    "ACTIVATIONS",
    "CATALOGUES",
    "DISTRIBUTIONS",
    "KERNELS",
    "SAMPLERS",
    "Catalogue",
    "FaultsNamed",
    "PluginWarning",
    "blame",
    "is_of_package",
    "load_plugins",
    "names_faults",
    "package_of",
    "register_activation",
    "register_distribution",
    "register_kernel",
    "register_sampler",
]

GROUP = "kernelspec.plugins"
"""The entry point group. Each entry is a class, or a function without arguments that registers classes."""

C = TypeVar("C", bound=type)

_PACKAGE: ContextVar[str | None] = ContextVar("the package whose plug-in is being loaded", default=None)


class PluginWarning(UserWarning):
    """An installed plug-in could not be loaded, and is skipped."""


class Catalogue(Mapping[str, str]):
    """Name → "module:Class" for one kind of class, sorted: built-in and registered ones."""

    def __init__(self, kind: str, base: str, words: tuple[str, ...], homes: Mapping[str, str]) -> None:
        """`base` is the home of the common base class; `words` are the class variables that each class defines."""
        self.kind, self.base, self.words, self.built_in = kind, base, words, dict(homes)
        self._registered: dict[str, tuple[type, str]] = {}

    def __getitem__(self, name: str) -> str:
        return home_of(self._registered[name][0]) if name in self._registered else self.built_in[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self.built_in, *self._registered}))

    def __len__(self) -> int:
        return len(self.built_in) + len(self._registered)

    def knows(self, name: str) -> bool:
        """Whether a class of that name exists, if necessary after loading plug-ins."""
        if name not in self:
            load_plugins()
        return name in self

    def load(self, name: str) -> Any:
        """The class of that name. Raises UnknownNameError."""
        if not self.knows(name):
            raise UnknownNameError(f"unknown {self.kind} {name!r}: use one of {', '.join(self)}")
        return self._registered[name][0] if name in self._registered else load_from(self.built_in[name])

    def registered(self, name: str) -> tuple[type, str] | None:
        """The class that a plug-in registered under that name, and its package."""
        return self._registered.get(name)

    def register(self, cls: type) -> None:
        """Register a class under its `name`. Raises PluginError, which names the package, for an invalid class."""
        package = _PACKAGE.get() or str(getattr(cls, "__module__", "__main__")).partition(".")[0]
        fault = self._fault(cls)
        if fault is not None:
            what = home_of(cls) if isinstance(cls, type) else f"{cls!r:.60}"
            article = "an" if self.kind == "activation" else "a"
            raise PluginError(f"the package {package!r} registers {what} as {article} {self.kind}, but {fault}")
        self._registered[str(cls.name)] = (cls, package)  # type: ignore[attr-defined]

    def _fault(self, cls: type) -> str | None:
        """Why a class cannot be registered."""
        base = load_from(self.base)
        if not (isinstance(cls, type) and issubclass(cls, base)):
            return f"it does not derive from {self.base.replace(':', '.')}"
        missing = sorted(getattr(cls, "__abstractmethods__", ()))
        if missing:
            return f"it does not define {', '.join(missing)}"
        if not (is_dataclass(cls) and cls.__dataclass_params__.frozen):  # type: ignore[attr-defined]
            return "it is not a frozen dataclass: decorate it with @dataclass(frozen=True, kw_only=True)"
        for word in ("name", *self.words):
            if not isinstance(getattr(cls, word, None), str):
                return f"its class variable {word!r} must be a string"
        homes = [own for own in cls.__mro__ if is_dataclass(own)]
        inherited = {part.name for own in homes if own.__module__.startswith("kernelspec.") for part in fields(own)}
        plain = [part.name for part in fields(cls) if "argument" not in part.metadata and part.name not in inherited]
        if plain and self.kind != "sampler":
            return f"its field {plain[0]!r} must be declared as an argument, with real(), integer() or vector()"
        name = str(cls.name)  # type: ignore[attr-defined]
        if not (name.isidentifier() and name.isascii()):
            return f"its name {name!r} is not a word of letters from a to z, digits and underscores"
        taken = "planning.options:METHODS" if self.kind == "sampler" else "elaboration.forms.form:FORMS"
        words = {"param", "let", "in", *load_from("kernelspec.elaboration.arithmetic:FUNCTIONS")}
        if name in self.built_in or name in load_from(f"kernelspec.{taken}") or name in words:
            return f"kernelspec already has {name!r}: choose another name"
        other, package = self._registered.get(name, (cls, ""))
        if home_of(other) != home_of(cls):
            return f"the package {package!r} already registered {name!r}"
        return None


def register_kernel(cls: C) -> C:
    """Register the kernel `cls.name` for use in specs; usable as a decorator.

    The class is a frozen dataclass derived from `Coordinatewise`, `Radial`, `Stationary` or `Leaf`; see
    docs/how-to/extend.md. Registering a class again, as in notebooks, replaces it. Raises PluginError for an invalid
    class or a name that is taken.
    """
    KERNELS.register(cls)
    return cls


def register_distribution(cls: C) -> C:
    """Register a distribution for polya() (`Positive`) or bochner() (`Isotropic`)."""
    DISTRIBUTIONS.register(cls)
    return cls


def register_activation(cls: C) -> C:
    """Register an activation for dual(), layer(), conv() and full()."""
    ACTIVATIONS.register(cls)
    return cls


def register_sampler(cls: C) -> C:
    """Register another sampling scheme for some kernels: a `Law` whose `name` is that of the method.

    `words` describes it. The class method `of_kernel(kernel)` returns the law of a kernel, or None for kernels that the
    scheme does not support.
    """
    SAMPLERS.register(cls)
    return cls


@cache
def load_plugins() -> None:
    """Load the installed plug-ins, once per process: the entry points in the group "kernelspec.plugins".

    Warns PluginWarning, with the package name, for plug-ins that cannot be loaded.
    """
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        package = point.dist.name if point.dist is not None else point.module.partition(".")[0]
        token = _PACKAGE.set(package)
        try:
            found = point.load()
            if isinstance(found, type):
                _catalogue_of(found).register(found)
            elif callable(found):
                found()
        except Exception as error:  # plug-ins may raise anything
            what = str(error) if isinstance(error, PluginError) else f"{type(error).__name__}: {error}"
            warnings.warn(
                f"the plug-in {point.name!r} of the package {package!r} cannot be loaded, so it is skipped: {what}",
                PluginWarning,
                stacklevel=caller_level(),
            )
        finally:
            _PACKAGE.reset(token)


def _catalogue_of(cls: type) -> Catalogue:
    for catalogue in CATALOGUES:
        if issubclass(cls, load_from(catalogue.base)):
            return catalogue
    raise PluginError(f"{home_of(cls)} is not a kernel, a distribution, an activation or a law")


def package_of(cls: type) -> str | None:
    """The package of the plug-in that registered a class; None for other classes."""
    return _packages().get(cls)


def is_of_package(cls: type, package: str, written: str) -> bool:
    """Whether a registered class is the one of the package that a file names, by its module or its distribution."""
    from importlib.metadata import packages_distributions

    def plain(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name).lower()  # as pip compares names

    module = cls.__module__.partition(".")[0]
    known = {package, module, *packages_distributions().get(module, ())}
    return plain(written) in {plain(name) for name in known}


def blame(parts: Iterable[object], fault: str) -> None:
    """Raise PluginError with the `fault` if one of these parts is a plug-in's."""
    for part in parts:
        if (package := package_of(type(part))) is not None:
            raise PluginError(f"{fault}, with {type(part).__name__} of the plug-in package {package!r}: {_REPORT}")


_REPORT = "this is not a bug in kernelspec or your spec: report it to the authors of that package"


class FaultsNamed(ContextDecorator):
    """Raise exceptions from plug-in code in the body, and from what it returned, as a PluginError that names it."""

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Exception) or isinstance(error, KernelspecError):
            return
        registered = _packages()
        packages = {cls.__module__.partition(".")[0]: package for cls, package in registered.items()}
        used: tuple[type, str] | None = None
        while packages and trace is not None:
            used = _plugin_in(trace.tb_frame, registered) or used
            module = str(trace.tb_frame.f_globals.get("__name__", ""))
            if (package := packages.get(module.partition(".")[0])) is not None:
                where = f"{trace.tb_frame.f_code.co_qualname}, line {trace.tb_lineno} of {module}"
                raise PluginError(
                    f"the plug-in package {package!r} failed in {where}: {type(error).__name__}: {error}; {_REPORT}"
                ) from error
            trace = trace.tb_next
        if used is not None:
            raise PluginError(
                f"kernelspec failed on what {used[0].__name__} of the plug-in package {used[1]!r} returned, perhaps of "
                f"another shape or type: {type(error).__name__}: {error}; report it to the authors of that package"
            ) from error


def _plugin_in(frame: FrameType, registered: Mapping[type, str]) -> tuple[type, str] | None:
    """The registered class, and its package, that a function works on: itself, an object of it, or a method."""
    for value in frame.f_locals.values():
        own = value.__self__ if isinstance(value, MethodType) else value
        cls = own if isinstance(own, type) else type(own)
        if cls in registered:
            return cls, registered[cls]
    return None


def names_faults(cls: C) -> C:
    """Do the same in the public methods and properties of a class; usable as a decorator."""
    for name, own in list(vars(cls).items()):
        if name.startswith("_"):
            continue
        if isinstance(own, cached_property):
            own.func = FaultsNamed()(own.func)
        elif isinstance(own, property) and own.fget is not None:
            setattr(cls, name, own.getter(FaultsNamed()(own.fget)))
        elif isfunction(own):
            setattr(cls, name, FaultsNamed()(own))
    return cls


def _packages() -> dict[type, str]:
    """The registered classes, with the packages of their plug-ins."""
    return dict(known for catalogue in CATALOGUES for known in catalogue._registered.values())


KERNELS = Catalogue(
    "kernel",
    "kernelspec.kernels.leaf:Leaf",
    ("formula", "frequencies", "reference"),
    {
        "binary": "kernelspec.kernels.leaves.of_rows:Binary",
        "bochner": "kernelspec.kernels.leaves.of_distributions:Bochner",
        "brownian": "kernelspec.kernels.leaves.of_rows:Brownian",
        "cauchy": "kernelspec.kernels.leaves.coordinatewise:Cauchy",
        "circle": "kernelspec.kernels.leaves.discrete:Circle",
        "constant": "kernelspec.kernels.leaves.discrete:Constant",
        "cosh_gaussian": "kernelspec.kernels.leaves.gaussian_directions:CoshGaussian",
        "cosine": "kernelspec.kernels.leaves.discrete:Cosine",
        "exponential": "kernelspec.kernels.leaves.radial:Exponential",
        "gaussian": "kernelspec.kernels.leaves.gaussian:Gaussian",
        "laplace": "kernelspec.kernels.leaves.coordinatewise:Laplace",
        "linear": "kernelspec.kernels.leaves.of_rows:Linear",
        "match": "kernelspec.kernels.leaves.of_rows:Match",
        "matern": "kernelspec.kernels.leaves.radial:Matern",
        "minmax": "kernelspec.kernels.leaves.of_rows:MinMax",
        "noise": "kernelspec.kernels.leaves.of_rows:Noise",
        "periodic": "kernelspec.kernels.leaves.discrete:Periodic",
        "polya": "kernelspec.kernels.leaves.of_distributions:Polya",
        "powered_exponential": "kernelspec.kernels.leaves.radial:PoweredExponential",
        "rational_quadratic": "kernelspec.kernels.leaves.radial:RationalQuadratic",
        "rbf_cosine": "kernelspec.kernels.leaves.of_rows:RbfCosine",
        "shift_gaussian": "kernelspec.kernels.leaves.gaussian_directions:ShiftGaussian",
        "sho": "kernelspec.kernels.leaves.coordinatewise:Sho",
        "sinc": "kernelspec.kernels.leaves.coordinatewise:Sinc",
        "sinh_gaussian": "kernelspec.kernels.leaves.gaussian_directions:SinhGaussian",
        "sphere": "kernelspec.kernels.leaves.of_rows:Sphere",
        "triangle": "kernelspec.kernels.leaves.coordinatewise:Triangle",
    },
)

DISTRIBUTIONS = Catalogue(
    "distribution",
    "kernelspec.distributions.distribution:Distribution",
    ("formula", "reference"),
    {
        "cauchy": "kernelspec.distributions.symmetric:Cauchy",
        "chi": "kernelspec.distributions.gamma_family:Chi",
        "chi_square": "kernelspec.distributions.gamma_family:ChiSquare",
        "discrete": "kernelspec.distributions.discrete:Discrete",
        "erlang": "kernelspec.distributions.gamma_family:Erlang",
        "exponential": "kernelspec.distributions.gamma_family:Exponential",
        "gamma": "kernelspec.distributions.gamma_family:Gamma",
        "gaussian": "kernelspec.distributions.symmetric:Gaussian",
        "half_normal": "kernelspec.distributions.gamma_family:HalfNormal",
        "inverse_gamma": "kernelspec.distributions.power_tails:InverseGamma",
        "laplace": "kernelspec.distributions.symmetric:Laplace",
        "lognormal": "kernelspec.distributions.ray_transforms:LogNormal",
        "nakagami": "kernelspec.distributions.gamma_family:Nakagami",
        "pareto": "kernelspec.distributions.power_tails:Pareto",
        "rayleigh": "kernelspec.distributions.gamma_family:Rayleigh",
        "rice": "kernelspec.distributions.ray_transforms:Rice",
        "shifted_poisson": "kernelspec.distributions.discrete:ShiftedPoisson",
        "student_t": "kernelspec.distributions.symmetric:StudentT",
        "uniform": "kernelspec.distributions.uniform:Uniform",
        "weibull": "kernelspec.distributions.gamma_family:Weibull",
    },
)

ACTIVATIONS = Catalogue(
    "activation",
    "kernelspec.activations.activation:Activation",
    ("formula", "reference"),
    {
        "abs": "kernelspec.activations.piecewise:Abs",
        "cos": "kernelspec.activations.analytic:Cos",
        "erf": "kernelspec.activations.piecewise:Erf",
        "exp": "kernelspec.activations.analytic:Exp",
        "gaussian": "kernelspec.activations.analytic:Gaussian",
        "gelu": "kernelspec.activations.analytic:Gelu",
        "hermite": "kernelspec.activations.series:Hermite",
        "identity": "kernelspec.activations.series:Identity",
        "leaky_relu": "kernelspec.activations.piecewise:LeakyRelu",
        "polynomial": "kernelspec.activations.series:Polynomial",
        "relu": "kernelspec.activations.piecewise:Relu",
        "sign": "kernelspec.activations.piecewise:Sign",
        "sin": "kernelspec.activations.analytic:Sin",
        "step": "kernelspec.activations.piecewise:Step",
    },
)

SAMPLERS = Catalogue("sampler", "kernelspec.laws.law:Law", ("words",), {})
"""Samplers from plug-ins; `laws/rules.py` has the built-in schemes."""

CATALOGUES = (KERNELS, DISTRIBUTIONS, ACTIVATIONS, SAMPLERS)
