"""Models of classes on features: least squares with calibrated scores, and multinomial logistic regression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack

from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.models.given import Observations
from kernelspec.models.posterior import check_fit
from kernelspec.models.ridge import KernelSize, RidgeFit, RidgePath, compact, dense, least
from kernelspec.models.state import State, is_too_wide
from kernelspec.samples.declared_arrays import array

__all__ = ["Directions", "LabelledFeatures", "LeastSquares", "Logistic", "logistic_path"]

Numbers = NDArray[np.float64]

_HELD_OUT = 0.2
"""The share of the rows that one comparison of the models holds out."""

_FOR_PENALTY, _FOR_KIND = 500, 4_000
"""Observations that are held out, in turn, to compare penalties and kinds of models, or more: few often prefer an
overconfident model, and of 1,000 chance decides between losses of .33 and .35.
"""

_PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0)
"""C of the logistic regressions that are compared, for features of mean square 1 about their mean, until the loss
rises.
"""

_SMALLER = (0.01, 1e-3, 1e-4, 1e-5)
"""More of them, if the first is the best: classes that the features hardly tell apart."""

_COMPARED, _KEPT = 1e-3, 1e-5
"""The tolerances, relative to the log loss, of logistic regressions that are compared and of the one that is kept."""

_REMEMBERED = 1_000
"""Observations, each of them counted by its weight."""

_CALIBRATED_ON = 20_000
"""The most observations whose leave-one-out scores calibrate the probabilities."""

_TINY = np.finfo(float).tiny

_STEPS = 200
"""The most steps for one penalty."""

_UNIT = 1e9
"""What the mean loss is multiplied by: L-BFGS compares a step with the loss only where that exceeds 1."""


def _softmax(scores: Numbers) -> Numbers:
    """e^{s_k} / Σ_l e^{s_l} of scores (m, K)."""
    moved = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(moved / moved.sum(axis=1, keepdims=True))


def _product(features: Any, thin: Numbers) -> Any:
    """AB in the precision of A, for B of few columns, as (B'A')', for which BLAS copies no part of A."""
    thin = thin.astype(features.dtype, copy=False)
    return (thin.T @ features.T).T if isinstance(features, np.ndarray) else features @ thin


@dataclass(frozen=True, eq=False)
class Logistic:
    """softmax(z·W + b)."""

    coefficients: Numbers = array("float64", "columns", "classes")
    intercepts: Numbers = array("float64", "classes")

    def probabilities(self, features: Any) -> Numbers:
        """Of features (m, D), dense or CSR: (m, K)."""
        return _softmax(_product(features, self.coefficients) + self.intercepts)

    def mean_with(self, other: LeastSquares) -> Logistic:
        """The model of the geometric mean of both probabilities: its scores are the means of theirs."""
        fit = other.fit
        turned = other.slope * fit.coefficients
        moved = other.slope * fit.target_mean - fit.feature_mean @ turned + other.offsets
        return Logistic((self.coefficients + turned) / 2, (self.intercepts + moved) / 2)

    def check(self, drawn: DrawnPlan, n_classes: int) -> None:
        """Raise ValueError unless the model fits features of this map; a saved model may hold anything."""
        if not drawn.has_columns or self.coefficients.shape != (drawn.n_columns, n_classes):
            raise ValueError(f"coefficients of shape {self.coefficients.shape} for {n_classes} classes")


@dataclass(frozen=True, eq=False)
class Directions:
    """The mean of features (D,), and their scatter V diag(s) V'; without V, s is its diagonal."""

    mean: Numbers
    scatter: Numbers
    vectors: Numbers | None

    @classmethod
    def of_columns(cls, features: Any, weights: Numbers) -> Directions:
        """The columns themselves, for features (n, D) too many for a scatter matrix."""
        total = weights.sum()
        squared = np.square(features) if isinstance(features, np.ndarray) else features.multiply(features)
        mean, squares = (np.asarray(own.T @ weights) / total for own in (features, squared))
        return cls(mean, total * np.maximum(squares - np.square(mean), 0.0), None)

    def forth(self, coefficients: Numbers) -> Numbers:
        """V'W."""
        return coefficients if self.vectors is None else self.vectors.T @ coefficients

    def back(self, turned: Numbers) -> Numbers:
        """V times V'W."""
        return turned if self.vectors is None else self.vectors @ turned


def logistic_path(
    features: Any,
    codes: NDArray[np.intp],
    weights: Numbers,
    directions: Directions,
    n_classes: int,
    penalties: Sequence[float],
    *,
    tolerance: float,
    start: Logistic | None = None,
) -> Iterator[Logistic]:
    """The minima of Σ w_i loss_i + ‖W‖²/2C for each C of `penalties`, the next started from the previous one.

    Steps end when one lowers the sum by less than `tolerance` of it. They are those of L-BFGS on coordinates in which
    the second derivative is about 1: H ≈ κ s + 1/C in the directions of the scatter matrix, κ the mean of p(1 − p). In
    those of the features, its condition is that of the kernel, and hundreds of steps are not enough.
    """
    from scipy.optimize import minimize

    total = float(weights.sum())
    share, rows = weights / total, np.arange(len(codes))
    prior = np.bincount(codes, share, n_classes)
    model = start or Logistic(np.zeros((features.shape[1], n_classes)), np.log(np.maximum(prior, 1e-12)))

    def loss(size: Numbers, shrinkage: Numbers, given: Numbers) -> tuple[float, Numbers]:
        """The mean loss of centred features, with its penalty, and its gradient."""
        scaled = given[:-n_classes].reshape(-1, n_classes)
        turned = directions.back(size * scaled)
        scores = _product(features, turned) + (given[-n_classes:] - directions.mean @ turned)
        scores -= scores.max(axis=1, keepdims=True)
        value = -float(share @ scores[rows, codes])
        np.exp(scores, out=scores)
        sums = scores.sum(axis=1)
        value += float(share @ np.log(sums)) + 0.5 * float((shrinkage * np.square(scaled)).sum())
        scores *= (share / sums)[:, None]
        scores[rows, codes] -= share
        of_offsets = scores.sum(axis=0)
        slope = _product(features.T, scores) - np.outer(directions.mean, of_offsets)
        return _UNIT * value, _UNIT * np.append(size * directions.forth(slope) + shrinkage * scaled, of_offsets)

    for penalty in penalties:
        found = model.probabilities(features)
        spread = max(float((share @ (found * (1 - found))).mean()), 1e-4)
        size = 1 / np.sqrt((spread * directions.scatter + 1 / penalty) / total)[:, None]
        shrinkage = np.square(size) / (penalty * total)
        first = np.append(
            directions.forth(model.coefficients) / size, model.intercepts + directions.mean @ model.coefficients
        )
        objective: Any = partial(loss, size, shrinkage)
        options: Any = {"maxiter": _STEPS, "ftol": tolerance, "gtol": 0.0}
        last = minimize(objective, first, jac=True, method="L-BFGS-B", options=options).x
        coefficients = directions.back(size * last[:-n_classes].reshape(-1, n_classes))
        model = Logistic(coefficients, last[-n_classes:] - directions.mean @ coefficients)
        yield model


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """softmax(β s + b) of scores s that ridge regression on indicators predicts."""

    fit: RidgeFit
    slope: float
    offsets: Numbers = array("float64", "classes")

    def probabilities(self, features: Any) -> Numbers:
        """Of features (m, D), dense or CSR: (m, K)."""
        return _softmax(self.slope * self.fit.mean(dense(features)) + self.offsets)

    def check(self, drawn: DrawnPlan, n_classes: int) -> None:
        """Raise ValueError unless the model fits features of this map; a saved model may hold anything."""
        check_fit(drawn, self.fit, n_classes)
        if len(self.offsets) != n_classes:
            raise ValueError(f"{len(self.offsets)} offsets for {n_classes} classes")


_Compared: TypeAlias = tuple[float, float, tuple[Logistic, ...], float]
"""A held-out loss, its C, the solutions without each part that was held out, and the standard error of the loss."""


@dataclass(frozen=True, eq=False)
class LabelledFeatures:
    """Features (u, D) of the distinct rows, and the observations on them; CSR only for too many columns."""

    feature_map: FeatureMap
    features: Any
    observations: Observations
    spread: float = 0.0
    """That of the smallest term of the kernel, which needs the penalty least; 0 if it is not known."""

    @classmethod
    def of(cls, feature_map: FeatureMap, observations: Observations, spread: float = 0.0) -> LabelledFeatures:
        """The features of the rows of observations: dense, but too many columns stay CSR if most are zeros."""
        rows = observations.rows
        if not is_too_wide(feature_map):
            dense_blocks = [dense(block) for block in feature_map.blocks(rows)]
            return cls(feature_map, np.concatenate(dense_blocks), observations, spread)
        blocks = [compact(block).copy() for block in feature_map.blocks(rows)]
        whole = vstack(blocks, format="csr") if any(map(issparse, blocks)) else np.concatenate(blocks)
        return cls(feature_map, whole, observations, spread)

    def best(
        self, kind: Literal["auto", "least_squares", "logistic"], generator: np.random.Generator
    ) -> tuple[dict[str, float], LeastSquares | Logistic]:
        """The held-out log losses, and the model of the least one, fitted to all observations.

        That is one of both kinds, or their geometric mean. Too many columns for a scatter matrix are left to logistic
        regression.
        """
        splits = self.splits(generator)
        held: dict[str, list[Numbers]] = {}
        first: LeastSquares | None = None
        if kind != "logistic" and not is_too_wide(self.feature_map):
            first, held["least_squares"] = self.least_squares(splits)
        if first is not None and (kind == "least_squares" or not splits):
            return {own: self._mean_loss(splits, found)[0] for own, found in held.items() if splits}, first
        penalty, start, held["logistic"] = self.compared(splits)
        if first is not None:
            pairs = zip(*held.values(), strict=True)
            held["mean"] = [_softmax(np.log(np.maximum(p * q, _TINY)) / 2) for p, q in pairs]
        losses = {own: self._mean_loss(splits, found)[0] for own, found in held.items() if splits}
        best = min(losses, key=lambda own: losses[own], default="logistic")
        if best == "least_squares" and first is not None:
            return losses, first
        second = self.logistic(penalty, start)
        return losses, second.mean_with(first) if best == "mean" and first is not None else second

    @property
    def codes(self) -> NDArray[np.intp]:
        """The number of the class of each observation, (n,)."""
        return np.asarray(np.argmax(self.observations.targets, axis=1))

    def splits(self, generator: np.random.Generator) -> list[NDArray[np.bool_]]:
        """Which observations to hold out, (n,): a fifth of each class, in up to five ways; none if a class has fewer
        than five.

        Observations of the same row stay together, unless most are on rows of several classes, such as a few
        categories. Several ways, in which every row is held out once at most, are for small tables.
        """
        own, n_classes = self.observations, self.observations.targets.shape[1]
        of_pairs = np.unique(own.place * n_classes + self.codes) // n_classes
        is_mixed = np.bincount(of_pairs, minlength=len(own.rows))[own.place] > 1
        place = own.place
        if 2 * is_mixed.sum() > len(own.place):  # numbered by what they are: the order of the table does not matter
            place = np.empty_like(own.place)
            place[np.lexsort((own.weights, self.codes, own.place))] = np.arange(len(own.place))
        order = generator.permutation(int(place.max()) + 1)
        of_place = np.zeros(len(order), dtype=np.intp)
        np.maximum.at(of_place, place, self.codes)
        part = np.full(len(order), -1)
        for code in range(n_classes):
            mine = order[of_place[order] == code]
            size = int(len(mine) * _HELD_OUT)
            if not size:
                return []
            n_parts = int(1 / _HELD_OUT)
            part[mine[: size * n_parts]] = np.repeat(np.arange(n_parts), size)
        return _enough([part[place] == one for one in range(n_parts)], _FOR_KIND)

    def _mean_loss(self, splits: Sequence[NDArray[np.bool_]], probabilities: Sequence[Numbers]) -> tuple[float, float]:
        """The mean log loss of the probabilities (m, K) of the classes that each split holds out, and its standard
        error.
        """
        if not splits:
            return 0.0, 0.0
        found = np.concatenate(
            [p[np.arange(len(p)), self.codes[out]] for out, p in zip(splits, probabilities, strict=True)]
        )
        weights = np.concatenate([self.observations.weights[out] for out in splits])
        losses, total = -np.log(np.maximum(found, _TINY)), weights.sum()
        mean = float(weights @ losses / total)
        return mean, float(np.sqrt(weights @ np.square(losses - mean)) / total)

    @property
    def _is_few(self) -> bool:
        """Whether each observation has a say in the calibration of probabilities, and chance in the choice of C."""
        return bool(self.observations.weights.sum() <= _REMEMBERED)

    @cached_property
    def state(self) -> State:
        """The sums over the observations."""
        own = self.observations
        return State.of_features(self.feature_map, self.features[own.place], own.targets, own.weights)

    def _size(self) -> KernelSize:
        """That of the kernel on the rows."""
        average = float(np.mean(np.square(self.features).sum(axis=1)))
        return KernelSize(average, self.spread, self.features.shape[0])

    @property
    def _scale(self) -> float:
        """The mean square of the features about their mean."""
        return float(self.directions.scatter.sum() / self.observations.weights.sum()) or 1.0

    def _penalties(self) -> tuple[float, ...]:
        """Those for features of this size, and up to those for features of the size of the smallest term."""
        more = np.log10(self._scale / self.spread) if self.spread else 0.0
        return (*_PENALTIES, *(_PENALTIES[-1] * 10.0 ** (i + 1) for i in range(int(more))))

    def least_squares(self, splits: Sequence[NDArray[np.bool_]]) -> tuple[LeastSquares, list[Numbers]]:
        """Ridge regression on the indicators, calibrated on leave-one-out scores; the probabilities of what each split
        holds out, by the regression without it.

        Of many observations, noise and calibration are those of all; of few, they would remember what is held out.
        """
        own = self.observations
        path = self.path
        some = np.arange(len(own.place))[:: -(-len(own.place) // _CALIBRATED_ON)]
        targets, weights = own.targets[some], own.weights[some]
        left_out = path.left_out(self.features[own.place[some]], targets, own.units[some])

        def loss(noises: Numbers) -> Numbers:
            return left_out.errors(noises, weights)[:, None]

        noise = float(least(loss, self._size(), grid=17, refined=9)[0])
        slope, offsets = _calibration(left_out.predictions(noise), targets, weights)
        held_out = []
        for out in splits:
            features = self.features[own.place[out]]
            if self._is_few:
                held_out.append(self._kept(~out).least_squares([])[0].probabilities(features))
            else:
                left = path.without(noise, features, own.targets[out], own.weights[out])
                held_out.append(_softmax(slope * left + offsets))
        return LeastSquares(path.fit(np.full(targets.shape[1], noise)), slope, offsets), held_out

    def _kept(self, kept: NDArray[np.bool_]) -> LabelledFeatures:
        """The same with some of the observations, (n,)."""
        return replace(self, observations=self.observations.some(kept))

    @cached_property
    def _rounded(self) -> Any:
        """The features in single precision, which is enough, and twice as fast, for comparisons."""
        return self.features.astype(np.float32)

    @cached_property
    def path(self) -> RidgePath:
        """Ridge regression on the indicators."""
        return RidgePath.of(self.state)

    @cached_property
    def directions(self) -> Directions:
        """Those of the features."""
        if is_too_wide(self.feature_map):
            return Directions.of_columns(self.features[self.observations.place], self.observations.weights)
        return Directions(self.path.feature_mean, self.path.eigenvalues, self.path.eigenvectors)

    def compared(self, splits: list[NDArray[np.bool_]]) -> tuple[float, Logistic | None, list[Numbers]]:
        """The C of least log loss on what some splits hold out, a solution for it to start from, and the probabilities
        of what each of all holds out.

        Of all `_PENALTIES`, or smaller ones, until the loss rises, then of √10 times more and less. Of few
        observations, the smallest C within a standard error of the least loss: more are overconfident as often as not.
        """
        if not splits:
            return _PENALTIES[2], None, []
        some = _enough(splits, _FOR_PENALTY)
        coarse = list(_falling(self._losses(some, self._penalties(), [None] * len(some))))
        if min(coarse, key=itemgetter(0)) is coarse[0]:
            smaller = list(_falling(self._losses(some, _SMALLER, coarse[0][2]), coarse[0][0]))
            coarse = smaller[::-1] + coarse
        least, best, found, error = min(coarse, key=itemgetter(0))
        if self._is_few:
            _, penalty, models, _ = next(own for own in coarse if own[0] <= least + error)
        else:
            finer = [next(self._losses(some, [best * factor], found)) for factor in (np.sqrt(0.1), np.sqrt(10.0))]
            _, penalty, models, _ = min((least, best, found, error), *finer, key=itemgetter(0))
        if len(some) < len(splits):
            starts = [*models, *[None] * (len(splits) - len(some))]  # no solution that has seen what is held out
            models = next(self._losses(splits, [penalty], starts))[2]
        held_out = (self.features[self.observations.place[out]] for out in splits)
        return penalty, models[0], [model.probabilities(own) for model, own in zip(models, held_out, strict=True)]

    def _losses(
        self, splits: Sequence[NDArray[np.bool_]], penalties: Sequence[float], starts: Sequence[Logistic | None]
    ) -> Iterator[_Compared]:
        """The losses of logistic regressions on what splits hold out, for one C after the other."""
        paths = [self._path(~out, penalties, _COMPARED, one) for out, one in zip(splits, starts, strict=True)]
        for penalty, models in zip(penalties, zip(*paths, strict=True), strict=True):
            held_out = (self._rounded[self.observations.place[out]] for out in splits)
            found = [model.probabilities(own) for model, own in zip(models, held_out, strict=True)]
            loss, error = self._mean_loss(splits, found)
            yield loss, penalty, models, error

    def logistic(self, penalty: float, start: Logistic | None) -> Logistic:
        """Logistic regression on all observations."""
        return next(self._path(np.ones(len(self.codes), dtype=bool), (penalty,), _KEPT, start))

    def _path(
        self, kept: NDArray[np.bool_], penalties: Sequence[float], tolerance: float, start: Logistic | None
    ) -> Iterator[Logistic]:
        """Logistic regressions on some observations, of each C relative to the scatter of the features."""
        own = self.observations
        return logistic_path(
            (self._rounded if tolerance == _COMPARED else self.features)[own.place[kept]],
            self.codes[kept],
            own.weights[kept],
            self.directions,
            own.targets.shape[1],
            [penalty / self._scale for penalty in penalties],
            tolerance=tolerance,
            start=start,
        )


def _enough(splits: list[NDArray[np.bool_]], n: int) -> list[NDArray[np.bool_]]:
    """The first of the splits, until they hold out n observations."""
    return splits[: -(-n // int(splits[0].sum()))]


def _falling(losses: Iterator[_Compared], before: float = np.inf) -> Iterator[_Compared]:
    """Up to the first that is larger than the one before."""
    for own in losses:
        yield own
        if own[0] > before:
            return
        before = own[0]


def _calibration(scores: Numbers, targets: Numbers, weights: Numbers) -> tuple[float, Numbers]:
    """β and b that minimize the log loss of softmax(β s + b), with Σ b = 0 enforced by a small penalty.

    Of n observations, each has its class with probability (n + 1)/(n + 2), and the other classes share the rest, as in
    [Platt 2000]: if it were 1, few observations without a mistake would make everything sure.
    """
    from scipy.optimize import minimize

    total = weights.sum()
    sure = (total + 1) / (total + 2)
    targets = targets * sure + (1 - targets) * (1 - sure) / (targets.shape[1] - 1)

    def loss(found: Numbers) -> tuple[float, Numbers]:
        slope, offsets = np.exp(found[0]), found[1:]
        logits = slope * scores + offsets
        probabilities = _softmax(logits)
        own = (targets * np.log(np.maximum(probabilities, _TINY))).sum(axis=1)
        moved = (probabilities - targets) * (weights / total)[:, None]
        gradient = np.concatenate([[slope * (moved * scores).sum()], moved.sum(axis=0) + 2e-4 * offsets])
        return float(-(weights @ own) / total + 1e-4 * offsets @ offsets), gradient

    start = np.concatenate([[np.log(4.0)], np.zeros(scores.shape[1])])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(-3.0, 6.0)] + [(-20.0, 20.0)] * scores.shape[1])
    return float(np.exp(found.x[0])), np.asarray(found.x[1:])
