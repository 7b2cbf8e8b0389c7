"""Maps of format 1, which kernelspec 0.1 wrote: their plan followed from the text of the spec, which is parsed.

The one place where a saved map may be parsed and elaborated. What is restored here is checked by nobody yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.activations.catalogue import load_activation
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.laws.catalogue import SCHEMES
from kernelspec.maps.columns.exact_columns import Exact
from kernelspec.maps.dense import DenseFeatures, Placed
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.maps.saved.part_codec import Arrays
from kernelspec.maps.saved.replanned import replanned
from kernelspec.planning.estimated_masses import EstimatedMasses
from kernelspec.planning.methods import FORMS
from kernelspec.planning.plan import Candidate, Plan
from kernelspec.samples.amplitudes.amplitude_factor import AmplitudeFactor, AmplitudeRuns
from kernelspec.samples.amplitudes.category_phases import CategoryPhases
from kernelspec.samples.amplitudes.linear_forms import LinearForms
from kernelspec.samples.amplitudes.neurons import Neurons
from kernelspec.samples.columns_read import ColumnRead, UnitColumn
from kernelspec.samples.growth import Growth
from kernelspec.samples.keys.binning import BinningKey
from kernelspec.samples.keys.chosen_key import ChosenKey
from kernelspec.samples.keys.column_key import ColumnKey
from kernelspec.samples.keys.gcws import GcwsKey
from kernelspec.samples.keys.mapped_key import MappedKey
from kernelspec.samples.keys.match import MatchKey
from kernelspec.samples.keys.poisson import PoissonKey
from kernelspec.samples.keys.run_key import RunKey
from kernelspec.samples.keys.translated_key import TranslatedKey
from kernelspec.samples.samples import KeyFactor, Phasors
from kernelspec.tables.layout import Layout

if TYPE_CHECKING:
    from kernelspec.activations.activation import Activation

__all__ = ["restored"]

Header: TypeAlias = dict[str, Any]


def restored(header: Header, arrays: Arrays) -> FeatureMap:
    """The map of a file of format 1. Raises whatever its damage leads to."""
    keyed = tuple(_keyed(arrays, f"keyed{i}", part) for i, part in enumerate(header["keyed"]))
    occupied = None
    if header["occupied"]:
        occupied = tuple(Exact(arrays[f"keyed{i}_occupied"], arrays[f"keyed{i}_starts"]) for i in range(len(keyed)))
    return FeatureMap(_plan(header["plan"]), _dense(arrays, header) if header["dense"] else None, keyed, occupied)


def _plan(saved: Header) -> Plan:
    estimated = saved["estimated"]
    own = None
    if estimated is not None:
        own = EstimatedMasses(tuple(map(float, estimated["weights"])), tuple(map(int, estimated["rows"])))
    names = saved["names"]
    columns = Layout(int(saved["dim"]), None if names is None else tuple(names), (), ())
    plan = Plan(
        str(saved["spec"]),
        tuple((name, Fraction(value)) for name, value in sorted(saved["params"].items())),
        columns,
        int(saved["n_features"]),
        int(saved["seed"]),
        saved["buckets"],
        saved["bits"],
        (),
        _candidate(saved["chosen"]),
        tuple(_candidate(other) for other in saved["alternatives"]),
        str(saved["reference"]),
        str(saved["reason"]),
        bool(saved["normalized"]),
        bool(saved["zero_bit"]),
        str(saved["bias"]),
        tuple(map(str, saved["notes"])),
        own,
    )
    return replanned(plan)


def _candidate(saved: Header) -> Candidate:
    if saved["form"] not in FORMS or not {*saved["schemes"]} <= {None, *SCHEMES}:
        raise ValueError(f"there is no form {saved['form']!r}, or no scheme in {saved['schemes']!r}")
    return Candidate(
        saved["form"],
        bool(saved["mixture"]),
        tuple(map(int, saved["counts"])),
        float(saved["variance"]),
        tuple(saved["schemes"]),
        bool(saved["is_sparse"]),
        bool(saved["is_complex"]),
        float(saved["work"]),
        None if saved["error"] is None else float(saved["error"]),
    )


def _dense(arrays: Arrays, header: Header) -> DenseFeatures:
    factors = _amplitudes(header["amplitudes"], arrays, "dense_amplitude")
    pairs = zip(header["places"], factors, strict=True)
    placed = tuple(Placed(int(start), int(stop), factor) for (start, stop), factor in pairs)
    phasors, growth = _phasors(arrays, "dense"), _growth(arrays, "dense")
    return DenseFeatures(phasors, *_samples(arrays, "dense"), growth, placed, int(header["real"]))


def _keyed(arrays: Arrays, name: str, header: Header) -> KeyedFeatures:
    own = enumerate(header["factors"])
    factors = tuple(_key(part, _below(f"{name}_factor{i}_", arrays)) for i, part in own)
    phasors = _phasors(arrays, name) if header["phasors"] else None
    identity, growth = arrays[f"{name}_identity"], _growth(arrays, name)
    amplitudes = _amplitudes(header["amplitudes"], arrays, f"{name}_amplitude")
    return KeyedFeatures(factors, phasors, *_samples(arrays, name), identity, growth, amplitudes)


def _samples(arrays: Arrays, name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    return arrays[f"{name}_weight"], arrays[f"{name}_sign"], arrays[f"{name}_offsets"]


def _phasors(arrays: Arrays, name: str) -> Phasors:
    own, columns = _below(f"{name}_", arrays), _columns(arrays[f"{name}_columns"])
    values: Any = own["frequencies"]
    if "frequency_starts" in own:
        from scipy.sparse import csr_array

        shape = (len(own["frequency_starts"]) - 1, len(columns))
        values = csr_array((values, own["frequency_places"], own["frequency_starts"]), shape=shape)
        values.check_format(full_check=True)
    return Phasors(columns, values, own["left"], own["right"])


def _growth(arrays: Arrays, name: str) -> Growth | None:
    if f"{name}_growth_rates" not in arrays:
        return None
    columns = tuple(int(column) for column in arrays[f"{name}_growth_columns"])
    return Growth(columns, arrays[f"{name}_growth_rates"])


def _amplitudes(headers: Sequence[Header], arrays: Arrays, name: str) -> tuple[AmplitudeFactor, ...]:
    return tuple(_amplitude(header, _below(f"{name}{i}_", arrays)) for i, header in enumerate(headers))


def _amplitude(header: Header, arrays: Arrays) -> AmplitudeFactor:
    match header["kind"]:
        case "category phases":
            return CategoryPhases(arrays["words"], _inner_key(header, arrays))
        case "linear forms":
            own = (arrays[name] for name in ("starts", "first", "second", "turn", "scale"))
            return LinearForms(_columns(arrays["reads"]), *own)
        case "neurons":
            return Neurons(_activation(header["activation"]), _columns(arrays["reads"]), arrays["weights"])
        case "runs":
            return AmplitudeRuns(_amplitude(header["factor"], _below("factor_", arrays)), arrays["starts"])
    raise ValueError(f"there is no amplitude {header['kind']!r}")


def _key(header: Header, arrays: Arrays) -> KeyFactor:
    match header["kind"]:
        case "binning":
            return BinningKey(arrays["pitches"], arrays["offsets"], _positions(header))
        case "chosen":
            return ChosenKey(arrays["chosen"])
        case "column":
            return ColumnKey(_inner_key(header, arrays), arrays["chosen"].astype(np.intp))
        case "gcws":
            return GcwsKey(arrays["words"], _positions(header), bool(header["zero_bit"]))
        case "mapped":
            return MappedKey(_inner_key(header, arrays), arrays["matrix"], _positions(header))
        case "match":
            return MatchKey(_positions(header))
        case "poisson":
            words, slots, sizes = (arrays[name] for name in ("words", "slots", "sizes"))
            return PoissonKey(words, slots, sizes, _positions(header), bool(header["zero_bit"]))
        case "runs":
            return RunKey(_inner_key(header, arrays), arrays["starts"])
        case "translated":
            by = tuple(float(entry) for entry in arrays["by"])
            return TranslatedKey(_inner_key(header, arrays), by, _positions(header))
    raise ValueError(f"there is no key {header['kind']!r}")


def _inner_key(header: Header, arrays: Arrays) -> KeyFactor:
    return _key(header["factor"], _below("factor_", arrays))


def _positions(header: Header) -> tuple[int, ...]:
    return tuple(int(position) for position in header["positions"])


def _columns(words: NDArray[Any]) -> tuple[ColumnRead, ...]:
    """Columns as whole numbers: a position, then 0, or how many columns the norm is over and which."""
    columns: list[ColumnRead] = []
    left = [int(word) for word in words][::-1]
    while left:
        position, count = left.pop(), left.pop()
        if not 0 <= count <= len(left):
            raise ValueError("the columns of frequencies are damaged")
        among = tuple(left.pop() for _ in range(count))
        columns.append(UnitColumn(position, among) if among else position)
    return tuple(columns)


def _activation(data: Header) -> Activation:
    if "text" in data:
        from kernelspec.elaboration.valued_program import ValuedProgram

        spec = ValuedProgram.parsed(f"dual({data['text']}, circle())")
        kernel = spec.kernel(spec.columns(1, None))
        if not isinstance(kernel, Dual):
            raise ValueError("this is no activation")
        return kernel.activation
    given = data["arguments"].items()
    arguments: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in given}
    return load_activation(data["name"])(**arguments)


def _below(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
