"""Factors of keys and of amplitudes as arrays, and from arrays again: every kind by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from kernelspec.maps.saved.map_archive import Arrays, arrays_below
from kernelspec.samples.amplitudes.amplitude_factor import AmplitudeFactor, AmplitudeRuns
from kernelspec.samples.amplitudes.category_phases import CategoryPhases
from kernelspec.samples.amplitudes.linear_forms import LinearForms
from kernelspec.samples.amplitudes.neurons import Neurons
from kernelspec.samples.keys.binning import BinningKey
from kernelspec.samples.keys.chosen_key import ChosenKey
from kernelspec.samples.keys.column_key import ColumnKey
from kernelspec.samples.keys.gcws import GcwsKey
from kernelspec.samples.keys.mapped_key import MappedKey
from kernelspec.samples.keys.match import MatchKey
from kernelspec.samples.keys.poisson import PoissonKey
from kernelspec.samples.keys.run_key import RunKey
from kernelspec.samples.keys.translated_key import TranslatedKey
from kernelspec.samples.samples import KeyFactor

__all__ = ["amplitude_factors_from", "key_factors_from", "put_factors"]

Header: TypeAlias = dict[str, Any]


def put_factors(arrays: Arrays, name: str, factors: Sequence[KeyFactor] | Sequence[AmplitudeFactor]) -> list[Header]:
    """Add the arrays of the factors, under `name` and their number; their headers, in order."""
    headers = []
    described: Sequence[KeyFactor | AmplitudeFactor] = factors
    for i, factor in enumerate(described):
        header, own = factor.to_arrays()
        headers.append(header)
        arrays |= {f"{name}{i}_{key}": value for key, value in own.items()}
    return headers


def key_factors_from(arrays: Arrays, name: str, headers: Sequence[Header]) -> tuple[KeyFactor, ...]:
    """The factors of keys that `put_factors` added. Raises KeyError for a kind that there is not."""
    return tuple(_key_factor(header, arrays_below(f"{name}{i}_", arrays)) for i, header in enumerate(headers))


def amplitude_factors_from(arrays: Arrays, name: str, headers: Sequence[Header]) -> tuple[AmplitudeFactor, ...]:
    """The factors of amplitudes that `put_factors` added. Raises KeyError for a kind that there is not."""
    return tuple(_amplitude_factor(header, arrays_below(f"{name}{i}_", arrays)) for i, header in enumerate(headers))


def _key_factor(header: Header, arrays: Arrays) -> KeyFactor:
    return _KEY_FACTORS[header["kind"]](header, arrays)


def _amplitude_factor(header: Header, arrays: Arrays) -> AmplitudeFactor:
    return _AMPLITUDE_FACTORS[header["kind"]](header, arrays)


def _inner_key(header: Header, arrays: Arrays) -> KeyFactor:
    """The factor that the one described by the header is made from."""
    return _key_factor(header["factor"], arrays_below("factor_", arrays))


def _positions(header: Header) -> tuple[int, ...]:
    return tuple(int(position) for position in header["positions"])


def _column_key(header: Header, arrays: Arrays) -> ColumnKey:
    return ColumnKey(_inner_key(header, arrays), arrays["chosen"].astype(np.intp))


def _mapped_key(header: Header, arrays: Arrays) -> MappedKey:
    return MappedKey(_inner_key(header, arrays), arrays["matrix"], _positions(header))


def _run_key(header: Header, arrays: Arrays) -> RunKey:
    return RunKey(_inner_key(header, arrays), arrays["starts"])


def _translated_key(header: Header, arrays: Arrays) -> TranslatedKey:
    by = tuple(float(entry) for entry in arrays["by"])
    return TranslatedKey(_inner_key(header, arrays), by, _positions(header))


def _amplitude_runs(header: Header, arrays: Arrays) -> AmplitudeRuns:
    inner = _amplitude_factor(header["factor"], arrays_below("factor_", arrays))
    return AmplitudeRuns(inner, arrays["starts"])


def _category_phases(header: Header, arrays: Arrays) -> CategoryPhases:
    return CategoryPhases(arrays["words"], _inner_key(header, arrays))


_KEY_FACTORS: Mapping[str, Callable[[Header, Arrays], KeyFactor]] = MappingProxyType(
    {
        "binning": BinningKey.from_arrays,
        "chosen": ChosenKey.from_arrays,
        "column": _column_key,
        "gcws": GcwsKey.from_arrays,
        "mapped": _mapped_key,
        "match": MatchKey.from_arrays,
        "poisson": PoissonKey.from_arrays,
        "runs": _run_key,
        "translated": _translated_key,
    }
)

_AMPLITUDE_FACTORS: Mapping[str, Callable[[Header, Arrays], AmplitudeFactor]] = MappingProxyType(
    {
        "category phases": _category_phases,
        "linear forms": LinearForms.from_arrays,
        "neurons": Neurons.from_arrays,
        "runs": _amplitude_runs,
    }
)
