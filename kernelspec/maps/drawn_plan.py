"""A plan with its random numbers drawn: its samples, and their columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.limits import MAX_FEATURE_COLUMNS, MAX_FEATURES
from kernelspec.maps.dense import DenseFeatures
from kernelspec.maps.hashed_columns import Bits, Buckets, Encoding
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.maps.landmarks import LandmarkCorrection
from kernelspec.maps.learned_columns import CategoryBlocks, Exact, learn_columns
from kernelspec.planning.plan import Plan
from kernelspec.samples.samples import Side
from kernelspec.tables.rows import Rows

__all__ = ["DrawnPlan", "Origin"]


@dataclass(frozen=True)
class Origin:
    """The software that wrote a map's file, when (UTC), and the checksum of its contents."""

    software: str
    date: str
    digest: str


@dataclass(frozen=True, eq=False)
class DrawnPlan:
    """The samples without keys, then those with keys, part by part; an empty plan has one column of zeros.

    Without keys the features are a dense array, with keys CSR, unless the plan says otherwise. `occupied` says for
    every keyed part how its keys become columns, if the plan knows their categories or columns were learned from data;
    None if keys are hashed. The columns of landmarks precede those of the samples, which `correction` corrects.
    """

    plan: Plan
    dense: DenseFeatures | None
    keyed: tuple[KeyedFeatures, ...]
    occupied: tuple[CategoryBlocks | Exact | None, ...] | None = None
    correction: LandmarkCorrection | None = field(default=None, metadata={"saved_as": "anchored"})
    origin: Origin | None = field(default=None, repr=False)
    """The origin of a map that was read from a file."""

    def validate(self) -> None:
        """Raise ValueError unless samples, plan and columns are consistent; a saved map may hold anything."""
        parts: list[DenseFeatures | KeyedFeatures] = [*([] if self.dense is None else [self.dense]), *self.keyed]
        layout, form = self.plan.layout.mapped, self.plan.form
        read = {column for part in parts for column in part.columns}
        if not read <= set(layout.used) or max([0, *(part.least_width for part in parts)]) > layout.dim:
            raise ValueError(f"samples read columns {sorted(read)}, but the kernel reads {layout.used}")
        self._validate_landmarks()
        if self.keyed and not self.has_keys:
            raise ValueError("there are samples with keys, but the plan has none")
        if self.plan.normalized and (
            self.dense is None or self.keyed or self.dense.amplitudes or not self.dense.weight.min() > 0
        ):
            raise ValueError("rows are divided by their norm, but samples have keys or no weight")
        if form != "phase" and any((part.offsets != 0).any() for part in parts):
            raise ValueError(f"samples of the form {form} have no offsets")
        if self.occupied is not None and len(self.occupied) != len(self.keyed):
            raise ValueError("the learned columns do not match the samples")
        for part, own in zip(self.keyed, self.occupied or (), strict=False):
            if own is not None:
                own.check(part)
        if self.has_columns:
            columns = sum(encoding.n_columns(part, form) for part, encoding in self.encoded)
            if columns > MAX_FEATURE_COLUMNS:
                raise ValueError(
                    f"the features have {columns:,} columns, but at most {MAX_FEATURE_COLUMNS:,} are allowed"
                )
            if not self.is_sparse and columns > MAX_FEATURES:
                raise ValueError(f"{columns:,} columns are stored per row, but at most {MAX_FEATURES:,} are allowed")

    def _validate_landmarks(self) -> None:
        landmarks = self.plan.landmarks
        if (landmarks is None) != (self.correction is None):
            raise ValueError("landmarks need corrections, and vice versa")
        if landmarks is not None and self.correction is not None:
            shape = landmarks.n_columns, 0 if self.dense is None else self.dense.n_columns(self.plan.form)
            if self.keyed or any(side.shape != shape for side in (self.correction.left, self.correction.right)):
                raise ValueError(f"the corrections must have the shape {shape}, and samples no keys")

    @property
    def plain(self) -> DrawnPlan:
        """The drawn plan alone, as stored in files."""
        return DrawnPlan(self.plan, self.dense, self.keyed, self.occupied, self.correction)

    @property
    def method(self) -> str:
        """`paired`, `phase`, `complex`, or another sampling scheme: `binning`, …"""
        return self.plan.method

    @property
    def noise(self) -> float:
        """The variance v of the observation noise, from a term v*noise(); not part of the features."""
        return self.plan.noise

    @property
    def has_keys(self) -> bool:
        """Whether samples may have keys, even if none was drawn."""
        return self.plan.chosen.is_sparse

    @property
    def is_sparse(self) -> bool:
        """Whether features are CSR: if samples have keys, unless the plan says how to store them."""
        return self.has_keys if self.plan.storage == "auto" else self.plan.storage == "sparse"

    @cached_property
    def shows_all_numbers(self) -> bool:
        """Whether `evaluate` finds numbers in the data that are not finite, so that no prior check is needed."""
        if self.dense is None or self.has_keys or self.correction is not None:
            return False
        return self.dense.shows_all_numbers(self.plan.layout.mapped.dim)

    @property
    def unbiased(self) -> bool:
        """Whether E left·signs·right' is the kernel for every pair of rows; `explain` has the explanation."""
        return self.plan.unbiased and all(own is None or own.unbiased for own in self.occupied or ())

    @property
    def has_columns(self) -> bool:
        """Whether the columns of all keys exist; otherwise some must be learned."""
        return self.plan.collisions is not None or None not in (self.occupied or (None,) * len(self.keyed))

    @cached_property
    def n_columns(self) -> int:
        """The number of feature columns."""
        form, landmarks = self.plan.form, self.plan.landmarks
        if landmarks is None and self.dense is None and not self.keyed:
            return 1  # of zeros
        found = 0 if landmarks is None else landmarks.n_columns
        found += 0 if self.dense is None else self.dense.n_columns(form)
        return found + sum(encoding.n_columns(part, form) for part, encoding in self.encoded)

    def n_columns_of(self, side: Side | Literal["both"] | None) -> int:
        """The number of columns of `transform(X, side=side)`. Raises PlanError for invalid sides."""
        _check_word(side)
        return self.n_columns + (int(self.sided.sum()) if side == "both" else 0)

    @property
    def n_merged(self) -> int:
        """The number of drawn samples merged into equal ones, which makes them free."""
        kept = sum(len(part) for part in self.keyed) + (0 if self.dense is None else len(self.dense.weight))
        return max(0, sum(self.plan.chosen.counts) - kept)

    @cached_property
    def signs(self) -> NDArray[np.float64]:
        """+1 or −1 for every column."""
        form = self.plan.form
        parts = [] if self.plan.landmarks is None else [self.plan.landmarks.signs]
        parts += [] if self.dense is None else [self.dense.signs(form)]
        parts += [encoding.signs(part, form) for part, encoding in self.encoded]
        signs = np.concatenate(parts) if parts else np.ones(1)
        signs.flags.writeable = False  # shared by all users of the map
        return signs

    @cached_property
    def sided(self) -> NDArray[np.bool_]:
        """For every column, whether left and right may differ in it."""
        form, landmarks = self.plan.form, self.plan.landmarks
        if landmarks is not None:
            return np.full(self.n_columns, landmarks.right is not None)
        parts = [] if self.dense is None else [self.dense.sided(form)]
        parts += [np.full(encoding.n_columns(part, form), part.has_sides) for part, encoding in self.encoded]
        return np.concatenate(parts) if parts else np.zeros(1, dtype=bool)

    @cached_property
    def is_one_sided(self) -> bool:
        """Whether inner products of one set of features are the estimate: left is right, and all signs are +1.

        Of samples, those that could have been drawn count: with another seed, a rare sign would be there. Ignores
        constant columns, which `FeatureMap.transform` leaves empty.
        """
        form, landmarks = self.plan.form, self.plan.landmarks
        if any(n and (stratum.weight < 0 or not stratum.law.is_one_sided) for stratum, n in self.plan.parts):
            return False
        if landmarks is not None:
            return landmarks.right is None and not (self.signs < 0).any()
        dense = self.dense is None or not (self.dense.sided(form).any() or (self.dense.signs(form) < 0).any())
        return dense and not any(part.has_sides or (part.sign < 0).any() for part, _ in self.encoded)

    def check_side(self, side: Side | Literal["both"] | None) -> None:
        """Raise PlanError for an invalid side, or if one set of features represents another kernel."""
        _check_word(side)
        if side is None and not self.is_one_sided:
            raise PlanError(
                f"the kernel is {self.obstacle}, so one set of features represents another kernel. Use left(X), "
                'right(Y) and signs; for a linear model, transform(X, side="both")'
            )

    @property
    def obstacle(self) -> str:
        """What of the kernel prevents one-sided features, in words."""
        if self.sided.any():
            return "asymmetric"
        return "indefinite or a difference" if (self.signs < 0).any() else "a difference, or asymmetric"

    @cached_property
    def constant_columns(self) -> list[int]:
        """The columns that correct for chance agreement of bits."""
        found, first = [], 0 if self.dense is None else self.dense.n_columns(self.plan.form)
        for part, encoding in self.encoded:
            found += [first + column for column in encoding.constant_columns(part)]
            first += encoding.n_columns(part, self.plan.form)
        return found

    @cached_property
    def shared_columns(self) -> NDArray[np.bool_]:
        """For every column, whether it is shared by keys that were unknown when columns were learned."""
        form = self.plan.form
        parts = [np.zeros(self.dense.n_columns(form) if self.dense is not None else 0, dtype=bool)]
        parts += [encoding.shared_columns(part, form) for part, encoding in self.encoded]
        return np.concatenate(parts)

    def count_shared(self, features: Any) -> int:
        """The number of entries of features (n, columns), dense or CSR, in columns for unknown keys."""
        shared = self.shared_columns
        if not shared.any():
            return 0
        if isinstance(features, np.ndarray):
            return int(np.count_nonzero(features[:, : len(shared)][:, shared]))
        return int(np.count_nonzero(shared[features.indices[features.indices < len(shared)]]))

    def names(self, side: Side | Literal["both"] = "left") -> list[str]:
        """A name for every column; with side="both", the columns of the right side at the end.

        Raises PlanError for more columns than limits.MAX_FEATURES, whose names would fill the memory, and for invalid
        sides.
        """
        _check_word(side)
        if self.n_columns > MAX_FEATURES:
            raise PlanError(
                f"{self.n_columns:,} columns cannot be named, {MAX_FEATURES:,} can: use fewer buckets or features"
            )
        own = self._names()
        if side != "both":
            return own
        return own + [f"right_{name}" for name, sided in zip(own, self.sided, strict=True) if sided]

    def _names(self) -> list[str]:
        form, landmarks = self.plan.form, self.plan.landmarks
        names = [] if landmarks is None else [f"landmark{j}" for j in range(landmarks.n_columns)]
        names += [] if self.dense is None else self.dense.names(form)
        parts = [
            encoding.names(part, form, self.plan.layout.mapped.names_of(encoding.known.positions))
            if isinstance(encoding, CategoryBlocks)
            else encoding.names(part, form)
            for part, encoding in self.encoded
        ]
        count = Counter(name for own in parts for name in own) if len(parts) > 1 else {}
        for i, own in enumerate(parts):  # categories name themselves, unless two parts have the same
            clashes = any(count.get(name, 0) > 1 for name in own)
            tells = clashes or not isinstance(self.encoded[i][1], CategoryBlocks)
            names += [f"g{i}_{name}" for name in own] if len(parts) > 1 and tells else own
        return names or ["zero"]

    @cached_property
    def encoded(self) -> tuple[tuple[KeyedFeatures, Encoding], ...]:
        """Every keyed part with the mapping of its keys to columns. Raises PlanError if they are not learned yet."""
        if not self.keyed:
            return ()
        own = self.occupied or (None,) * len(self.keyed)
        return tuple(
            (part, self._encoding() if found is None else found) for part, found in zip(self.keyed, own, strict=True)
        )

    def _encoding(self) -> Encoding:
        """The encoding of parts with unknown categories and no learned columns."""
        if self.plan.bits is not None:
            return Bits(self.plan.bits)
        if self.plan.buckets is None:
            raise PlanError("the map was planned for exact columns: learn them with with_columns(X)")
        return Buckets(self.plan.buckets)

    def with_columns_of(self, blocks: Iterable[Rows]) -> Self:
        """The plan with a column for every key of some rows, in blocks; known categories keep their own."""
        if not self.keyed:
            return self
        own = self.occupied or (None,) * len(self.keyed)
        return replace(
            self,
            origin=None,
            occupied=tuple(
                found if isinstance(found, CategoryBlocks) else learn_columns(part, blocks)
                for part, found in zip(self.keyed, own, strict=True)
            ),
        )

    def explain(self) -> str:
        """The plan in words: strata, budget, predicted variance, alternatives, and why this one."""
        from kernelspec.planning.explain import explain_plan

        own = [one for one in self.occupied or () if one is not None]
        shown = explain_plan(
            self.plan,
            self.n_columns if self.has_columns else None,
            learnt=any(not one.of_known_categories for one in own),
            biased_low=not all(one.unbiased for one in own),
        )
        if not self.n_merged:
            return shown
        return f"{shown}\n  {self.n_merged} samples equal others and were merged with them"


def _check_word(side: object) -> None:
    if side not in (None, "left", "right", "both"):
        raise PlanError(f"side must be 'left', 'right' or 'both', not {side!r:.60}")
