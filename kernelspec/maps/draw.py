"""Draw a plan's samples: every stratum draws its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.catalogue import blame, package_of
from kernelspec.errors import PlanError, PluginError
from kernelspec.laws.law import Law
from kernelspec.limits import MAX_BLOCK_BYTES, MAX_MAP_BYTES
from kernelspec.maps.dense import DenseFeatures, Placed
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.maps.landmarks import landmark_correction
from kernelspec.maps.learned_columns import CategoryBlocks
from kernelspec.planning.plan import Plan
from kernelspec.random.streams import Stream, hash_numbers, mix
from kernelspec.samples.frequencies import Growth
from kernelspec.samples.hadamard_frequencies import HadamardFrequencies
from kernelspec.samples.samples import Phasors, Samples, check_weights, merge_equal

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernelspec.planning.strata import Stratum

    Drawn: TypeAlias = tuple[DenseFeatures | None, tuple[KeyedFeatures, ...], tuple[CategoryBlocks | None, ...] | None]
    """Samples without keys, samples with keys, and columns for the keys."""

__all__ = ["draw", "draw_plan"]

_PILOT, _FEWEST, _SPARSE_ENTRY = 256, 16, 16
"""The most and the fewest samples that show how sparse the others are, and bytes of an entry: its value, its column,
and a share of its row.
"""


def draw_plan(plan: Plan) -> DrawnPlan:
    """The samples of a plan: the same for the same plan."""
    dense, keyed, occupied = draw(plan)
    if plan.landmarks is None:
        return DrawnPlan(plan, dense, keyed, occupied)
    return DrawnPlan(plan, dense, keyed, occupied, landmark_correction(plan, plan.landmarks, dense))


def _complete(law: Law, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
    """Samples 0, …, n − 1. Raises PluginError if the sampler of a plug-in leaves some out, or draws NaN."""
    batches = law.draw(stream, n, columns)
    drawn = np.zeros(n, dtype=bool)
    for batch in batches:
        drawn[batch.index] = True
        frequencies = None if batch.phasors is None or package_of(type(law)) is None else batch.phasors.frequencies
        if isinstance(frequencies, np.ndarray) and np.isnan(frequencies).any():
            blame((law,), "a sample is NaN")
    if not drawn.all():
        raise PluginError(f"draw() of {type(law).__name__} was asked for {n} samples and gave {int(drawn.sum())}")
    return batches


def draw(plan: Plan, only: int | None = None) -> Drawn:
    """Draw the random numbers of a plan: all samples without keys in one batch, the others by structure.

    Also returns, for every part with keys, the columns of its categories, if the plan knows any. For a single stratum,
    `only`, the samples are the same as in the whole.
    """
    _check_size(plan)
    dense: list[tuple[Samples, np.ndarray]] = []
    keyed: list[KeyedFeatures] = []
    blocks: list[CategoryBlocks | None] = []
    root = Stream(plan.seed)
    for number, (stratum, n) in enumerate(plan.parts):
        if not n or only not in (None, number):  # n is 0 for landmarks alone
            continue
        stream = root.child(number)
        offsets = stream.generator("offset").random(n) * 2 * np.pi if plan.form == "phase" else np.zeros(n)
        terms = np.zeros(n, dtype=np.uint64)
        for batch in merge_equal(_complete(stratum.law, stream, n, stratum.positions), plan.form):
            scaled = batch.relabelled(batch.index, abs(stratum.weight) / n, -1.0 if stratum.weight < 0 else 1.0)
            check_weights(scaled.weight)
            if scaled.keys:
                from kernelspec.maps.keyed import KeyedFeatures
                from kernelspec.maps.learned_columns import CategoryBlocks

                identity = mix(hash_numbers(np.full(len(batch), number)), batch.index.astype(np.uint64), salt=plan.seed)
                term = _numbered(terms, batch.index)
                identity = np.where(term > 0, mix(identity, term), identity)
                shifts = offsets[batch.index]
                part = KeyedFeatures(
                    scaled.keys,
                    scaled.phasors,
                    scaled.weight,
                    scaled.sign,
                    shifts,
                    identity,
                    scaled.growth,
                    scaled.amplitudes,
                )
                own = None if stratum.known is None else CategoryBlocks(stratum.known, stratum.shared)
                if own is not None:
                    own.check(part)  # a block of another category would be an undetected bias
                blocks.append(own)
                keyed.append(part)
            else:
                dense.append((scaled, offsets[batch.index]))
    return _joined(dense), tuple(keyed), tuple(blocks) if any(blocks) else None


def _check_size(plan: Plan) -> None:
    """Raise PlanError if the random numbers (samples times columns) would exceed the memory limit."""

    def size_without(structured: Callable[[Stratum], bool]) -> int:
        return sum(_size(stratum, n) for stratum, n in plan.parts if not structured(stratum))

    size = size_without(lambda stratum: stratum.draws == "hadamard")  # structured frequencies have no matrix
    if size > MAX_MAP_BYTES:
        from kernelspec.laws.joint import joint

        least = size_without(lambda each: joint(each.independent.law, "hadamard", each.positions) is not None)
        structured = ', draws="hadamard",' if least <= MAX_MAP_BYTES and plan.landmarks is None else ""
        raise PlanError(
            f"{plan.n_features:,} features of {len(plan.layout.mapped.used):,} columns need {size / 2**30:,.1f} GiB of "
            f"random numbers, but at most {MAX_MAP_BYTES >> 30} GiB are allowed: use fewer features or columns (TF-IDF "
            f"with fewer terms){structured} or minmax()"
        )


def _size(stratum: Stratum, n: int) -> int:
    """Bytes of the random numbers of n samples: those of sparse samples as a few of them have on average."""
    dense = 8 * n * len(stratum.positions)
    pilot = min(_PILOT, MAX_BLOCK_BYTES // (8 * len(stratum.positions)))  # they may be dense after all
    if dense <= MAX_MAP_BYTES or stratum.draws is not None or pilot < _FEWEST:
        return dense
    entries = 0
    for batch in stratum.law.draw(Stream(0), pilot, stratum.positions):
        frequencies = None if batch.phasors is None else batch.phasors.frequencies
        if batch.keys or batch.amplitudes or isinstance(frequencies, np.ndarray | HadamardFrequencies):
            return dense
        entries += 0 if frequencies is None else frequencies.nnz
    return n * _SPARSE_ENTRY * entries // pilot


def _joined(batches: list[tuple[Samples, np.ndarray]]) -> DenseFeatures | None:
    """All samples without keys, complex ones first; samples without a phasor have frequency zero."""
    if not batches:
        return None
    batches = sorted(batches, key=lambda pair: not pair[0].is_complex)
    starts = np.cumsum([0, *(len(batch) for batch, _ in batches)]).tolist()
    phasors = [batch.phasors or Phasors.symmetric((), np.zeros((len(batch), 0))) for batch, _ in batches]
    return DenseFeatures(
        Phasors.join(phasors),
        np.concatenate([batch.weight for batch, _ in batches]),
        np.concatenate([batch.sign for batch, _ in batches]),
        np.concatenate([offsets for _, offsets in batches]),
        Growth.join([(batch.growth, len(batch)) for batch, _ in batches]),
        tuple(
            Placed(start, start + len(batch), factor)
            for start, (batch, _) in zip(starts, batches, strict=False)
            for factor in batch.amplitudes
        ),
        sum(len(batch) for batch, _ in batches if not batch.is_complex),
    )


def _numbered(terms: NDArray[np.uint64], index: NDArray[np.intp]) -> NDArray[np.uint64]:
    """The index of each term within its sample; updates `terms`, the counts so far."""
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    before = np.arange(len(index)) - np.searchsorted(ordered, ordered, side="left")
    number = np.empty(len(index), dtype=np.uint64)
    number[order] = before
    number += terms[index]
    np.add.at(terms, index, np.uint64(1))
    return number
