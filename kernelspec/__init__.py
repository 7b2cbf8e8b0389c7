"""Kernels as text: their spectral measure, a proof of what they are, and the cheapest unbiased features for them.

>>> import kernelspec as ks
>>> print(ks.analyze("0.7*gaussian(scale=2) + 0.3*laplace()", dim=2).verdict.positive_definite)
proved
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.errors import (
    ArgumentError,
    CellTypeError,
    ClusterError,
    ColumnError,
    DataError,
    DimensionError,
    FileError,
    KernelspecError,
    MissingPackageError,
    NoCounterpartError,
    NoDensityError,
    NoRowsError,
    NotAvailableYet,
    NotFiniteError,
    NotStationaryError,
    ParameterError,
    PlanError,
    PluginError,
    RangeError,
    SpecError,
    SpecSyntaxError,
    TypeMismatchError,
    UnknownArgumentError,
    UnknownNameError,
)
from kernelspec.loading import load_from

if TYPE_CHECKING:
    from kernelspec.analysis.bounds import Bound, SimulatedError
    from kernelspec.analysis.facts import Facts, analyze
    from kernelspec.catalogue import (
        PluginWarning,
        register_activation,
        register_distribution,
        register_kernel,
        register_sampler,
    )
    from kernelspec.compilation import DeadKernelWarning
    from kernelspec.compilation import compile_spec as compile
    from kernelspec.exchange.from_libraries import from_celerite2, from_gpflow, from_gpytorch, from_sklearn
    from kernelspec.exchange.to_libraries import to_celerite2, to_gpflow, to_gpytorch
    from kernelspec.exchange.to_sklearn import SpecKernel, to_sklearn
    from kernelspec.kernels.atoms import Atoms
    from kernelspec.kernels.kernel import Verdict
    from kernelspec.language.printer import format_text
    from kernelspec.maps.analyze import Analysis, AnalyzedNode
    from kernelspec.maps.description import MapDescription
    from kernelspec.maps.evaluation import RoundingWarning
    from kernelspec.maps.feature_map import FeatureMap, load_map
    from kernelspec.maps.landmarks import KeptRowsWarning
    from kernelspec.measures.masses import Masses
    from kernelspec.measures.processes import MeanEmbedding, Paths
    from kernelspec.measures.realization import StateSpace
    from kernelspec.measures.state_space import ExactStateSpace
    from kernelspec.models.classifier import KernelClassifier
    from kernelspec.models.features import KernelFeatures, UnmetKeysWarning
    from kernelspec.models.regressor import KernelRegressor
    from kernelspec.models.ridge import RidgeModel
    from kernelspec.models.saved import ModelDescription, load_model
    from kernelspec.models.state import Discrepancy, PrincipalComponents, State, load_state
    from kernelspec.models.suggestion import suggest
    from kernelspec.models.tuning import Tuned, tune
    from kernelspec.planning.plan import Plan
    from kernelspec.planning.request import Published
    from kernelspec.published import estimate_rbf
    from kernelspec.spec import HiddenNameWarning, Spec, load, parse
    from kernelspec.tables.files import TableBlocks, read_blocks
    from kernelspec.verification import verify
    from kernelspec.verification.certificate import Certificate

__all__ = [
    "Analysis",
    "AnalyzedNode",
    "ArgumentError",
    "Atoms",
    "Bound",
    "CellTypeError",
    "Certificate",
    "ClusterError",
    "ColumnError",
    "DataError",
    "DeadKernelWarning",
    "DimensionError",
    "Discrepancy",
    "ExactStateSpace",
    "Facts",
    "FeatureMap",
    "FileError",
    "HiddenNameWarning",
    "KeptRowsWarning",
    "KernelClassifier",
    "KernelFeatures",
    "KernelRegressor",
    "KernelspecError",
    "MapDescription",
    "Masses",
    "MeanEmbedding",
    "MissingPackageError",
    "ModelDescription",
    "NoCounterpartError",
    "NoDensityError",
    "NoRowsError",
    "NotAvailableYet",
    "NotFiniteError",
    "NotStationaryError",
    "ParameterError",
    "Paths",
    "Plan",
    "PlanError",
    "PluginError",
    "PluginWarning",
    "PrincipalComponents",
    "Published",
    "RangeError",
    "RidgeModel",
    "RoundingWarning",
    "SimulatedError",
    "Spec",
    "SpecError",
    "SpecKernel",
    "SpecSyntaxError",
    "State",
    "StateSpace",
    "TableBlocks",
    "Tuned",
    "TypeMismatchError",
    "UnknownArgumentError",
    "UnknownNameError",
    "UnmetKeysWarning",
    "Verdict",
    "__version__",
    "analyze",
    "compile",
    "estimate_rbf",
    "format_text",
    "from_celerite2",
    "from_gpflow",
    "from_gpytorch",
    "from_sklearn",
    "load",
    "load_map",
    "load_model",
    "load_state",
    "parse",
    "read_blocks",
    "register_activation",
    "register_distribution",
    "register_kernel",
    "register_sampler",
    "suggest",
    "to_celerite2",
    "to_gpflow",
    "to_gpytorch",
    "to_sklearn",
    "tune",
    "verify",
]

__version__ = "0.1.0"

_NAMES = {
    "analysis.bounds": "Bound SimulatedError",
    "analysis.facts": "Facts analyze",
    "catalogue": "PluginWarning register_activation register_distribution register_kernel register_sampler",
    "compilation": "DeadKernelWarning",
    "exchange.from_libraries": "from_celerite2 from_gpflow from_gpytorch from_sklearn",
    "exchange.to_libraries": "to_celerite2 to_gpflow to_gpytorch",
    "exchange.to_sklearn": "SpecKernel to_sklearn",
    "kernels.atoms": "Atoms",
    "kernels.kernel": "Verdict",
    "language.printer": "format_text",
    "maps.analyze": "Analysis AnalyzedNode",
    "maps.description": "MapDescription",
    "maps.evaluation": "RoundingWarning",
    "maps.feature_map": "FeatureMap load_map",
    "maps.landmarks": "KeptRowsWarning",
    "measures.masses": "Masses",
    "measures.processes": "MeanEmbedding Paths",
    "measures.realization": "StateSpace",
    "measures.state_space": "ExactStateSpace",
    "models.classifier": "KernelClassifier",
    "models.features": "KernelFeatures UnmetKeysWarning",
    "models.regressor": "KernelRegressor",
    "models.ridge": "RidgeModel",
    "models.saved": "ModelDescription load_model",
    "models.state": "Discrepancy PrincipalComponents State load_state",
    "models.suggestion": "suggest",
    "models.tuning": "Tuned tune",
    "planning.plan": "Plan",
    "planning.request": "Published",
    "published": "estimate_rbf",
    "spec": "HiddenNameWarning Spec load parse",
    "tables.files": "TableBlocks read_blocks",
    "verification": "verify",
    "verification.certificate": "Certificate",
}
"""Module → its public names."""

_HOME = {name: f"kernelspec.{module}:{name}" for module, names in _NAMES.items() for name in names.split()}
_HOME["compile"] = "kernelspec.compilation:compile_spec"


def __getattr__(name: str) -> Any:
    # import each part on first use, since it needs scikit-learn, SymPy or SciPy
    if name not in _HOME:
        raise AttributeError(f"module 'kernelspec' has no attribute {name!r}")
    value = load_from(_HOME[name])
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
