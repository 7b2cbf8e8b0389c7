"""A plan: what to draw, how much of each, the predicted variance, and the alternatives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.catalogue import SAMPLERS
from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.columns_and_lags import replaced
from kernelspec.laws.keys import GcwsLaw, PoissonLaw
from kernelspec.laws.law import Collisions, Cut, Law
from kernelspec.laws.rules import DRAWS, SCHEMES
from kernelspec.limits import MAX_FEATURES
from kernelspec.numerics.phasor import Form
from kernelspec.planning.landmarks.landmarks import ChosenLandmarks
from kernelspec.planning.options import Storage, are_biased, columns_of_a_key
from kernelspec.planning.strata import (
    Categories,
    Stratum,
    estimate_bias,
    estimate_variance,
    exactness_of,
    normalized_variance,
)
from kernelspec.rendering.notebooks import coloured, html_rows, latex_rows
from kernelspec.tables.layout import Layout
from kernelspec.tables.schema import types_as_data

__all__ = ["Candidate", "EstimatedMasses", "Plan", "plan_rows", "with_weights", "with_zero_bit"]


def plan_rows(plan: Plan) -> list[tuple[str, str]]:
    """Labels, and what the plan says about each."""
    rows = [
        ("method", plan.chosen.describe()),
        ("size", f"at most {plan.n_features} nonzeros per row"),
        ("seed", str(plan.seed)),
        ("promised", f"standard error {_promised(plan.chosen)}"),
        ("compared on", plan.reference),
        ("why", plan.reason),
        ("considered", "\n".join(f"{other.describe()}: {_promised(other)}" for other in plan.alternatives)),
        ("unbiased", "yes" if plan.unbiased else "no"),
    ]
    return [(label, text) for label, text in rows if text]


def _promised(candidate: Candidate) -> str:
    error = "" if candidate.error is None else f", relative error of the kernel matrix {candidate.error:.3g}"
    return f"{candidate.variance**0.5:.3g}{error}"


@dataclass(frozen=True)
class EstimatedMasses:
    """The weights of the strata, fitted on the rows of the data with these indices."""

    weights: tuple[float, ...]
    rows: tuple[int, ...]


def with_weights(plan: Plan, estimated: EstimatedMasses) -> Plan:
    """The plan with these weights of its strata."""
    pairs = zip(plan.strata, estimated.weights, strict=True)
    return replace(plan, strata=tuple(replace(s, weight=weight) for s, weight in pairs), estimated=estimated)


def with_zero_bit(strata: tuple[Stratum, ...], *, zero_bit: bool = True) -> tuple[Stratum, ...]:
    """The strata with keys i* instead of (i*, t*) for minmax(), or vice versa. Raises PlanError without any."""

    def change(law: Law) -> Law | None:
        return replace(law, zero_bit=zero_bit) if isinstance(law, GcwsLaw | PoissonLaw) else None

    changed = tuple(replace(stratum, law=replaced(stratum.law, change)) for stratum in strata)
    if changed == strata:
        raise PlanError("zero_bit=True shortens the keys of minmax(), but this kernel has none")
    return changed


@dataclass(frozen=True)
class Candidate:
    """One way to spend the budget: `counts` samples of each stratum, every term under its scheme, in one form.

    `variance` is the predicted mean variance of an inner product over the reference pairs, `work` the predicted
    nanoseconds per row if schemes of one law compete. If no sample `is_complex`, all forms are the same. `error` is the
    expected relative error ‖K̂ − K‖_F / ‖K‖_F on the data of the plan, if any. `draws` says for every stratum how its
    samples are coupled, None if independent. `landmarks` is the number of landmark columns, which the samples then
    correct; landmarks without samples are biased.
    """

    form: Form
    mixture: bool
    counts: tuple[int, ...]
    variance: float
    schemes: tuple[str | None, ...] = ()
    is_sparse: bool = False
    is_complex: bool = False
    work: float = 0.0
    error: float | None = None
    landmarks: int = field(default=0, metadata={"saved_as": "anchors"})
    draws: tuple[str | None, ...] = ()
    entries: int | None = field(default=None, repr=False, compare=False)
    columns: int | None = field(default=None, repr=False, compare=False)
    """The most nonzeros per row, and columns; not saved, and None for columns that are learned from data."""
    error_interval: tuple[float, float] | None = field(default=None, compare=False)
    """A 95 % interval for the root mean squared error of 32 maps on equally many new rows."""

    @property
    def is_biased(self) -> bool:
        """Whether it has landmarks but no samples to correct them."""
        return self.landmarks > 0 and not any(self.counts)

    @property
    def method(self) -> str:
        """`landmarks` or `nystrom` with landmarks; the scheme, if all strata have the same one; else the form."""
        if self.landmarks:
            return "nystrom" if self.is_biased else "landmarks"
        first = self.schemes[0] if self.schemes else None
        return first if first is not None and set(self.schemes) == {first} else self.form

    @property
    def is_plain(self) -> bool:
        """Whether some term uses its default scheme."""
        return not self.schemes or None in self.schemes

    @property
    def named(self) -> tuple[str, ...]:
        """Every distinct scheme."""
        return tuple(scheme for scheme in dict.fromkeys(self.schemes) if scheme is not None)

    def describe(self) -> str:
        """`64 landmarks, paired, stratified, sobol`."""
        if self.is_biased:
            return f"{self.landmarks} landmarks alone (nystrom, biased)"
        landmarks = [f"{self.landmarks} landmarks"] if self.landmarks else []
        joint = [f"{draws} (biased)" if are_biased(draws) else draws for draws in self.joint]
        return ", ".join([*landmarks, self._samples(), *joint])

    @property
    def joint(self) -> tuple[str, ...]:
        """Every distinct kind of coupled samples."""
        return tuple(draws for draws in dict.fromkeys(self.draws) if draws is not None)

    def _samples(self) -> str:
        name = " and ".join([*[self.form] * self.is_plain, *self.named])
        if self.is_complex and not self.is_plain:
            name += f", {self.form}"
        if len(self.counts) < 2:
            return name
        return f"{name}, {'mixture' if self.mixture else 'stratified'}"


@dataclass(frozen=True, repr=False)
class Plan:
    """The chosen plan, with everything needed to draw it again.

    `text` is the spec as written, with the `values` of its parameters: a label that is never parsed. Keys have a column
    for every category that the strata know; others are hashed into `buckets` columns per sample with signs, or their
    lowest `bits` are columns, or, if both are None, columns are learned from data. With `normalized`, every row of
    features is divided by its norm; with `zero_bit`, keys of minmax() are shortened, with a measured `bias`, as for
    biased draws; with `estimated`, weights of the strata were fitted to data. With `landmarks`, rows of the data are
    part of the plan, which was made for `planned_rows` of them.
    """

    text: str
    values: tuple[tuple[str, Fraction], ...]
    layout: Layout
    n_features: int
    seed: int
    buckets: int | None
    bits: int | None
    strata: tuple[Stratum, ...]
    chosen: Candidate
    alternatives: tuple[Candidate, ...]
    reference: str
    reason: str
    normalized: bool = False
    zero_bit: bool = False
    bias: str = ""
    notes: tuple[str, ...] = ()
    estimated: EstimatedMasses | None = None
    storage: Storage = "auto"
    landmarks: ChosenLandmarks | None = field(default=None, metadata={"saved_as": "anchors"})
    planned_rows: int = 0
    noise: float = field(default=0.0, metadata={"omitted": 0.0})
    """The variance of the observation noise, which is not sampled."""

    def validate(self) -> None:
        """Raise ValueError unless strata, samples and columns are consistent, since a saved plan may hold anything."""
        least = 0 if self.chosen.is_biased else 1
        if len(self.strata) != len(self.chosen.counts) or min(self.chosen.counts, default=1) < least:
            raise ValueError(f"{len(self.strata)} strata do not match the numbers of samples {self.chosen.counts}")
        if max(self.n_features, sum(self.chosen.counts)) > MAX_FEATURES:
            raise ValueError(f"there are more than {MAX_FEATURES:,} features")
        for one in (self.chosen, *self.alternatives):
            unknown = {name for name in one.named if name not in SCHEMES and name not in SAMPLERS}
            unknown |= {name for name in one.joint if name not in DRAWS}
            if unknown:
                raise ValueError(f"unknown sampling scheme {min(unknown)!r}")
        for stratum in self.strata:
            if not all(0 <= position < self.layout.mapped.dim for position in stratum.positions):
                raise ValueError(f"a stratum is on the columns {stratum.positions} of {self.layout.mapped.dim}")
        numbers = self.n_features >= 1 and min(self.seed, self.planned_rows) >= 0 and 0 <= self.noise < np.inf
        if not numbers or (self.bits is not None and self.buckets is not None):
            raise ValueError("invalid numbers of features, buckets or bits, or seed")
        if self.buckets is not None and self.buckets > 2**31:
            raise ValueError(f"there are {self.buckets} buckets, but at most 2**31 are allowed")
        _ = self.collisions
        if self.estimated is not None and len(self.estimated.weights) != len(self.strata):
            raise ValueError("the numbers of weights and strata differ")
        if self.chosen.landmarks != (0 if self.landmarks is None else self.landmarks.n_columns):
            raise ValueError("the number of landmarks is inconsistent")
        if self.landmarks is not None and (
            self.form != "paired" or self.chosen.is_sparse or self.landmarks.left.width != self.layout.mapped.dim
        ):
            raise ValueError("landmarks need paired features of the table's columns")
        phases = len(self.strata) == 1 and self.form == "phase" and not self.chosen.is_sparse
        if self.normalized and not (phases and float(self.strata[0].law.magnitude()) > 0):
            raise ValueError("only one kernel with random offsets can be divided by its norm")

    @property
    def form(self) -> Form:
        """How a complex amplitude becomes columns."""
        return self.chosen.form

    @property
    def method(self) -> str:
        """The scheme of all strata, or the form."""
        return self.chosen.method

    @property
    def collisions(self) -> Collisions | None:
        """The variance added by hashing the keys; None if columns are learned."""
        return Collisions.of(self.buckets, self.bits)

    @property
    def unbiased(self) -> bool:
        """Whether the mean of the estimate is the kernel for every pair of rows."""
        changed = self.normalized or self.zero_bit or self.estimated is not None or self.has_biased_draws
        return not (changed or self.cuts or self.chosen.is_biased)

    @property
    def exactness(self) -> str:
        """The rules by which the map is exact except for rounding, in words; "" for a map that may have an error.

        Holds for rows with known categories, if it has columns for those.
        """
        if not self.unbiased:
            return ""
        return exactness_of(self.strata, self.form, hashed=self.collisions is not None)

    @property
    def has_biased_draws(self) -> bool:
        """Whether some samples are coupled in a way that changes their mean."""
        return any(map(are_biased, self.chosen.draws))

    @property
    def is_measured(self) -> bool:
        """Whether the variance was measured: coupled samples and landmarks have no formula."""
        return self.landmarks is not None or any(self.chosen.draws)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """What the samples leave out: degrees of dual activations."""
        return tuple(dict.fromkeys(cut for stratum in self.strata for cut in stratum.law.cuts))

    def variance(self, pairs: NumericPairs, collisions: Collisions | None = None) -> NDArray[Any]:
        """Predicted variance of the estimate for these pairs; with `collisions`, of features with hashed keys."""
        if self.normalized:
            ((stratum, n),) = self.parts
            return normalized_variance(stratum, n, pairs)
        if self.landmarks is not None:
            from kernelspec.planning.landmarks.pilot import landmark_variance

            return landmark_variance(self.parts, self.landmarks, pairs)
        return estimate_variance(self.parts, pairs, self.form, collisions)

    def bias_on(self, pairs: NumericPairs) -> NDArray[Any]:
        """The mean of the estimate minus the kernel: for cut degrees and for landmarks alone; else 0."""
        if self.landmarks is not None and self.chosen.is_biased:
            from kernelspec.planning.landmarks.pilot import landmark_bias

            return landmark_bias(self.strata, self.landmarks, pairs)
        return estimate_bias(self.strata, pairs)

    @property
    def bounds_error(self) -> bool:
        """Whether k(x, x) − ‖h(x)‖² of its landmarks bounds what they leave: of a positive definite kernel alone."""
        landmarks = self.landmarks
        if landmarks is None or landmarks.right is not None:
            return False
        return not (any(stratum.weight < 0 for stratum in self.strata) or (landmarks.signs < 0).any())

    @property
    def categories(self) -> Categories:
        """The categories with their own columns."""
        known = [stratum.known for stratum in self.strata if stratum.known is not None]
        stored = columns_of_a_key(self.buckets, self.bits) if self.storage == "dense" else None
        return Categories({categories.positions: categories for categories in known}, self.buckets, stored)

    @property
    def parts(self) -> list[tuple[Stratum, int]]:
        """Every stratum with its number of samples."""
        return list(zip(self.strata, self.chosen.counts, strict=True))

    def __repr__(self) -> str:
        return f"Plan({self.method}, {self.n_features} features, seed {self.seed})"

    def _repr_html_(self) -> str:
        return coloured(self.text) + html_rows("Plan", plan_rows(self))

    def _repr_latex_(self) -> str:
        return latex_rows(plan_rows(self))

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON data."""
        return {
            "spec": self.text,
            "columns": self.layout.mapped.dim,
            "names": None if self.layout.mapped.names is None else list(self.layout.mapped.names),
            "types": types_as_data(self.layout),
            "n_features": self.n_features,
            "seed": self.seed,
            "buckets": self.buckets,
            "bits": self.bits,
            "storage": self.storage,
            "normalized": self.normalized,
            "zero_bit": self.zero_bit,
            "bias": self.bias,
            "notes": list(self.notes),
            "noise": self.noise,
            "method": self.method,
            "strata": [
                {
                    "weight": stratum.weight,
                    "positions": list(stratum.positions),
                    "samples": n,
                    "scheme": stratum.scheme,
                    "categories": None if stratum.known is None else len(stratum.known),
                    "draws": draws,
                }
                for (stratum, n), draws in zip(self.parts, self.chosen.draws or (None,) * len(self.strata), strict=True)
            ],
            "landmarks": self.chosen.landmarks,
            "unbiased": self.unbiased,
            "exact": self.exactness,
            "predicted_variance": self.chosen.variance,
            "predicted_error": self.chosen.error,
            "predicted_error_interval": self.chosen.error_interval and list(self.chosen.error_interval),
            "stored_entries": self.chosen.entries,
            "columns_of_features": self.chosen.columns,
            "reference": self.reference,
            "reason": self.reason,
            "alternatives": [
                {
                    "plan": other.describe(),
                    "samples": list(other.counts),
                    "predicted_variance": other.variance,
                    "predicted_error": other.error,
                    "stored_entries": other.entries,
                    "columns_of_features": other.columns,
                }
                for other in self.alternatives
            ],
        }
