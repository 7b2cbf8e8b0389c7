"""Are the features that users get unbiased, and is their error the one predicted?

A case is judged on 16 maps. What looks wrong there is judged again, alone, on 64 others, and what is in doubt then on
another 256: a fault is what these find at the case's share of the ledger's budget. Unbiased means over seeds, each with
its own plan and its own landmarks: given any of these plans the samples are unbiased, and so is their mean.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner
from numpy.typing import NDArray
from scipy import stats
from scipy.sparse import csr_array, issparse

import kernelspec as ks
from kernelspec.cli import main
from kernelspec.errors import KernelspecError, PlanError
from kernelspec.maps.feature_map import FeatureMap, draw_map
from kernelspec.testing.laboratory import BUDGET, Ledger, granted
from kernelspec.verification.statistics import mean_limit, mean_scores, varies_often
from tests.front_door.cases import FILES, Case, case_of

__all__ = ["SHARES", "Fault", "Judgement", "Maps", "judge", "judged", "stated_interval"]

SHARES = 2000
"""Cases that share the budget of false alarms."""

_STAGES = ((0, 16), (16, 80), (80, 336))
"""Maps that are judged first, then those that judge a suspicion, then those that decide."""

_SUSPICIOUS = 5e-3
"""Chance that the mean of the first maps is suspicious, though nothing is wrong; four times that for their spread."""

_DOUBTFUL = 1e-4
"""A suspicion that keeps this probability is judged once more."""

_FEATURES, _PROJECTIONS = 64, 8
_VARIANCES, _PREDICTIONS = 4, 8
"""Maps whose predicted variances, and measured predictions of the error, stand for all, if every map has its own plan:
plans for the same rows are alike, and a measurement costs as much as a fit."""

_FITTED = 3
"""Maps of the first stage that are fitted in any case: if they show that the plan does not depend on the seed, the
other maps are drawn from it, which costs a hundredth of a fit."""

_FLOOR, _SINGLE_FLOOR = 4e-8, 2e-5
"""Relative error that rounding may cause, in double and in single precision."""

Matrix = NDArray[np.float64]


_ENDLESS = 10**6
"""Maps whose root mean square error is as good as the expected one."""


def stated_interval(feature_map: FeatureMap, table: Any) -> tuple[float, float]:
    """Between which the root mean square of the relative error of 16 maps lies, as the map states it.

    Of maps with keys the expected error: it has a formula, and the judgement knows how much 16 maps scatter.
    """
    return feature_map.predicted_error_interval(table, maps=_ENDLESS if feature_map.has_keys else _STAGES[0][1])


@dataclass(frozen=True)
class Fault:
    """What is wrong: `kind` is bias, spread, zero (an error predicted to be 0 that is not), or crash."""

    kind: str
    words: str


@dataclass(frozen=True)
class Judgement:
    """The result for one case.

    `refused` is the message of a refusal. `z` and `p_value` belong to one random projection of the errors of the first
    16 maps, `ratio` is their root mean square error over the predicted one. `unjudged` says why the spread was not.
    """

    faults: tuple[Fault, ...] = ()
    refused: str = ""
    unjudged: str = ""
    z: float | None = None
    p_value: float | None = None
    ratio: float | None = None
    maps: int = 0
    plan: str = ""
    seconds: float = 0.0


def judge(case: Case) -> Judgement:
    """Fit and transform with 16 seeds or more, and compare with the exact kernel matrix."""
    began = time.process_time()
    level = granted(BUDGET) / 2
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        maps = Maps(case, Path(folder))
        try:
            first = maps.errors(*_STAGES[0])
        except KernelspecError as error:
            return Judgement(refused=_first_line(error), seconds=time.process_time() - began)
        except Exception as error:
            return Judgement((Fault("crash", _first_line(error)),), seconds=time.process_time() - began)
        try:
            bias, spread = _bias(maps, level), _spread(maps, level)
        except Exception as error:  # other seeds did without
            bias, spread = Fault("crash", _first_line(error)), None
    projected = first.projected(maps.weights[:1])[:, 0]
    varies = bool(projected.std() > first.floor)
    z, p_value = _student(projected, 0.0) if varies else (None, None)
    found = [own for own in (first.zero(), bias, spread) if isinstance(own, Fault)]
    return Judgement(
        tuple(found),
        unjudged="; ".join(own for own in (bias, spread) if isinstance(own, str)),
        z=z,
        p_value=p_value,
        ratio=first.ratio,
        maps=maps.count,
        plan=maps.plan,
        seconds=time.process_time() - began,
    )


@dataclass(frozen=True)
class _Errors:
    """K̂ − K of some maps, (M, n, m), divided by ‖K‖_F; the predicted variance of each, averaged over the maps.

    `stated` (M, 2) are the bounds of the relative error.
    """

    values: NDArray[np.float64]
    variance: Matrix
    stated: Matrix
    floor: float

    @cached_property
    def squares(self) -> NDArray[np.float64]:
        """‖K̂ − K‖²_F / ‖K‖²_F of every map."""
        return np.asarray(np.square(self.values).sum(axis=(1, 2)))

    @property
    def ratio(self) -> float | None:
        """Root mean square error over the predicted one."""
        predicted = float(self.stated.prod(axis=1).mean())
        return float(np.sqrt(self.squares.mean() / predicted)) if 0 < predicted < np.inf else None

    def projected(self, weights: Sequence[Matrix]) -> NDArray[np.float64]:
        """⟨W, K̂ − K⟩ of every map and every W, (M, len(weights))."""
        return np.stack([np.einsum("sij,ij->s", self.values, weight) for weight in weights], axis=1)

    def zero(self) -> Fault | None:
        """An error that was predicted to be 0, and is not."""
        wrong = (self.stated[:, 1] == 0) & (self.squares > self.floor**2)
        if not wrong.any():
            return None
        return Fault("zero", f"predicted error 0 in {wrong.sum()} maps, real up to {np.sqrt(self.squares.max()):.3g}")


class Maps:
    """Maps of a case, one for every seed, as users make them; drawn on demand.

    Files are written to a folder. With `process`, the command line runs in a process of its own.
    """

    def __init__(self, case: Case, folder: Path, *, process: bool = False) -> None:
        self.case, self.folder, self.process = case, folder, process
        self.spec = ks.parse(case.text)
        self.seen, self.asked = case.table(asked=False), case.table(asked=True)
        self.plan, self.count, self._sides = "", 0, "one"
        self._met: dict[int, _Errors] = {}
        if case.form in FILES:
            for name, columns in (("seen", case.seen), ("asked", case.asked)):
                FILES[case.form](columns, str(folder / f"{name}.{case.form}"))

    @cached_property
    def exact(self) -> Matrix:
        asked = self.asked
        if self.case.form in ("named array", "unnamed array"):
            return self.spec.gram(asked, columns=list(self.case.names))
        if self.case.form == "pandas, other order":
            return self.spec.gram(asked[list(self.case.names)])  # that of fit counts, not that of transform
        return self.spec.gram(asked.astype(float) if self.is_single else asked)

    @property
    def is_single(self) -> bool:
        return getattr(self.asked, "dtype", None) == np.float32

    @cached_property
    def size(self) -> float:
        """‖K‖_F; 1 for the kernel that is zero."""
        return float(np.linalg.norm(self.exact)) or 1.0

    @cached_property
    def weights(self) -> list[Matrix]:
        """Random projections of K̂ − K, and its sum, its trace and its component along K: each of norm 1.

        Every case has its own projections and its own seeds: the p-values of all cases are compared with a uniform
        distribution, as independent numbers. If all cases had the same seeds, all Gaussians would share frequencies.
        """
        n = len(self.exact)
        draws = np.random.default_rng([self.case.rows_seed, n]).standard_normal((_PROJECTIONS, 2, n))
        found = [np.outer(u, v) for u, v in draws] + [np.ones((n, n)), np.eye(n), self.exact]
        return [own / (np.linalg.norm(own) or 1.0) for own in found]

    def seeds(self, first: int, last: int) -> list[int]:
        """Those of the maps with these numbers."""
        return [(self.case.rows_seed + number) % 2**32 for number in range(first, last)]

    def errors(self, first: int, last: int) -> _Errors:
        """Those of the maps of some seeds."""
        if first not in self._met:
            self._met[first] = self._drawn(first, last)
        return self._met[first]

    def _drawn(self, first: int, last: int) -> _Errors:
        seeds = self.seeds(first, last)
        pairs = [self.drawn(seed) for seed in seeds[:_FITTED]]
        feature_map = pairs[0][1]
        redraws = self._redraws(feature_map, seeds[:_FITTED], [estimate for estimate, _ in pairs])
        pairs += [
            (self._redrawn(feature_map, seed), feature_map) if redraws else self.drawn(seed) for seed in seeds[_FITTED:]
        ]
        self.count = max(self.count, last)
        asked = self._named(self.asked.astype(float) if self.is_single else self.asked, feature_map)
        self.plan = feature_map.plan.chosen.describe()
        values = [(estimate - self.exact) / self.size for estimate, _ in pairs]
        plans = 1 if redraws else _VARIANCES
        variances = [own.predicted_variance(asked, hashed=True) for _, own in pairs[:plans]]
        few = 1 if redraws else _PREDICTIONS if feature_map.plan.is_measured else len(pairs)
        stated = [stated_interval(own, asked) for _, own in pairs[:few]]
        stated += [tuple(np.mean(stated, axis=0))] * (len(pairs) - few)
        floor = _SINGLE_FLOOR if self.is_single else _FLOOR
        return _Errors(np.array(values), np.mean(variances, axis=0) / self.size**2, np.array(stated), floor)

    def _redraws(self, feature_map: FeatureMap, seeds: Sequence[int], estimates: Sequence[Matrix]) -> bool:
        """Whether a plan, drawn again with other seeds, gives what fits with these gave, bit by bit.

        Landmarks depend on the seed.
        """
        if feature_map.plan.landmarks is not None:
            return False
        pairs = zip(seeds, estimates, strict=True)
        return all(np.array_equal(self._redrawn(feature_map, seed), estimate) for seed, estimate in pairs)

    def _redrawn(self, feature_map: FeatureMap, seed: int) -> Matrix:
        """The estimate that another seed gives with the same plan."""
        again = draw_map(replace(feature_map.plan, seed=seed))
        features = again.transform(self._named(self.asked, feature_map), side="both" if self._sides == "both" else None)
        return _products(features, again)

    def _named(self, asked: Any, feature_map: FeatureMap) -> Any:
        names = feature_map.plan.layout.names
        if self.case.form == "unnamed array" and names is not None:
            return pd.DataFrame(asked, columns=list(names))
        return asked

    def drawn(self, seed: int) -> tuple[Matrix, FeatureMap]:
        """The estimate of one seed, and its map."""
        features, feature_map = self._of_file(seed) if self.case.form in FILES else self._fitted(seed)
        return _products(features, feature_map), feature_map

    def _fitted(self, seed: int) -> tuple[Any, FeatureMap]:
        named = {"feature_names": list(self.case.names)} if self.case.form == "named array" else {}
        estimator = ks.KernelFeatures(self.case.text, n_features=_FEATURES, random_state=seed, **named)
        try:
            estimator.set_params(side=self._sides).fit(self.seen)
        except PlanError as error:
            if self._sides == "both" or "side='both'" not in str(error):
                raise
            self._sides = "both"
            estimator.set_params(side="both").fit(self.seen)
        return estimator.transform(self.asked), estimator.feature_map_

    def _of_file(self, seed: int) -> tuple[Any, FeatureMap]:
        """What `kernelspec features` writes for the rows asked for, planned on the rows that were seen."""
        paths = {name: self.folder / f"{name}.{self.case.form}" for name in ("seen", "asked")}
        output, saved = self.folder / "out.npz", self.folder / "map.npz"
        text = [part for name in self.case.mixed for part in ("--text-columns", name)]
        words = ["features", "-e", self.case.text, str(paths["asked"]), "-o", str(output), "--quiet"]
        words += ["--plan-on", str(paths["seen"]), "--save-map", str(saved), "--seed", str(seed)]
        words += ["--n-features", str(_FEATURES), *text]
        if self.process:
            done = subprocess.run(
                [sys.executable, "-m", "kernelspec", *words], capture_output=True, text=True, check=False
            )
            status, said = done.returncode, done.stderr
        else:
            result = CliRunner().invoke(main, words, prog_name="kernelspec")
            status, said = result.exit_code, result.stderr
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception
        if status:
            raise PlanError(f"status {status}: {said.strip()}")
        return _read(output), ks.load_map(saved)


def _read(path: Path) -> Any:
    with np.load(path) as file:
        if "features" in file:
            return file["features"]
        return csr_array((file["data"], file["indices"], file["indptr"]), shape=tuple(file["shape"]))


def _products(features: Any, feature_map: FeatureMap) -> Matrix:
    """Left features times signs times right ones: both sides stand beside each other where they differ."""
    dense = np.asarray(features.toarray() if issparse(features) else features, dtype=float)
    columns, sided = feature_map.n_columns, feature_map.sided
    left = dense[:, :columns].copy()
    right = left.copy()
    if dense.shape[1] > columns:
        right[:, sided] = dense[:, columns:]
        left[:, sided] *= np.sqrt(2)
        right[:, sided] *= np.sqrt(2)
    return np.asarray((left * feature_map.signs) @ right.T)


def _bias(maps: Maps, level: float) -> Fault | str | None:
    """A mean that is not the kernel, in a projection or at a pair;"""
    first = maps.errors(*_STAGES[0])
    found = first.projected(maps.weights)
    chances = [
        _chance(column, weight, first) * len(maps.weights) for column, weight in zip(found.T, maps.weights, strict=True)
    ]
    suspects = [maps.weights[int(np.argmin(chances))]] if min(chances) < _SUSPICIOUS else []
    worst = _worst_pair(first, _SUSPICIOUS)
    if worst is not None:
        suspects.append(worst)
    for weight in suspects:
        answer = _decided(maps, weight, level / len(suspects))
        if answer is not None:
            return answer
    return None


def _worst_pair(errors: _Errors, level: float) -> Matrix | None:
    """The pair whose mean error is largest against its own variance, if that is suspicious.

    And against the variance predicted: the same estimate in all maps may have missed a rare event.
    """
    values = errors.values.reshape(len(errors.values), -1)
    count, level = values.shape[1], level / values.shape[1]
    variance = errors.variance.ravel() + errors.floor**2
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = np.abs(mean_scores(values, variance, level))
        beyond = np.maximum(np.abs(values.mean(axis=0)) - errors.floor, 0.0)
        t = np.where(beyond > 0, beyond / values.std(axis=0, ddof=1) * np.sqrt(len(values)), 0.0)
    t = np.where(scores > mean_limit(len(values), level), t, 0.0)  # nor is it where the prediction is infinite
    place = int(np.argmax(t))
    if 2 * stats.t.sf(t[place], len(values) - 1) > level:
        return None
    weight = np.zeros(count)
    weight[place] = 1.0
    return weight.reshape(errors.variance.shape)


def _decided(maps: Maps, weight: Matrix, level: float) -> Fault | str | None:
    """Whether ⟨W, K̂ − K⟩ has a mean, from maps that did not choose W."""
    for stage in _STAGES[1:]:
        errors = maps.errors(*stage)
        (values,) = errors.projected([weight]).T
        chance = _chance(values, weight, errors)
        if chance < level:
            z, _ = _student(values, errors.floor)
            places = np.flatnonzero(weight)
            where = f"pair {np.unravel_index(places[0], weight.shape)}" if len(places) == 1 else "a projection"
            return Fault(
                "bias", f"{where}: {values.mean():+.3g} of ‖K‖ over {len(values)} maps, z = {z:+.1f}, p = {chance:.1g}"
            )
        if chance > _DOUBTFUL:
            return None
    return None


def _chance(values: NDArray[np.float64], weight: Matrix, errors: _Errors) -> float:
    """Probability of so large a mean: Student's, or, where rare events decide, by the variance predicted."""
    if values.std() > 0 and (len(values) <= _STAGES[0][1] or varies_often(values[:, None])[0]):
        return _student(values, errors.floor)[1]
    if abs(values.mean()) <= errors.floor:
        return 1.0
    # no sum of errors varies more than if all of them varied together
    deviation = float((np.abs(weight) * np.sqrt(errors.variance))[weight != 0].sum()) + errors.floor
    if not np.isfinite(deviation):
        return 1.0
    lowest, highest = -300.0, 0.0
    for _ in range(40):  # the least level at which the test alarms
        middle = (lowest + highest) / 2
        score = abs(float(mean_scores(values[:, None], np.array([deviation**2]), 10**middle)[0]))
        lowest, highest = (lowest, middle) if score > mean_limit(len(values), 10**middle) else (middle, highest)
    return float(10**highest)


def _student(values: NDArray[np.float64], floor: float) -> tuple[float, float]:
    """Student's z and its two-sided probability, for a mean that may be off by `floor`."""
    mean, error = float(values.mean()), float(values.std(ddof=1)) / np.sqrt(len(values))
    beyond = max(0.0, abs(mean) - floor)
    if beyond == 0.0:
        return 0.0 if error == 0 else mean / error, 1.0
    t = beyond / error if error > 0 else np.inf
    return float(np.copysign(t, mean)), float(2 * stats.t.sf(t, len(values) - 1))


def _spread(maps: Maps, level: float) -> Fault | str | None:
    """A mean square error that is not in the interval stated."""
    for stage, own in zip(_STAGES, (4 * _SUSPICIOUS, level, level), strict=True):
        errors = maps.errors(*stage)
        low, high = errors.stated.T
        if errors.ratio is None and not high.any():
            return None  # an error of 0 is judged by itself
        if not np.isfinite(high).all():
            return "the predicted error is infinite"
        more = errors.squares - np.maximum(high, errors.floor) ** 2
        less = np.maximum(low - errors.floor, 0.0) ** 2 - errors.squares
        above, below = (_student(values, 0.0)[1] / 2 if values.mean() > 0 else 1.0 for values in (more, less))
        if below < own and not varies_often(errors.squares[:, None])[0]:
            below = 1.0  # what is predicted may be a rare event
        if min(above, below) < own:
            if stage == _STAGES[0]:
                continue
            word = "above" if above < below else "below"
            return Fault("spread", f"{errors.ratio:.3g} times the predicted error, {word} the interval stated")
        if min(above, below) > _DOUBTFUL:
            return None
    return None


def _first_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def judged(number: int, shares: int) -> dict[str, Any]:
    """A case and what was found, as JSON data."""
    case = case_of(number)
    with Ledger(shares=max(shares, SHARES)).open():
        return {"number": number, "case": asdict(case), **asdict(judge(case))}
