"""Maps of every family and way to sample, by name: what the files of every version of the format are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kernelspec as ks
from kernelspec.maps.feature_map import FeatureMap

__all__ = ["CASES", "CASES_OF", "Case", "rows_of"]

_N_ROWS = 6


@dataclass(frozen=True)
class Case:
    """A kernel with the options of `ks.compile`; `rows` names the kind of rows it takes.

    With `plan_on_rows` the plan is made for the rows, with `learn` their keys get columns.
    """

    text: str
    rows: str = "numbers"
    options: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, float] = field(default_factory=dict)
    plan_on_rows: bool = False
    learn: bool = False

    def compiled(self) -> FeatureMap:
        """The map."""
        X = rows_of(self.rows)
        options = {"dim": X.shape[1], "n_features": 8, "seed": 7} | dict(self.options)
        if "columns" in options:
            del options["dim"]
        if self.plan_on_rows:
            options["data"] = X
        feature_map = ks.compile(ks.parse(self.text, self.params), **options)
        return feature_map.with_columns(X) if self.learn else feature_map


def rows_of(kind: str) -> NDArray[Any]:
    """A few rows, (6, columns), or 40 of them: numbers, or objects where there is text."""
    return _ROWS[kind].copy()


def _rows() -> dict[str, NDArray[Any]]:
    generator = np.random.default_rng(1)
    numbers = generator.standard_normal((_N_ROWS, 3)).round(4)
    numbers[1, 1] = 0.0
    codes = np.array([0.0, 1.0, 2.0, 1.0, 0.0, 2.0])
    words = np.array(["north", "south", "é", "south", "north", ""], dtype=object)
    wide = generator.standard_normal((_N_ROWS, 5)).round(4)
    return {
        "numbers": numbers,
        "one": numbers[:, :1],
        "coded": np.column_stack([numbers[:, :2], codes]),
        "words": np.column_stack([numbers[:, :2].astype(object), words]),
        "all codes": np.column_stack([codes, codes[::-1], np.roll(codes, 1), 1 - codes]),
        "signs": np.where(generator.random((_N_ROWS, 4)) < 0.5, -1.0, 1.0),
        "unit": wide / np.linalg.norm(wide, axis=1, keepdims=True),
        "angles": generator.uniform(-3, 3, (_N_ROWS, 8)).round(4),
        "counts": generator.poisson(1.0, (_N_ROWS, 5)).astype(float),
        "signed counts": (generator.poisson(1.5, (_N_ROWS, 5)) - 1.0),
        "many": generator.standard_normal((40, 3)).round(4),
        "wide": generator.standard_normal((_N_ROWS, 66)).round(4),
    }


_ROWS = _rows()

_SKELETON = "full({top}, input=conv({low}, size=2, stride=1, input=image(2, 2, {channels}, base={base})))"


def _skeleton(base: str, channels: int = 2, low: str = "relu", top: str = "relu") -> str:
    return _SKELETON.format(base=base, channels=channels, low=low, top=top)


def _forms() -> dict[str, Case]:
    """How complex amplitudes and keys become columns."""
    both = "0.7 * gaussian(scale=2) + 0.3 * laplace()[0] * match()[2]"
    found = {name: Case("gaussian(scale=1.5)", options={"method": name}) for name in ("paired", "phase", "complex")}
    found |= {f"both_{name}": Case(both, "coded", {"method": name}) for name in ("paired", "phase", "complex")}
    keys = "laplace(scale=2)"
    return found | {
        "mixture": Case("gaussian() + laplace() + cauchy()", options={"n_features": 4, "method": "paired"}),
        "strata": Case("gaussian() + 0.5*laplace() + cauchy()[1]", options={"n_features": 12, "method": "paired"}),
        "signed": Case("gaussian() - 0.5*laplace() + 0.25*match()[2]", "coded", {"n_features": 12}),
        "zero": Case("gaussian() - gaussian()"),
        "normalized_phase": Case("2*gaussian()", options={"method": "phase", "normalized": True}),
        "binning_buckets": Case(keys, options={"method": "binning", "buckets": 4}),
        "binning_bits": Case(keys, options={"method": "binning", "bits": 2}),
        "binning_exact": Case(keys, options={"method": "binning", "buckets": None}, learn=True),
        "binning_learnt": Case(keys, options={"method": "binning", "buckets": 4}, learn=True),
        "binning_phasors": Case("triangle(4)[0] * gaussian()[1, 2]", options={"method": "binning", "buckets": 3}),
        "learnt_phasors": Case("gaussian()[0:2] * match()[2]", "coded", {"buckets": None}, learn=True),
        "planned_on_rows": Case(
            "laplace() + match()[2] * triangle(3)[1] + cauchy()",
            "coded",
            {"n_features": 12, "buckets": 3},
            plan_on_rows=True,
        ),
        "large_seed": Case("gaussian()", options={"seed": 2**63}),
    }


def _keys() -> dict[str, Case]:
    """Kernels of keys."""
    minmax = {
        f"minmax_{method}{'_zero_bit' * zero_bit}": Case(
            "minmax()", "counts", {"method": method, "zero_bit": zero_bit, "buckets": 4}
        )
        for method in ("gcws", "poisson")
        for zero_bit in (False, True)
    }
    return minmax | {
        "minmax_signed": Case("minmax()", "signed counts", {"bits": 3}),
        "minmax_selected": Case("minmax()[1, 2, 4]", "counts", {"buckets": 4}),
        "minmax_learnt": Case("minmax()", "counts", {"method": "gcws"}, learn=True),
        "match_codes": Case("match()[2]", "coded", {"buckets": 4}),
        "match_words": Case("gaussian()[0, 1] * match()[2] + 0.5*match()[2]", "words", {"buckets": 3}),
        "match_phases": Case("match()[2]", "words", {"method": "category_phases"}),
        "match_squared": Case("gaussian()[0] * match()[2] ** 2", "coded", {"buckets": 3}),
        "keys_and_phasors": Case("match()[2] * gaussian()[0] * minmax()[0, 1]", "coded", {"buckets": 3}),
        "stretched_keys": Case("stretch(laplace(), [2, 3, 4])", options={"method": "binning", "buckets": 3}),
        "matrix_keys": Case(
            "stretch(laplace() * triangle(3), [[2, 1, 0], [0, 1, 0.5], [1, 0, 3]])",
            options={"method": "binning", "buckets": 3},
        ),
        "scaled_keys": Case("stretch(laplace() - 0.5*triangle(), 2)", options={"method": "binning", "buckets": 3}),
        "shifted_keys": Case("shift(laplace(), by=[0.5, 0, -1])", options={"method": "binning", "buckets": 3}),
        "power_of_keys": Case("laplace() ** 3", options={"method": "binning", "buckets": 3}),
        "dual_of_keys": Case("dual(exp, match()[2])", "coded", {"buckets": 3}),
        "dual_of_binning": Case("dual(relu, laplace())", options={"method": "binning", "buckets": 3}),
        "dual_of_minmax": Case("dual(relu, minmax())", "counts", {"buckets": 3}),
    }


def _transforms() -> dict[str, Case]:
    """Changes of the lag, growth, complex measures."""
    found = {
        f"{name}_{method}": Case(
            f"{name}(scale=1.5, by=[0.6, 0.3, -0.2])", options={"n_features": 12, "method": method}
        )
        for name, methods in {
            "shift_gaussian": ("jordan", "polar"),
            "sinh_gaussian": ("jordan", "polar", "rejection", "rows", "shifts"),
            "cosh_gaussian": ("jordan", "rejection", "rows"),
        }.items()
        for method in methods
    }
    return found | {
        "stretch": Case("stretch(gaussian(), 2)"),
        "stretch_columns": Case("stretch(matern(nu=3/2), [1, 2, 3])"),
        "stretch_matrix": Case("stretch(gaussian(), [[1, 0.5, 0], [0, 1, 0]])"),
        "stretch_difference": Case("stretch(gaussian() * (laplace() - 0.25*cauchy()), [1, 2, 3])"),
        "shift": Case("shift(laplace(), by=0.5)"),
        "shift_growth": Case("shift(tilt(gaussian(), by=[0.2, 0.1, 0]), by=[0.5, 0, 1])"),
        "tilt": Case("tilt(laplace(), by=[0.3, 0, -0.2])"),
        "tilt_product": Case("tilt(laplace()[0, 1], by=0.1) * match()[2]", "coded", {"buckets": 3}),
        "modulate": Case("modulate(gaussian(), by=[1, 2, 0])"),
        "tilt_columns": Case("tilt(gaussian()[0, 2], by=[0.3, 0, 0.1]) * laplace()"),
        "product": Case("gaussian() * laplace() * cosine(2)"),
        "product_of_columns": Case("gaussian()[0] * laplace()[1, 2]"),
        "power": Case("(0.5*gaussian() + 0.5*cauchy()) ** 3"),
        "mean": Case("mean(gaussian(), laplace()[0], gaussian()[1, 2])", options={"n_features": 12}),
        "normalize": Case("normalize(linear())", options={"n_features": 6}),
        "unit_rows": Case("normalize(linear()) * rbf_cosine(gamma=2)"),
        "rejection": Case(
            "shift_gaussian(scale=0.5, by=[0.6, 0.3, -0.2])", options={"method": "rejection", "n_features": 12}
        ),
        "estimated_masses": Case(
            "shift_gaussian(scale=1.5, by=[0.6, 0.3, -0.2])",
            options={
                "method": "jordan",
                "published": ks.Published(masses="estimated", n_rows_for_masses=5),
                "n_features": 12,
            },
            plan_on_rows=True,
        ),
    }


def _networks() -> dict[str, Case]:
    """Duals, layers, neurons, skeletons, and the spaces they stand on."""
    bases = {
        "circle": Case(_skeleton("circle()"), "angles"),
        "binary": Case(_skeleton("binary()", channels=1), "signs"),
        "gaussian": Case(_skeleton("gaussian(scale=2)"), "angles"),
        "match": Case(_skeleton("match()", channels=1), "all codes", {"buckets": 3}),
        "match_phases": Case(_skeleton("match()", channels=1), "all codes", {"method": "category_phases"}),
        "laplace_binning": Case(_skeleton("laplace()"), "angles", {"method": "binning", "buckets": 3}),
        "minmax": Case(_skeleton("minmax()"), "angles", {"buckets": 3}),
        "sum": Case(_skeleton("(0.5*circle() + 0.5*gaussian())"), "angles"),
        "product": Case(_skeleton("match() * gaussian()", channels=1), "all codes", {"buckets": 3}),
        "directions": Case(_skeleton("normalize(linear())", channels=1), "signs"),
        "varying": Case(_skeleton("circle()"), "angles", {"method": "varying"}),
        "conv_exp": Case(_skeleton("circle()", low="exp(c=1/4)"), "angles"),
        "match_power": Case(_skeleton("(match() ** 2)", channels=1), "all codes", {"buckets": 3}),
    }
    found = {f"skeleton_{name}": case for name, case in bases.items()}
    found["skeleton_graph"] = Case(
        "let grid = image(2, 2, 2, base=circle())\n"
        "let first = conv(relu, size=1, stride=1, input=grid)\n"
        "let second = conv(exp(c=1/4), size=2, stride=1, padding=same, input=first)\n"
        "full(relu, input=mean(first, second))",
        "angles",
    )
    activations = {
        "abs": "abs",
        "cos": "cos(2)",
        "erf": "erf",
        "exp": "exp(c=0.5)",
        "gaussian": "gaussian(a=1)",
        "gelu": "gelu",
        "hermite": "hermite(2)",
        "identity": "identity",
        "leaky_relu": "leaky_relu(0.2)",
        "polynomial": "polynomial([1, 0.5, -0.25])",
        "relu": "relu",
        "sign": "sign",
        "sin": "sin(1.5)",
        "step": "step",
        "written": "activation(x -> log(1 + exp(2*x)))",
    }
    for name, written in activations.items():
        found[f"neurons_{name}"] = Case(f"dual({written}, sphere())", "unit", {"method": "neurons"})
    for name in ("relu", "exp(0.5)", "activation(x -> max(0, x)**2)"):
        label = name.split("(", maxsplit=1)[0].replace("activation", "written")
        found[f"dual_{label}"] = Case(f"dual({name}, gaussian())")
    return found | {
        "dual_cut": Case("dual(relu, gaussian(), max_degree=3)"),
        "dual_varying": Case("dual(relu, gaussian()) + 0.5*gaussian()", options={"method": "varying"}),
        "dual_sphere": Case("dual(hermite(2), sphere())", "unit"),
        "dual_binary": Case("dual(relu, binary()[1])", "signs"),
        "dual_linear": Case("dual(relu, normalize(linear()))"),
        "layer": Case("layer(relu, circle()[0], circle()[1], gaussian(scale=2)[2, 3])", "angles"),
        "layers": Case("dual(relu, layer(exp, circle()[0], binary()[1]))", "signs"),
        "neurons_linear": Case("dual(relu, normalize(linear())) * gaussian()", options={"method": "neurons"}),
        "circle": Case("circle()[0]", "angles"),
        "binary": Case("binary()[2]", "signs"),
        "linear": Case("linear()", options={"method": "paired"}),
        "linear_exact": Case("linear() + gaussian()", options={"method": "exact"}),
        "linear_pairs": Case("linear() * gaussian()"),
        "linear_powers": Case("linear() ** 2"),
        "linear_keys": Case("linear()[0, 1] * match()[2]", "coded", {"buckets": 3}),
        "sphere": Case("sphere()", "unit"),
        "sphere_exact": Case("2*sphere()", "unit", {"method": "exact"}),
    }


def _laws() -> dict[str, Case]:
    """Every kernel of the catalogue and every distribution that no case above has."""
    kernels = {
        "cauchy": "cauchy(2)",
        "cosine": "cosine([1, 0, 2])",
        "exponential": "exponential(2)",
        "laplace": "laplace(0.5)",
        "matern": "matern(nu=3/2, scale=2)",
        "matern_symbol": "matern(nu=1.3)",
        "periodic": "periodic(period=2, scale=1.5)",
        "powered_exponential": "powered_exponential(alpha=1.5)",
        "rational_quadratic": "rational_quadratic(alpha=2)",
        "rbf_cosine": "rbf_cosine(gamma=1.5)",
        "sinc": "sinc(2)",
        "triangle": "triangle(3)",
        "written_product": "product(t -> max(0, 1 - t/3))",
        "written_smooth": "product(t -> exp(-t*2))",
    }
    positive = {
        "chi": "chi(3)",
        "chi_square": "chi_square(4)",
        "discrete": "discrete([1, 2], [0.25, 0.75])",
        "erlang": "erlang(2)",
        "exponential": "exponential()",
        "gamma": "gamma(shape=2)",
        "half_normal": "half_normal()",
        "inverse_gamma": "inverse_gamma(shape=3)",
        "lognormal": "lognormal()",
        "nakagami": "nakagami(2)",
        "pareto": "pareto(3)",
        "rayleigh": "rayleigh()",
        "rice": "rice(1)",
        "shifted_poisson": "shifted_poisson(2)",
        "uniform": "uniform(1, 2)",
        "weibull": "weibull(1.5)",
    }
    spectral = ("cauchy()", "gaussian(scale=2)", "laplace()", "student_t(dof=3)", "uniform(-1, 1)")
    found = {f"kernel_{name}": Case(text, options={"n_features": 6}) for name, text in kernels.items()}
    for name, text in positive.items():
        options = {"n_features": 4, "method": "binning", "buckets": 3}
        found[f"polya_{name}"] = Case(f"polya({text}, area=3)[0, 1]", options=options)
        found[f"polya_{name}_frequencies"] = Case(f"polya({text})[1]", options={"n_features": 4, "method": "paired"})
    found["polya_written"] = Case("product(t -> exp(-t))", options={"n_features": 4, "method": "binning", "buckets": 3})
    for text in spectral:
        name = text.split("(", maxsplit=1)[0]
        found[f"bochner_{name}"] = Case(f"bochner({text})", options={"n_features": 6})
        found[f"bochner_{name}_isotropic"] = Case(f"bochner({text}, isotropic=true)", options={"n_features": 6})
    return found


def _tables() -> dict[str, Case]:
    """Names of columns, and values of parameters."""
    named = 'gaussian(scale=s)[age, "in come"] * match()[land] ** 2 + t*laplace(t)[age]'
    return {
        "names_and_params": Case(
            f"param s > 0\nparam t = 1/3\n{named}",
            "words",
            {"columns": ("age", "in come", "land"), "buckets": 3},
            {"s": 0.1},
        ),
        "params": Case("param s = 2\nlet k = gaussian(scale=s)\nk * k + s*laplace(s/3)", params={"s": 1.25}),
        "slices": Case("gaussian()[0:2] + laplace()[-1]"),
        "unused_columns": Case("gaussian()[1]", "words"),
    }


_LANDMARKS_AND_OTHERS: Mapping[str, Case] = {
    "anchored": Case("gaussian(scale=2)[0:2]", "many", {"method": "landmarks", "n_features": 12}, plan_on_rows=True),
    "atoms": Case("periodic(period=1, scale=1/4)[0] + 0.5*cosine(by=2)[1] ** 3", options={"n_features": 24}),
    "dictionary": Case("match()[2]", "words", {"keys": "exact"}, plan_on_rows=True),
    "dictionary beside frequencies": Case(
        "gaussian()[0:2] * match()[2]", "words", {"n_features": 16}, plan_on_rows=True
    ),
    "keys as arrays": Case(
        "match()[2] + gaussian()[0:2]", "coded", {"storage": "dense", "n_features": 24}, plan_on_rows=True
    ),
    "dual of low degrees": Case("dual(exp(0.5), linear()) + 0.5*gaussian()", options={"method": "low_degrees"}),
    "curved neurons": Case("dual(erf(1), sphere())", "unit", {"method": "curved_neurons"}),
    "formula of the distance": Case("radial(r -> max(0, 1 - r/4)**4*(r + 1))", options={"n_features": 12}),
    "formula of the distance that is signed": Case(
        "radial(r -> exp(-r**2/2)*(1 - r**2))[0:2]", options={"n_features": 12}
    ),
    "orthogonal draws": Case("gaussian(scale=1.5)", options={"draws": "orthogonal", "n_features": 12}),
    "structured draws": Case(
        "gaussian(scale=8) + stretch(matern(nu=3/2, scale=4), 2)[1:66] + 0.5*laplace(scale=3)[0:3]",
        "wide",
        {"draws": "hadamard", "n_features": 160},
    ),
    "sobol draws": Case("matern(nu=3/2)", options={"draws": "sobol", "n_features": 12}),
    "types of columns": Case(
        "match()[2] * laplace()[0:2]", "words", {"missing": "category", "text": [2]}, plan_on_rows=True
    ),
}
"""Landmarks, exact atoms, radial(), linear parts of duals, dictionaries of keys, joint draws, types of columns."""

CASES: Mapping[str, Case] = MappingProxyType(
    {**_forms(), **_keys(), **_transforms(), **_networks(), **_laws(), **_tables(), **_LANDMARKS_AND_OTHERS}
)

CASES_OF: Mapping[str, Mapping[str, Case]] = MappingProxyType({"0.2": CASES})
"""The cases of which a version has files."""
