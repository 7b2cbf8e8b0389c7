"""Kernels as text: their spectral measure, a proof of what they are, and the cheapest unbiased features for them.

>>> import kernelspec as ks
>>> print(ks.analyze("0.7*gaussian(scale=2) + 0.3*laplace()", dim=2).verdict.positive_definite)
proved
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.loading import load_from

if TYPE_CHECKING:
    from kernelspec.analysis.facts import analyze
    from kernelspec.catalogue import (
        PluginWarning,
        register_activation,
        register_distribution,
        register_kernel,
        register_sampler,
    )
    from kernelspec.compilation import compile_spec as compile
    from kernelspec.dead_kernels import DeadKernelWarning
    from kernelspec.errors import KernelspecError, PluginError
    from kernelspec.exchange.from_gpflow import from_gpflow
    from kernelspec.exchange.from_gpytorch import from_gpytorch
    from kernelspec.exchange.from_sklearn import from_sklearn
    from kernelspec.exchange.to_sklearn import to_sklearn
    from kernelspec.language.printer import format_text
    from kernelspec.maps.evaluation import RoundingWarning
    from kernelspec.maps.feature_map import load_map
    from kernelspec.maps.landmarks import KeptRowsWarning
    from kernelspec.models.features import KernelFeatures, UnmetKeysWarning
    from kernelspec.planning.request import Published
    from kernelspec.similarity import estimate_rbf
    from kernelspec.spec import Spec, load, parse
    from kernelspec.verification import verify

__all__ = [
    "DeadKernelWarning",
    "KeptRowsWarning",
    "KernelFeatures",
    "KernelspecError",
    "PluginError",
    "PluginWarning",
    "Published",
    "RoundingWarning",
    "Spec",
    "UnmetKeysWarning",
    "__version__",
    "analyze",
    "compile",
    "estimate_rbf",
    "format_text",
    "from_gpflow",
    "from_gpytorch",
    "from_sklearn",
    "load",
    "load_map",
    "parse",
    "register_activation",
    "register_distribution",
    "register_kernel",
    "register_sampler",
    "to_sklearn",
    "verify",
]

__version__ = "0.1.0"

_HOME = {
    "DeadKernelWarning": "kernelspec.dead_kernels:DeadKernelWarning",
    "KernelFeatures": "kernelspec.models.features:KernelFeatures",
    "KernelspecError": "kernelspec.errors:KernelspecError",
    "KeptRowsWarning": "kernelspec.maps.landmarks:KeptRowsWarning",
    "PluginError": "kernelspec.errors:PluginError",
    "PluginWarning": "kernelspec.catalogue:PluginWarning",
    "Published": "kernelspec.planning.request:Published",
    "RoundingWarning": "kernelspec.maps.evaluation:RoundingWarning",
    "Spec": "kernelspec.spec:Spec",
    "UnmetKeysWarning": "kernelspec.models.features:UnmetKeysWarning",
    "analyze": "kernelspec.analysis.facts:analyze",
    "compile": "kernelspec.compilation:compile_spec",
    "estimate_rbf": "kernelspec.similarity:estimate_rbf",
    "from_gpflow": "kernelspec.exchange.from_gpflow:from_gpflow",
    "from_gpytorch": "kernelspec.exchange.from_gpytorch:from_gpytorch",
    "from_sklearn": "kernelspec.exchange.from_sklearn:from_sklearn",
    "format_text": "kernelspec.language.printer:format_text",
    "load": "kernelspec.spec:load",
    "load_map": "kernelspec.maps.feature_map:load_map",
    "parse": "kernelspec.spec:parse",
    "register_activation": "kernelspec.catalogue:register_activation",
    "register_distribution": "kernelspec.catalogue:register_distribution",
    "register_kernel": "kernelspec.catalogue:register_kernel",
    "register_sampler": "kernelspec.catalogue:register_sampler",
    "to_sklearn": "kernelspec.exchange.to_sklearn:to_sklearn",
    "verify": "kernelspec.verification:verify",
}


def __getattr__(name: str) -> Any:
    # each part arrives with what it needs (scikit-learn, SymPy, SciPy) when it is first asked for
    if name not in _HOME:
        raise AttributeError(f"module 'kernelspec' has no attribute {name!r}")
    value = load_from(_HOME[name])
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
