"""The parts of a map, dense and keyed, as arrays and from arrays again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.maps.dense import DenseFeatures, Placed
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.maps.saved.map_archive import Arrays, arrays_below
from kernelspec.maps.saved.saved_factors import amplitude_factors_from, key_factors_from, put_factors
from kernelspec.samples.columns_read import from_array, to_array
from kernelspec.samples.frequencies import frequencies_from, frequency_arrays
from kernelspec.samples.growth import Growth
from kernelspec.samples.samples import Phasors

__all__ = ["dense_from", "keyed_from", "put_dense", "put_keyed"]


def put_dense(arrays: Arrays, part: DenseFeatures) -> dict[str, Any]:
    """Add the arrays of the samples without keys; what the header says of them."""
    _put_samples(arrays, "dense", part)
    _put_phasors(arrays, "dense", part.phasors)
    _put_growth(arrays, "dense", part.growth)
    return {
        "real": part.n_real,
        "places": [[placed.start, placed.stop] for placed in part.amplitudes],
        "amplitudes": put_factors(arrays, "dense_amplitude", [placed.factor for placed in part.amplitudes]),
    }


def dense_from(arrays: Arrays, header: dict[str, Any]) -> DenseFeatures:
    """The samples that `put_dense` added."""
    factors = amplitude_factors_from(arrays, "dense_amplitude", header["amplitudes"])
    placed = tuple(
        Placed(int(start), int(stop), factor) for (start, stop), factor in zip(header["places"], factors, strict=True)
    )
    phasors, growth = _phasors_from(arrays, "dense"), _growth_from(arrays, "dense")
    return DenseFeatures(phasors, *_samples_from(arrays, "dense"), growth, placed, int(header["real"]))


def put_keyed(arrays: Arrays, name: str, part: KeyedFeatures) -> dict[str, Any]:
    """Add the arrays of samples with keys, under `name`; what the header says of them."""
    _put_samples(arrays, name, part)
    arrays[f"{name}_identity"] = part.identity
    if part.phasors is not None:
        _put_phasors(arrays, name, part.phasors)
    _put_growth(arrays, name, part.growth)
    return {
        "phasors": part.phasors is not None,
        "factors": put_factors(arrays, f"{name}_factor", part.factors),
        "amplitudes": put_factors(arrays, f"{name}_amplitude", part.own_amplitudes),
    }


def keyed_from(arrays: Arrays, name: str, header: dict[str, Any]) -> KeyedFeatures:
    """The samples that `put_keyed` added."""
    factors = key_factors_from(arrays, f"{name}_factor", header["factors"])
    phasors = _phasors_from(arrays, name) if header["phasors"] else None
    identity, growth = arrays[f"{name}_identity"], _growth_from(arrays, name)
    amplitudes = amplitude_factors_from(arrays, f"{name}_amplitude", header["amplitudes"])
    return KeyedFeatures(factors, phasors, *_samples_from(arrays, name), identity, growth, amplitudes)


def _put_samples(arrays: Arrays, name: str, part: DenseFeatures | KeyedFeatures) -> None:
    arrays |= {f"{name}_weight": part.weight, f"{name}_sign": part.sign, f"{name}_offsets": part.offsets}


def _samples_from(arrays: Arrays, name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    return arrays[f"{name}_weight"], arrays[f"{name}_sign"], arrays[f"{name}_offsets"]


def _put_phasors(arrays: Arrays, name: str, phasors: Phasors) -> None:
    arrays[f"{name}_columns"] = to_array(phasors.columns)
    arrays |= {f"{name}_left": phasors.left, f"{name}_right": phasors.right}
    arrays |= {f"{name}_{part}": array for part, array in frequency_arrays(phasors.frequencies).items()}


def _phasors_from(arrays: Arrays, name: str) -> Phasors:
    columns = from_array(arrays[f"{name}_columns"])
    own = arrays_below(f"{name}_", arrays)
    return Phasors(columns, frequencies_from(own, len(columns)), own["left"], own["right"])


def _put_growth(arrays: Arrays, name: str, growth: Growth | None) -> None:
    if growth is not None:
        columns = np.array(growth.columns, dtype=np.int64)
        arrays |= {f"{name}_growth_columns": columns, f"{name}_growth_rates": growth.rates}


def _growth_from(arrays: Arrays, name: str) -> Growth | None:
    if f"{name}_growth_rates" not in arrays:
        return None
    columns = tuple(int(column) for column in arrays[f"{name}_growth_columns"])
    return Growth(columns, arrays[f"{name}_growth_rates"])
