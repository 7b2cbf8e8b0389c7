"""From a spec to a feature map: plan, then draw; and warnings about degenerate kernels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kernelspec.catalogue import FaultsNamed
from kernelspec.elaboration.data_columns import fitted_to_table, on_table
from kernelspec.elaboration.medians import median_value
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import DataError, DimensionError, KernelspecError, PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.limits import MAX_FEATURES_FOR_ERROR
from kernelspec.loading import caller_level, suggests_arguments
from kernelspec.maps.feature_map import FeatureMap, draw_map
from kernelspec.planning.options import (
    ALSO_CALLED,
    DEFAULTS,
    Budget,
    Draws,
    Keys,
    Landmarks,
    MapOptions,
    Method,
    Storage,
    columns_of_a_key,
)
from kernelspec.planning.plan import Plan
from kernelspec.planning.planner import Planner
from kernelspec.planning.request import PlanRequest, Published, SeenData
from kernelspec.planning.strata import Categories, categories_met, compared_in, terms_of
from kernelspec.planning.target import Target, budget_or_target, plan_for
from kernelspec.spec import Spec, as_spec
from kernelspec.tables.column_types import ColumnTypes, Missing
from kernelspec.tables.layout import Layout, column_names
from kernelspec.tables.rows import Rows
from kernelspec.tables.schema import text_columns
from kernelspec.tables.table_kinds import as_table, width_of

__all__ = [
    "DeadKernelWarning",
    "compile_spec",
    "map_with",
    "said_of_dead_kernel",
    "schemes_offered",
]


@suggests_arguments(ALSO_CALLED)
@FaultsNamed()
def compile_spec(
    spec: Spec | str,
    dim: int | None = None,
    n_features: Budget = 1024,
    *,
    columns: Sequence[str] | Columns | None = None,
    data: Any = None,
    error: float | None = None,
    pointwise: float | None = None,
    confidence: float = 0.99,
    seed: int | None = 0,
    method: Method = "auto",
    draws: Draws = "auto",
    landmarks: Landmarks = "auto",
    keys: Keys = "auto",
    buckets: int = 256,
    bits: int = 8,
    storage: Storage = "auto",
    plan: Plan | None = None,
    published: Published | None = None,
    text: Sequence[str | int] = (),
    missing: Missing = "refuse",
    types: ColumnTypes | None = None,
) -> FeatureMap:
    """Make the feature map of a kernel with at most `n_features` nonzeros per row: unbiased, with the least error.

    The columns are `columns`, else those of `data`, else the first `dim`, else the ones that the spec names. If the
    spec selects by name, the map reads data frames by name, and arrays only if `columns` lists their columns.

    With `data`, the plan is optimised for these rows: it uses coupled samples if they help (`draws`), and landmarks,
    which are rows of the data that the map keeps (`landmarks="never"` forbids them). `method` names a form, a scheme or
    "landmarks"; "nystrom" is landmarks alone, biased, with a bound (`FeatureMap.residual`). `seed=None` takes a seed
    from the system and records it in the plan.

    `n_features="auto"` uses the fewest features for an error on rows like `data`: the smallest budget found whose plan
    predicts at most `error`, √E‖K̂ − K‖²_F / ‖K‖_F; or at most `pointwise`, such that |k̂(x, y) − k(x, y)| ≤
    `pointwise` with probability `confidence` for each single pair of 200 of the rows (not for all at once), by the
    predicted variance and Bernstein's inequality if samples are independent and bounded, else Chebyshev's. The largest
    budget tried is 65,536.

    `keys` says how hash keys become columns. "auto": with data, each category that match() compares has a column (a
    block of columns in a product with a sampled kernel, if that needs no more columns than hashing), and all other keys
    are hashed; without data, all are. "hashed": into `buckets` columns per sample, with random signs. "bits": the
    lowest `bits` b give 2ᵇ columns. "exact": every key in the data has a column; without data, learn columns later
    (`FeatureMap.with_columns`). Unknown keys share a few columns with random signs. All of these are unbiased.

    Features are CSR if keys are compared, else arrays; `storage="dense"` or "sparse" overrides this. Stored zeros count
    too: `n_features` then bounds the columns of arrays with keys, unless `keys="exact"` learns them. Spec, data, seed
    and budget give the same plan on every machine. `published` selects a biased estimator from a paper, and labels it.

    With the `plan` of another map (`fmap.plan`), whose spec differs in numbers alone, such as scales, nothing is
    planned: the map has the same landmarks, numbers of samples and seed, so that approximations change with the numbers
    without jumps. All other options are those of the plan; columns of exact keys are learned again (`with_columns`).

    The map records the types of the columns of `data`, and rejects tables whose categories have other types. `text`
    lists columns, by name or position, to read as text; `types` are the types from another map
    (`fmap.plan.layout.types`). `missing="category"` makes missing values a category of their own in match().

    Warns DeadKernelWarning if the kernel is nearly the identity, or nearly constant, on `data`. Raises SpecError (also
    for free parameters), DataError, PlanError.
    """
    options = MapOptions(
        n_features=n_features,
        error=error,
        pointwise=pointwise,
        confidence=confidence,
        seed=seed,
        method=method,
        draws=draws,
        landmarks=landmarks,
        keys=keys,
        buckets=buckets,
        bits=bits,
        storage=storage,
    )
    return map_with(
        options,
        spec,
        dim=dim,
        columns=columns,
        data=data,
        plan=plan,
        published=published,
        text=text,
        missing=missing,
        types=types,
    )


def map_with(
    options: MapOptions,
    spec: Spec | str,
    *,
    dim: int | None = None,
    columns: Sequence[str] | Columns | None = None,
    data: Any = None,
    plan: Plan | None = None,
    published: Published | None = None,
    text: Sequence[str | int] = (),
    missing: Missing = "refuse",
    types: ColumnTypes | None = None,
) -> FeatureMap:
    """The map of `compile_spec` with its options in one object. Raises the same errors."""
    spec, text = as_spec(spec), text_columns(text)
    published = Published() if published is None else published
    if not isinstance(published, Published):
        raise PlanError(f"published must be a ks.Published(…), not {published!r}")
    if types is not None and not isinstance(types, ColumnTypes):
        raise PlanError(f"types must be those of a map, fmap.plan.layout.types, not {types!r:.60}")
    if plan is not None:
        given = {"published": published != Published(), "text": text, "missing": missing != "refuse", "types": types}
        options = _options_of(plan, options, [name for name, is_given in given.items() if is_given])
        if dim is None and columns is None and data is None:
            dim, columns = (plan.layout.dim, None) if plan.layout.names is None else (None, plan.layout.names)
    if data is not None and not isinstance(data, SeenData | Rows):
        data = as_table(data)
        names = columns.names if isinstance(columns, Columns) else columns
        spec = fitted_to_table(spec, data, names)
    table = _columns(spec, dim, columns, None if isinstance(data, SeenData) else data)
    sought = budget_or_target(options, has_data=data is not None)
    if options.seed is None:
        import secrets

        options = replace(options, seed=secrets.randbits(63))
    if published != Published():
        draws = "independent" if options.draws == "auto" else options.draws
        options = replace(options, draws=draws, landmarks="never")
    found, layout = on_table(spec, table)
    kernel = found.kernel
    if plan is not None and layout.used == plan.layout.used:  # else the terms differ
        types = plan.layout.types
    layout = replace(layout, types=types).pinned(text, missing if types is None else types.missing)
    layout, seen = _seen(layout, data)
    if seen.rows is not None:
        said = said_of_dead_kernel(spec, table, kernel, seen.rows)
        if said is not None:  # attribute it to the caller outside kernelspec
            warnings.warn(said, DeadKernelWarning, stacklevel=caller_level())
    keyed = plan is None and options.keys in ("auto", "exact") and layout.mapped.categorical
    met = categories_met(seen.blocks, compared_in(kernel)) if keyed else {}
    hashed_into = options.hashed_into
    columns_of_hashed = columns_of_a_key(hashed_into, options.lowest_bits) if options.storage == "dense" else None
    request = PlanRequest(
        text=str(spec),
        values=spec.numbers,
        kernel=kernel,
        layout=layout,
        noise=float(found.noise),
        options=options,
        normalized=published.normalized,
        data=seen.rows,
        categories=Categories(met, hashed_into, columns_of_hashed) if plan is None else plan.categories,
    )
    plan = _planned(request, sought, published) if plan is None else Planner(request).reusing(plan)
    if published != Published():
        from kernelspec.published import published_plan

        plan = published_plan(plan, published, seen.rows)
    feature_map = draw_map(plan)
    return feature_map.with_columns_of(seen.blocks) if options.keys == "exact" and data is not None else feature_map


def _options_of(plan: Plan, options: MapOptions, others: Sequence[str]) -> MapOptions:
    """The options of a plan that is reused. Raises PlanError for others beside it, and for anything but a plan."""
    if not isinstance(plan, Plan):
        raise PlanError(f"plan must be that of a map, fmap.plan, not {plan!r:.60}")
    beside = [*(name for name, default in DEFAULTS.items() if getattr(options, name) != default), *others]
    if beside:
        raise PlanError(f"{beside[0]} comes from plan=: leave it out")
    own = MapOptions(n_features=plan.n_features, seed=plan.seed, storage=plan.storage)
    if plan.bits is not None:
        return replace(own, keys="bits", bits=plan.bits)
    return replace(own, keys="exact") if plan.buckets is None else replace(own, buckets=plan.buckets)


def _planned(request: PlanRequest, sought: int | Target, published: Published) -> Plan:
    """The plan for a budget, or the smallest one for an error."""
    if not isinstance(sought, Target):
        return Planner.of(request).plan(sought)
    if published != Published():
        raise PlanError(f"{sought.argument} only works for unbiased plans: set n_features for published estimators")
    return plan_for(sought, request, MAX_FEATURES_FOR_ERROR)


def schemes_offered(spec: Spec, layout: Layout) -> tuple[str, ...]:
    """The names of the other sampling schemes for terms of the kernel on these columns, each a valid `method`."""
    kernel = spec.kernel(spec.columns(None if layout.names is not None else layout.dim, layout.names))
    return tuple(dict.fromkeys(scheme for term in terms_of(kernel) for scheme in term.schemes))


def _seen(layout: Layout, data: Any) -> tuple[Layout, SeenData]:
    """The layout with the types of the data, and the data as seen by the planner. Raises DataError."""
    if isinstance(data, SeenData):
        return layout, data
    if data is None:
        return layout, SeenData(None, ())
    layout = layout.recorded(data)
    rows = layout.read(data)
    return layout, SeenData(rows, (rows,))


def _columns(spec: Spec, dim: int | None, columns: Sequence[str] | Columns | None, data: Any) -> Columns:
    """The named columns, else those of the data, else the first ones. Raises DimensionError, DataError."""
    if isinstance(columns, Columns):
        return columns
    found = None if data is None else column_names(data)
    width = None if data is None or isinstance(data, Rows) else width_of(data)
    if columns is None and found is None and dim is None:
        dim = width
    table = spec.columns(dim, columns, found)
    if table.repeated:
        raise DataError(f"two columns of the data have the name '{min(table.repeated)}': rename one")
    if table.count is None:
        raise DimensionError("the number of columns is unknown: set dim=, columns= or data=")
    return table


class DeadKernelWarning(UserWarning):
    """The kernel is nearly zero, or nearly constant, between all rows of the data, so a model cannot learn from it."""


def said_of_dead_kernel(
    spec: ValuedProgram, columns: Columns, kernel: Kernel, rows: Rows, *, on_command_line: bool = False
) -> str | None:
    """The problem with the kernel on these rows and a value to try, by `dead_kernel`; None if there is none.

    The value is the median distance, for a length parameter that is far from it, or else for the kernel itself.
    """
    from kernelspec.planning.contrast import dead_kernel

    found = dead_kernel(kernel, rows)
    if found is None:
        return None
    if tries := _tries(spec, columns, rows).items():
        options = " ".join(f"-p {name}={value:.3g}" for name, value in tries)
        argument = f"params={{{', '.join(f'{name!r}: {value:.3g}' for name, value in tries)}}}"
        return f"{found.text()}; try {options if on_command_line else argument}"
    seen = [dead.measured for dead in found.terms if dead.measured is not None]
    if any(not math.isfinite(own.distance) for own in seen):
        return f"{found.text()}; distances overflow: divide the columns by a number"
    if not seen:
        return found.text()
    # scale=780 for gaussian(); for a Polya kernel, its area; for a formula, a stretch
    name = {"mean width": "area"}.get(str(seen[0].leaf.length_name), seen[0].leaf.length_name)
    ratio = f"stretch(k, {seen[0].ratio:.3g})"
    return f"{found.text()}; try {ratio if name is None else f'{name}={seen[0].distance:.3g}'}"


def _tries(spec: ValuedProgram, columns: Columns, rows: Rows) -> dict[str, float]:
    """The median distances for the length parameters whose values are far from them."""
    found: dict[str, float] = {}
    for name, value in spec.params.items():
        if isinstance(value, tuple):
            continue
        try:
            median = median_value(spec, name, columns, rows)
            spec.with_params({name: median})
        except KernelspecError:
            continue
        if value is not None and not 1 / 3 < value / median < 3:
            found[name] = median
    return found
