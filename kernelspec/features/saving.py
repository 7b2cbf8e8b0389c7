"""Feature maps on disk: NumPy arrays and a JSON header in one `.npz`, never a pickle."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import FileError
from kernelspec.features.amplitudes import AmplitudeFactor, AmplitudeRuns
from kernelspec.features.binning import BinningKey
from kernelspec.features.chosen_key import ChosenKey
from kernelspec.features.columns_read import from_array, to_array
from kernelspec.features.dense import DenseFeatures, Placed
from kernelspec.features.exact_columns import Exact
from kernelspec.features.feature_map import FeatureMap
from kernelspec.features.frequencies import frequencies_from, frequency_arrays
from kernelspec.features.gcws import GcwsKey
from kernelspec.features.growth import Growth
from kernelspec.features.keyed import KeyedFeatures
from kernelspec.features.linear_forms import LinearForms
from kernelspec.features.mapped_key import MappedKey
from kernelspec.features.match import MatchKey
from kernelspec.features.neurons import Neurons
from kernelspec.features.poisson import PoissonKey
from kernelspec.features.run_key import RunKey
from kernelspec.features.samples import KeyFactor, Phasors
from kernelspec.features.translated_key import TranslatedKey
from kernelspec.planning.restoring import plan_from_dict, plan_to_dict

__all__ = ["load_map", "save_map"]

_FORMAT = "kernelspec feature map"
_VERSION = 1
Arrays = dict[str, NDArray[Any]]


def save_map(feature_map: FeatureMap, path: Path) -> None:
    """Write a map; the file appears whole or not at all. Raises FileError."""
    from kernelspec.files.atomic import atomic_path

    arrays: Arrays = {}
    header: dict[str, Any] = {"format": _FORMAT, "version": _VERSION, "plan": plan_to_dict(feature_map.plan)}
    if feature_map.dense is not None:
        _put_samples(arrays, "dense", feature_map.dense)
        _put_phasors(arrays, "dense", feature_map.dense.phasors)
        _put_growth(arrays, "dense", feature_map.dense.growth)
        header["real"] = feature_map.dense.n_real
        header["places"] = [[placed.start, placed.stop] for placed in feature_map.dense.amplitudes]
        factors = [placed.factor for placed in feature_map.dense.amplitudes]
        header["amplitudes"] = _put_factors(arrays, "dense_amplitude", factors)
    header["dense"] = feature_map.dense is not None
    header["keyed"] = [_put_keyed(arrays, f"keyed{i}", part) for i, part in enumerate(feature_map.keyed)]
    header["occupied"] = feature_map.occupied is not None
    for i, columns in enumerate(feature_map.occupied or ()):
        arrays |= {f"keyed{i}_occupied": columns.keys, f"keyed{i}_starts": columns.starts}
    text = json.dumps(header, sort_keys=True).encode()
    arrays["header"], arrays["digest"] = np.frombuffer(text, dtype=np.uint8), _digest(text, arrays)
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_map(path: str | Path) -> FeatureMap:
    """Read a map written by `FeatureMap.save`.

    Raises FileError for a file that is missing, damaged, edited, not a feature map, or of a later version.
    """
    try:
        with Path(path).open("rb") as file:
            arrays = _read_arrays(file)
            text = arrays.pop("header").tobytes()
            header = json.loads(text)
            if header["format"] != _FORMAT:
                raise ValueError("the header is of another format")
            if header["version"] != _VERSION:
                raise FileError(
                    f"{path} has format version {header['version']}; this version of kernelspec reads {_VERSION}"
                )
            if not np.array_equal(arrays.pop("digest"), _digest(text, arrays)):
                raise ValueError("its contents are not what was saved")
            return _restore(header, arrays)
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"there is no file {path}") from None
    except Exception as error:  # whatever zipfile, NumPy and json make of bytes that are something else
        raise FileError(f"{path} is no kernelspec feature map, or it is damaged: {error}") from None


def _read_arrays(file: BinaryIO) -> Arrays:
    archive = np.load(file, allow_pickle=False)
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise ValueError("it holds one array")
    return {name: archive[name] for name in archive.files}


def _digest(header: bytes, arrays: Arrays) -> NDArray[np.uint8]:
    """A checksum of everything in the file: zip's own says nothing about a header that was edited."""
    state = blake2b(header, digest_size=16)
    for name in sorted(arrays):
        array = arrays[name]
        state.update(f"{name} {array.dtype.str} {array.shape}".encode())
        state.update(array.tobytes())
    return np.frombuffer(state.digest(), dtype=np.uint8)


def _restore(header: dict[str, Any], arrays: Arrays) -> FeatureMap:
    dense = None
    if header["dense"]:
        dense = DenseFeatures(
            _get_phasors(arrays, "dense"),
            *_get_samples(arrays, "dense"),
            _get_growth(arrays, "dense"),
            _get_placed(header, arrays),
            int(header["real"]),
        )
    keyed = tuple(_get_keyed(arrays, f"keyed{i}", part) for i, part in enumerate(header["keyed"]))
    occupied = None
    if header["occupied"]:
        occupied = tuple(Exact(arrays[f"keyed{i}_occupied"], arrays[f"keyed{i}_starts"]) for i in range(len(keyed)))
    return FeatureMap(plan_from_dict(header["plan"]), dense, keyed, occupied)


def _put_samples(arrays: Arrays, name: str, part: DenseFeatures | KeyedFeatures) -> None:
    arrays |= {f"{name}_weight": part.weight, f"{name}_sign": part.sign, f"{name}_offsets": part.offsets}


def _get_samples(arrays: Arrays, name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    return arrays[f"{name}_weight"], arrays[f"{name}_sign"], arrays[f"{name}_offsets"]


def _put_phasors(arrays: Arrays, name: str, phasors: Phasors) -> None:
    arrays[f"{name}_columns"] = to_array(phasors.columns)
    arrays |= {f"{name}_left": phasors.left, f"{name}_right": phasors.right}
    arrays |= {f"{name}_{part}": array for part, array in frequency_arrays(phasors.frequencies).items()}


def _get_phasors(arrays: Arrays, name: str) -> Phasors:
    columns = from_array(arrays[f"{name}_columns"])
    own = _below(f"{name}_", arrays)
    return Phasors(columns, frequencies_from(own, len(columns)), own["left"], own["right"])


def _put_growth(arrays: Arrays, name: str, growth: Growth | None) -> None:
    if growth is not None:
        arrays |= {
            f"{name}_growth_columns": np.array(growth.columns, dtype=np.int64),
            f"{name}_growth_rates": growth.rates,
        }


def _get_growth(arrays: Arrays, name: str) -> Growth | None:
    if f"{name}_growth_rates" not in arrays:
        return None
    columns = tuple(int(column) for column in arrays[f"{name}_growth_columns"])
    return Growth(columns, arrays[f"{name}_growth_rates"])


def _put_keyed(arrays: Arrays, name: str, part: KeyedFeatures) -> dict[str, Any]:
    _put_samples(arrays, name, part)
    arrays[f"{name}_identity"] = part.identity
    if part.phasors is not None:
        _put_phasors(arrays, name, part.phasors)
    _put_growth(arrays, name, part.growth)
    return {
        "phasors": part.phasors is not None,
        "factors": _put_factors(arrays, f"{name}_factor", part.factors),
        "amplitudes": _put_factors(arrays, f"{name}_amplitude", part.own_amplitudes),
    }


def _put_factors(
    arrays: Arrays, name: str, factors: Sequence[KeyFactor] | Sequence[AmplitudeFactor]
) -> list[dict[str, Any]]:
    headers = []
    described: Sequence[KeyFactor | AmplitudeFactor] = factors
    for i, factor in enumerate(described):
        header, own = factor.to_arrays()
        headers.append(header)
        arrays |= {f"{name}{i}_{key}": value for key, value in own.items()}
    return headers


def _get_placed(header: dict[str, Any], arrays: Arrays) -> tuple[Placed, ...]:
    factors = _get_amplitudes(arrays, "dense_amplitude", header["amplitudes"])
    return tuple(
        Placed(int(start), int(stop), factor) for (start, stop), factor in zip(header["places"], factors, strict=True)
    )


def _get_amplitudes(arrays: Arrays, name: str, headers: list[dict[str, Any]]) -> tuple[AmplitudeFactor, ...]:
    return tuple(_restored_amplitude(described, _below(f"{name}{i}_", arrays)) for i, described in enumerate(headers))


def _get_keyed(arrays: Arrays, name: str, header: dict[str, Any]) -> KeyedFeatures:
    factors: list[KeyFactor] = []
    for i, described in enumerate(header["factors"]):
        prefix = f"{name}_factor{i}_"
        factors.append(_restored_factor(described, _below(prefix, arrays)))
    phasors = _get_phasors(arrays, name) if header["phasors"] else None
    identity, growth = arrays[f"{name}_identity"], _get_growth(arrays, name)
    amplitudes = _get_amplitudes(arrays, f"{name}_amplitude", header["amplitudes"])
    return KeyedFeatures(tuple(factors), phasors, *_get_samples(arrays, name), identity, growth, amplitudes)


def _below(prefix: str, arrays: Arrays) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _mapped_key(header: dict[str, Any], arrays: Arrays) -> MappedKey:
    inner = _restored_factor(header["factor"], _below("factor_", arrays))
    return MappedKey(inner, arrays["matrix"], tuple(int(position) for position in header["positions"]))


def _run_key(header: dict[str, Any], arrays: Arrays) -> RunKey:
    return RunKey(_restored_factor(header["factor"], _below("factor_", arrays)), arrays["starts"])


def _amplitude_runs(header: dict[str, Any], arrays: Arrays) -> AmplitudeRuns:
    return AmplitudeRuns(_restored_amplitude(header["factor"], _below("factor_", arrays)), arrays["starts"])


def _translated_key(header: dict[str, Any], arrays: Arrays) -> TranslatedKey:
    inner = _restored_factor(header["factor"], _below("factor_", arrays))
    by = tuple(float(entry) for entry in arrays["by"])
    return TranslatedKey(inner, by, tuple(int(position) for position in header["positions"]))


_KEY_FACTORS: dict[str, Callable[[dict[str, Any], Arrays], KeyFactor]] = {
    "binning": BinningKey.from_arrays,
    "chosen": ChosenKey.from_arrays,
    "gcws": GcwsKey.from_arrays,
    "mapped": _mapped_key,
    "match": MatchKey.from_arrays,
    "runs": _run_key,
    "poisson": PoissonKey.from_arrays,
    "translated": _translated_key,
}


_AMPLITUDE_FACTORS: dict[str, Callable[[dict[str, Any], Arrays], AmplitudeFactor]] = {
    "linear forms": LinearForms.from_arrays,
    "neurons": Neurons.from_arrays,
    "runs": _amplitude_runs,
}


def _restored_amplitude(header: dict[str, Any], arrays: Arrays) -> AmplitudeFactor:
    return _AMPLITUDE_FACTORS[header["kind"]](header, arrays)


def _restored_factor(header: dict[str, Any], arrays: Arrays) -> KeyFactor:
    return _KEY_FACTORS[header["kind"]](header, arrays)
