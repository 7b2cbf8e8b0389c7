"""What names of the language mean: kernels, distributions and activations, built in or registered by plug-ins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kernelspec.errors import UnknownNameError
from kernelspec.loading import load_from

__all__ = ["ACTIVATIONS", "DISTRIBUTIONS", "KERNELS", "Catalogue"]


class Catalogue(Mapping[str, str]):
    """Name → "module:Class" of one kind of class, in alphabetical order."""

    def __init__(self, kind: str, homes: Mapping[str, str]) -> None:
        self.kind = kind
        self._homes = dict(homes)

    def __getitem__(self, name: str) -> str:
        return self._homes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._homes))

    def __len__(self) -> int:
        return len(self._homes)

    def load(self, name: str) -> Any:
        """The class of that name. Raises UnknownNameError."""
        if name not in self:
            raise UnknownNameError(f"there is no {self.kind} called {name!r}; there are {', '.join(self)}")
        return load_from(self._homes[name])


KERNELS = Catalogue(
    "kernel",
    {
        "binary": "kernelspec.kernels.leaves.inner_products:Binary",
        "bochner": "kernelspec.kernels.leaves.bochner:Bochner",
        "cauchy": "kernelspec.kernels.leaves.cauchy:Cauchy",
        "circle": "kernelspec.kernels.leaves.inner_products:Circle",
        "constant": "kernelspec.kernels.leaves.constant:Constant",
        "cosh_gaussian": "kernelspec.kernels.leaves.gaussian_directions:CoshGaussian",
        "cosine": "kernelspec.kernels.leaves.cosine:Cosine",
        "exponential": "kernelspec.kernels.leaves.exponential:Exponential",
        "gaussian": "kernelspec.kernels.leaves.gaussian:Gaussian",
        "laplace": "kernelspec.kernels.leaves.laplace:Laplace",
        "linear": "kernelspec.kernels.leaves.inner_products:Linear",
        "match": "kernelspec.kernels.leaves.comparisons:Match",
        "matern": "kernelspec.kernels.leaves.matern:Matern",
        "minmax": "kernelspec.kernels.leaves.comparisons:MinMax",
        "noise": "kernelspec.kernels.leaves.comparisons:Noise",
        "periodic": "kernelspec.kernels.leaves.periodic:Periodic",
        "polya": "kernelspec.kernels.leaves.polya:Polya",
        "powered_exponential": "kernelspec.kernels.leaves.powered_exponential:PoweredExponential",
        "rational_quadratic": "kernelspec.kernels.leaves.rational_quadratic:RationalQuadratic",
        "rbf_cosine": "kernelspec.kernels.leaves.inner_products:RbfCosine",
        "shift_gaussian": "kernelspec.kernels.leaves.gaussian_directions:ShiftGaussian",
        "sinc": "kernelspec.kernels.leaves.sinc:Sinc",
        "sinh_gaussian": "kernelspec.kernels.leaves.gaussian_directions:SinhGaussian",
        "sphere": "kernelspec.kernels.leaves.inner_products:Sphere",
        "triangle": "kernelspec.kernels.leaves.triangle:Triangle",
    },
)

DISTRIBUTIONS = Catalogue(
    "distribution",
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
        "inverse_gamma": "kernelspec.distributions.inverse_gamma:InverseGamma",
        "laplace": "kernelspec.distributions.symmetric:Laplace",
        "lognormal": "kernelspec.distributions.lognormal:LogNormal",
        "nakagami": "kernelspec.distributions.gamma_family:Nakagami",
        "pareto": "kernelspec.distributions.pareto:Pareto",
        "rayleigh": "kernelspec.distributions.gamma_family:Rayleigh",
        "rice": "kernelspec.distributions.rice:Rice",
        "shifted_poisson": "kernelspec.distributions.discrete:ShiftedPoisson",
        "student_t": "kernelspec.distributions.symmetric:StudentT",
        "uniform": "kernelspec.distributions.uniform:Uniform",
        "weibull": "kernelspec.distributions.gamma_family:Weibull",
    },
)

ACTIVATIONS = Catalogue(
    "activation",
    {
        "abs": "kernelspec.activations.rectifiers:Abs",
        "cos": "kernelspec.activations.analytic:Cos",
        "erf": "kernelspec.activations.steps:Erf",
        "exp": "kernelspec.activations.analytic:Exp",
        "gaussian": "kernelspec.activations.analytic:Gaussian",
        "gelu": "kernelspec.activations.gelu:Gelu",
        "hermite": "kernelspec.activations.polynomials:Hermite",
        "identity": "kernelspec.activations.polynomials:Identity",
        "leaky_relu": "kernelspec.activations.rectifiers:LeakyRelu",
        "polynomial": "kernelspec.activations.polynomials:Polynomial",
        "relu": "kernelspec.activations.rectifiers:Relu",
        "sign": "kernelspec.activations.steps:Sign",
        "sin": "kernelspec.activations.analytic:Sin",
        "step": "kernelspec.activations.steps:Step",
    },
)
