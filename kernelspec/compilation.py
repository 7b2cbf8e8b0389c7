"""From a spec to a feature map: plan, then draw."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from operator import index
from typing import Any, Literal

import numpy as np

from kernelspec.elaboration.layout import layout_of
from kernelspec.errors import DataError, DimensionError, PlanError
from kernelspec.limits import MAX_FEATURES
from kernelspec.maps.draw import draw_map
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.planning.methods import Method
from kernelspec.planning.planner import make_plan
from kernelspec.planning.reference import reference_pairs
from kernelspec.planning.strata import terms_of
from kernelspec.spec import Spec, as_spec
from kernelspec.tables.column_types import ColumnTypes, Missing
from kernelspec.tables.layout import Layout, column_names
from kernelspec.tables.table_kinds import as_table

__all__ = ["compile_spec", "schemes_offered"]


def compile_spec(
    spec: Spec | str,
    dim: int | None = None,
    n_features: int = 1024,
    seed: int | None = 0,
    *,
    method: Method = "auto",
    columns: Sequence[str] | None = None,
    buckets: int | None = 256,
    bits: int | None = None,
    normalized: bool = False,
    zero_bit: bool = False,
    masses: Literal["exact", "estimated"] = "exact",
    n_rows_for_masses: int = 50,
    sampler: Literal["arcs", "rejection"] = "arcs",
    data: Any = None,
    text: Sequence[str | int] = (),
    missing: Missing = "refuse",
    types: ColumnTypes | None = None,
) -> FeatureMap:
    """The feature map of a kernel with at most `n_features` stored entries a row: unbiased, of least variance.

    The columns are `columns`, else those of `data`, else the first `dim`, else the ones that the spec names. `data`
    lets the plan be chosen for these rows. `seed=None` takes one from the system and records it in the plan.
    Keys are hashed into `buckets` columns a sample with random signs, or their lowest `bits` b are 2ᵇ columns;
    `buckets=None` plans for columns that are learnt from data afterwards.
    `normalized=True` divides every row of features with random offsets by its norm: biased, and labelled so.
    `zero_bit=True` keeps the coordinate i* of minmax()'s keys alone: biased upwards, and labelled with the amount.
    `masses="estimated"` fits the weights of the parts of method='jordan' to the kernel matrix of `n_rows_for_masses`
    rows of `data`, as published, instead of the exact masses: not exactly unbiased, and labelled so. With
    `sampler="rejection"` those parts are drawn by rejection from a Gaussian, as published (method='rejection' is the
    same), instead of along arcs; a part that would take too many proposals is refused.
    The map records the types of the columns of `data`, and refuses a table whose categories are of other types: `text`
    has the columns, by name or position, that hold text whatever they look like, and `types` those of another map's
    columns (`fmap.plan.layout.types`). `missing="category"` makes what is missing a category of its own in match().
    Raises SpecError (free parameters included), DataError, PlanError.
    """
    spec = as_spec(spec)
    names = columns if columns is not None else column_names(data) if data is not None else None
    if names is None and dim is None and data is not None:
        dim = _width(data)
    table = spec.columns(dim, names)
    if table.count is None:
        raise DimensionError("how many columns do the data have? Give dim=, columns= or data=")
    if sampler not in ("arcs", "rejection"):
        raise PlanError(f"sampler must be 'arcs' or 'rejection', not {sampler!r}")
    if sampler == "rejection":
        if method not in ("auto", "jordan", "rejection"):
            raise PlanError(f"sampler='rejection' draws the parts of method='jordan', not of method={method!r}")
        method = "rejection"
    n_features = _whole("n_features", n_features, 1, MAX_FEATURES)
    seed = secrets.randbits(63) if seed is None else _whole("seed", seed, 0)
    kernel = spec.kernel(table)
    layout = replace(layout_of(kernel, table), types=types).pinned(text, missing if types is None else types.missing)
    rows = None
    if data is not None:
        layout = layout.recorded(data)
        rows = layout.read(data)
    plan = make_plan(
        str(spec),
        spec.values,
        kernel,
        layout,
        n_features=n_features,
        seed=seed,
        method=method,
        buckets=None if buckets is None else _whole("buckets", buckets, 2),
        bits=None if bits is None else _whole("bits", bits, 1),
        normalized=normalized,
        zero_bit=zero_bit,
        data=rows,
    )
    if zero_bit:
        from kernelspec.published.zero_bit import measured_bias

        pairs, _ = reference_pairs(layout, None if data is None else layout.read(data))
        plan = replace(plan, bias=measured_bias(plan, pairs))
    if masses not in ("exact", "estimated"):
        raise PlanError(f"masses must be 'exact' or 'estimated', not {masses!r}")
    if masses == "estimated":
        from kernelspec.published.fitted_masses import estimate_masses

        if rows is None:
            raise PlanError("masses='estimated' fits weights to rows of the data: give data=")
        plan = estimate_masses(plan, rows, _whole("n_rows_for_masses", n_rows_for_masses, 2))
    return draw_map(plan)


def schemes_offered(spec: Spec, layout: Layout) -> tuple[str, ...]:
    """The names of the other ways to sample some term of the kernel on these columns, each a `method`."""
    kernel = spec.kernel(spec.columns(None if layout.names is not None else layout.dim, layout.names))
    return tuple(dict.fromkeys(scheme for term in terms_of(kernel) for scheme in term.schemes))


def _whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    try:
        number = index(value)
    except TypeError:
        raise PlanError(f"{name} must be a whole number, not {value!r}") from None
    if number < least:
        raise PlanError(f"{name} must be at least {least}, not {number}")
    if most is not None and number > most:
        raise PlanError(f"{name} must be at most {most:,}, not {number:,}")
    return number


def _width(data: Any) -> int:
    shape = np.shape(as_table(data))
    if len(shape) != 2:
        raise DataError(f"data must be a table of rows and columns, not of shape {shape}")
    return int(shape[1])
