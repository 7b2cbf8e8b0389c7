"""The front door: twenty cases by default, a hundred in the long run, and known mistakes, which the engine finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.laws.sums_and_products import MixtureLaw
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.learned_columns import CategoryBlocks
from kernelspec.planning.strata import Stratum
from tests.front_door.__main__ import read, run
from tests.front_door.cases import Case, case_of
from tests.front_door.engine import Maps, judge
from tests.front_door.summary import summary
from tests.thoroughness import half

Patch = Callable[[pytest.MonkeyPatch], None]


FEW = (2, 4, 8, 10, 18, 26, 32, 34, 42, 45, 50, 56, 58, 64, 66, 74, 76, 84, 89, 94)
"""Cases that take less than two seconds each, of all kinds of tables."""


def faulty(numbers: Iterable[int]) -> dict[str, str]:
    """The cases of these numbers in which something is wrong, and what."""
    cases = [case_of(number) for number in numbers]
    return {repr(case): str(found.faults) for case in cases if (found := judge(case)).faults}


@pytest.mark.slow
def test_few_cases() -> None:
    assert not faulty(FEW)


@pytest.mark.long
@pytest.mark.parametrize("first", half(range(104, 204, 10)))
def test_many_cases(first: int) -> None:
    assert not faulty(range(first, first + 10))


def test_a_case_is_the_same_whenever_it_is_made() -> None:
    for number in (0, 2, 4, 6):
        case = case_of(number)
        assert case == case_of(number)
        again = Case(**asdict(case))
        for asked in (False, True):
            first, second = (pd.DataFrame(own.asked if asked else own.seen) for own in (case, again))
            pd.testing.assert_frame_equal(first, second)


def test_cases_have_seeds_and_projections_of_their_own(tmp_path: Path) -> None:
    """Under common ones p-values depend on each other: of 20 runs of 40 cases two were as uneven as one in 1,400 is."""
    case = Case("a", "pandas", "gaussian()[x]", ("x",), 24, False, 7)
    one, again, other = (Maps(own, tmp_path) for own in (case, case, replace(case, rows_seed=8000)))
    assert one.seeds(0, 336) == again.seeds(0, 336)
    assert not set(one.seeds(0, 336)) & set(other.seeds(0, 336))
    np.testing.assert_array_equal(one.weights[0], again.weights[0])
    assert abs(float((one.weights[0] * other.weights[0]).sum())) < 0.5


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kernelspec.models.features.UnmetKeysWarning")
def test_maps_that_are_drawn_from_one_plan_are_those_that_are_fitted(tmp_path: Path) -> None:
    """Of a plan without landmarks, and of one with some, which depend on the seed."""
    for text, names, n_seen in (("gaussian(scale=2)[x]*match()[c]", "xc", 24), ("matern(nu=3/2)[x]", "x", 40)):
        maps = Maps(Case("a", "pandas", text, tuple(names), n_seen, False, 7), tmp_path)
        fitted = [maps.drawn(seed)[0] for seed in maps.seeds(0, 16)]
        np.testing.assert_allclose(maps.errors(0, 16).values * maps.size, np.array(fitted) - maps.exact, atol=1e-12)


@pytest.mark.long
def test_the_command_line_in_a_process_of_its_own(tmp_path: Path) -> None:
    case = Case("small both", "csv", "gaussian()[x] * match()[e]", ("e", "x"), 24, False, 1)
    inside, apart = (Maps(case, tmp_path, process=process).drawn(3)[0] for process in (False, True))
    np.testing.assert_array_equal(apart, inside)


@pytest.mark.long
def test_a_run_goes_on_where_it_ended(tmp_path: Path) -> None:
    results = tmp_path / "results"
    run(results, range(16, 17), 1)
    before = results.read_text()
    results.write_text(before + '{"number": 18, "ca')
    run(results, range(16, 20, 2), 1)
    found = read(results)
    assert [own["number"] for own in found] == [16, 18]
    assert "| all 2 |" in summary(found)


def parts_without_keys_ignored(patch: pytest.MonkeyPatch) -> None:
    """What keys compare is taken from the parts of a mixture that have some, and not checked when columns are made."""
    patch.setattr(CategoryBlocks, "check", lambda self, part: None)
    right = MixtureLaw.compared

    def compared(self: MixtureLaw, columns: tuple[int, ...]) -> Any:
        found = {part.compared(columns) for part in self.parts if part.has_key}
        return right(self, columns) if not found else found.pop() if len(found) == 1 else None

    patch.setattr(MixtureLaw, "compared", compared)


def errors_understated(patch: pytest.MonkeyPatch) -> None:
    """Half of every predicted error."""
    for name in ("predicted_error", "predicted_error_interval"):
        patch.setattr(FeatureMap, name, _halved(getattr(FeatureMap, name)))


def _halved(right: Callable[..., Any]) -> Callable[..., Any]:
    def halved(self: FeatureMap, *arguments: Any, **named: Any) -> Any:
        found = np.asarray(right(self, *arguments, **named)) / 2
        return tuple(found.tolist()) if found.ndim else float(found)

    return halved


def new_categories_forgotten(patch: pytest.MonkeyPatch) -> None:
    """Columns that categories share add nothing to the predicted variance."""
    patch.setattr(Stratum, "collisions", lambda self, pairs, hashed: None if self.known is not None else hashed)


def columns_in_the_order_of_mention(patch: pytest.MonkeyPatch) -> None:
    """The columns of a table without names are those that the spec names, one after the other."""

    def named(spec: str, X: Any) -> Any:
        names = ks.parse(spec).columns().names
        return pd.DataFrame(X, columns=list(names)) if names is not None and isinstance(X, np.ndarray) else X

    fit, transform = ks.KernelFeatures.fit, ks.KernelFeatures.transform
    patch.setattr(ks.KernelFeatures, "fit", lambda self, X, y=None: fit(self, named(self.spec, X), y))
    patch.setattr(ks.KernelFeatures, "transform", lambda self, X: transform(self, named(self.spec, X)))


MISTAKES: list[tuple[Patch, str, str, str, str]] = [
    (parts_without_keys_ignored, "bias", "pandas", "cdx", "mean(match()[c], gaussian()[x]) * match()[d]"),
    (parts_without_keys_ignored, "bias", "parquet", "dcx", "(2 * match()[d] + gaussian()[x]) * match()[c]"),
    (errors_understated, "spread", "polars", "xyz", "gaussian()[x, y]"),
    (errors_understated, "spread", "csv", "xyz", "laplace(scale=1/2)[x, y, z]"),
    (new_categories_forgotten, "zero", "pandas, categorical", "cde", "match()[c, d, e]"),
    (columns_in_the_order_of_mention, "bias", "unnamed array", "xy", "gaussian(scale=1/5)[y] * gaussian(scale=5)[x]"),
]


IN_EVERY_RUN = (4,)
"""Mistakes that the engine finds in less than a second: an error where none is predicted."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mistake", "kind", "form", "names", "text"),
    [
        pytest.param(*mistake, marks=[] if number in IN_EVERY_RUN else [pytest.mark.long])
        for number, mistake in enumerate(MISTAKES)
    ],
)
def test_known_mistakes_are_found(
    mistake: Patch,
    kind: str,
    form: str,
    names: str,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    outside_the_ledger: None,
) -> None:
    case = Case("mistake", form, text, tuple(names), 24, False, 7)
    mistake(monkeypatch)
    assert kind in {fault.kind for fault in judge(case).faults}


@pytest.mark.long
@pytest.mark.parametrize(("form", "names", "text"), [mistake[2:] for mistake in MISTAKES])
def test_nothing_is_found_without_them(form: str, names: str, text: str) -> None:
    assert not judge(Case("mistake", form, text, tuple(names), 24, False, 7)).faults
