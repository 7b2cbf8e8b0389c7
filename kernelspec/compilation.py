"""From a spec to a feature map: plan, then draw."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.elaboration.layout import layout_of
from kernelspec.errors import DataError, DimensionError
from kernelspec.former_arguments import accepts_former_arguments
from kernelspec.limits import MAX_FEATURES
from kernelspec.maps.draw import draw_map
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.planning.methods import Method
from kernelspec.planning.planner import make_plan
from kernelspec.planning.strata import terms_of
from kernelspec.planning.whole_number import whole_number
from kernelspec.published.published import Published
from kernelspec.spec import Spec, as_spec
from kernelspec.tables.column_types import ColumnTypes, Missing
from kernelspec.tables.layout import Layout, column_names
from kernelspec.tables.table_kinds import as_table

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns

__all__ = ["compile_spec", "schemes_offered"]


@accepts_former_arguments
def compile_spec(
    spec: Spec | str,
    dim: int | None = None,
    n_features: int = 1024,
    *,
    columns: Sequence[str] | None = None,
    data: Any = None,
    seed: int | None = 0,
    method: Method = "auto",
    buckets: int | None = 256,
    bits: int | None = None,
    published: Published | None = None,
    text: Sequence[str | int] = (),
    missing: Missing = "refuse",
    types: ColumnTypes | None = None,
) -> FeatureMap:
    """The feature map of a kernel with at most `n_features` stored entries a row: unbiased, of least variance.

    The columns are `columns`, else those of `data`, else the first `dim`, else the ones that the spec names. `data`
    lets the plan be chosen for these rows. `seed=None` takes one from the system and records it in the plan.
    Keys are hashed into `buckets` columns a sample with random signs, or their lowest `bits` b are 2ᵇ columns;
    `buckets=None` plans for columns that are learnt from data afterwards.
    `published` asks for an estimator as a paper has it, biased and labelled so.
    The map records the types of the columns of `data`, and refuses a table whose categories are of other types: `text`
    has the columns, by name or position, that hold text whatever they look like, and `types` those of another map's
    columns (`fmap.plan.layout.types`). `missing="category"` makes what is missing a category of its own in match().
    Raises SpecError (free parameters included), DataError, PlanError.
    """
    spec = as_spec(spec)
    published = published or Published()
    table = _columns(spec, dim, columns, data)
    n_features = whole_number("n_features", n_features, 1, MAX_FEATURES)
    seed = secrets.randbits(63) if seed is None else whole_number("seed", seed, 0)
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
        buckets=None if buckets is None else whole_number("buckets", buckets, 2),
        bits=None if bits is None else whole_number("bits", bits, 1),
        normalized=published.normalized,
        data=rows,
    )
    if published != Published():
        from kernelspec.published.published_plan import published_plan

        plan = published_plan(plan, published, rows)
    return draw_map(plan)


def schemes_offered(spec: Spec, layout: Layout) -> tuple[str, ...]:
    """The names of the other ways to sample some term of the kernel on these columns, each a `method`."""
    kernel = spec.kernel(spec.columns(None if layout.names is not None else layout.dim, layout.names))
    return tuple(dict.fromkeys(scheme for term in terms_of(kernel) for scheme in term.schemes))


def _columns(spec: Spec, dim: int | None, columns: Sequence[str] | None, data: Any) -> Columns:
    """Those that are named, else those of the data, else the first ones. Raises DimensionError, DataError."""
    names = columns if columns is not None else column_names(data) if data is not None else None
    if names is None and dim is None and data is not None:
        shape = np.shape(as_table(data))
        if len(shape) != 2:
            raise DataError(f"data must be a table of rows and columns, not of shape {shape}")
        dim = int(shape[1])
    table = spec.columns(dim, names)
    if table.count is None:
        raise DimensionError("how many columns do the data have? Give dim=, columns= or data=")
    return table
