"""Maps saved by earlier versions: they load for ever, and give the features that they gave."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.limits import (
    MAX_FEATURE_COLUMNS,
    MAX_MAP_ARRAYS,
    MAX_MAP_FILE,
    MAX_MAP_HEADER,
    MAX_MAP_PARTS,
    MAX_REDRAWN,
    MAX_REDRAWN_BYTES,
)
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.map_file import VERSION
from kernelspec.maps.saved_kinds import PARTS
from kernelspec.random.streams import WEYL, hash_numbers, mix, scramble
from kernelspec.samples.frequencies import numbers_on
from kernelspec.special.wave_parts import WavePart
from tests.maps.files import FOLDER, NAMES, expected_of, file_of, given_by, machine, rows_in
from tests.maps.reference import HEAD, tables

EXACT = ("keys", "keys_right", "names", "signs")
"""What must be the same on every machine."""


def test_there_are_files() -> None:
    assert len(NAMES) == 190
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.npz")) < 5e6


@pytest.mark.parametrize("name", NAMES)
def test_files_are_of_format_3(name: str) -> None:
    with np.load(file_of("0.2", name)) as file:
        assert json.loads(file["header"].tobytes())["version"] == 3


WITHOUT_WEIGHT = {"normalized_phase": 2.0}
"""Maps whose features left out the weight of the kernel, and that weight: 2*gaussian() had features of norm 1."""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_saved_map_gives_what_it_gave(name: str) -> None:
    """To the bit on the machine that wrote the file, and to the rounding of angles; elsewhere sums may be rounded."""
    with np.load(expected_of("0.2", name)) as file:
        expected = dict(file)
    here, weight = str(expected.pop("machine")) == machine(), WITHOUT_WEIGHT.get(name, 1.0)
    expected |= {
        part: expected[part] * weight**power for part, power in (("left", 0.5), ("right", 0.5), ("approximate", 1))
    }
    rows = rows_in(expected)
    fmap = ks.load_map(file_of("0.2", name))
    given, allowed = given_by(fmap, rows), rounding(fmap, rows)
    assert given.keys() == {part for part in expected if not part.startswith(("numbers", "text"))}
    for part, array in given.items():
        assert array.dtype == expected[part].dtype
        if part in EXACT or (here and not allowed):
            np.testing.assert_array_equal(array, expected[part], err_msg=part)
        elif here:
            assert np.abs(array - expected[part]).max() <= allowed * max(1, np.abs(expected[part]).max()), part
        else:
            np.testing.assert_allclose(array, expected[part], rtol=1e-9, atol=1e-12, err_msg=part)


def rounding(fmap: FeatureMap, X: np.ndarray) -> float:
    """1e-14, and two units in the last place of the largest angle; 0 for a map that takes no angles and no products."""
    parts = [*fmap.keyed, *([] if fmap.dense is None else [fmap.dense])]
    if not any(part.phasors is not None or part.has_amplitudes for part in parts):  # a dense part always has phasors
        return 0.0
    rows, largest = fmap.plan.layout.read(X), 0.0
    for part in parts:
        if part.phasors is not None and part.phasors.columns:
            numbers = np.abs(numbers_on(rows, part.phasors.columns))
            stored = part.phasors.frequencies
            matrix = stored if isinstance(stored, np.ndarray) else stored.toarray()
            largest = max(largest, (numbers @ np.abs(matrix).T).max(initial=0))
    return 1e-14 + 2 * np.finfo(float).eps * largest


INTERNALS = Path(__file__).parents[2] / "docs" / "internals"
DOCUMENT = (INTERNALS / "map_format.md").read_text(encoding="utf-8")
MASK = 2**64 - 1


@pytest.mark.slow
def test_every_kind_with_its_fields() -> None:
    stated = (INTERNALS / "map_kinds.md").read_text(encoding="utf-8")
    assert stated == f"{HEAD}\n{tables()}\n", "docs/internals/map_kinds.md: python -m tests.maps.reference"
    assert stated.count("\n| `kernel.") == sum(name.startswith("kernel.") for name in PARTS)


@pytest.mark.slow
def test_a_change_of_the_format_is_a_new_version() -> None:
    """`format_3.txt` has the fields of every kind of version 3: further kinds may come, none of these may change.

    But for fields that a file has only if they differ from one value, the one that older files have.

    To change one, raise VERSION, pin what `python -m tests.maps.reference` prints as `format_4.txt`, and keep a test
    that says what becomes of files of version 3; `tests/maps/0.2` has such files.
    """
    pinned = (Path(__file__).parent / f"format_{VERSION}.txt").read_text(encoding="utf-8").splitlines()
    stated = set(re.sub(r"; `\w+`: [^;|]*, left out if it is [^;|]*(?= \||;)", "", tables()).splitlines())
    changed = [line for line in pinned if line not in stated]
    assert not changed, "\n".join([f"these kinds of version {VERSION} have other fields now:", *changed])
    assert VERSION == 3


def test_limits_and_names() -> None:
    text = " ".join(DOCUMENT.split())
    assert f"at most {MAX_MAP_HEADER:,} bytes" in text
    assert f"{MAX_MAP_PARTS:,}" in text
    assert f"at most {MAX_MAP_ARRAYS:,} members and {MAX_MAP_FILE:,} bytes" in text
    assert MAX_FEATURE_COLUMNS == 2**26
    assert f"{MAX_REDRAWN:,} further samples, or {MAX_REDRAWN_BYTES >> 20} MiB beyond" in text
    assert f"Version {VERSION} is written" in text
    assert all(f"`{part.name}`" in text or f'"{part.name}"' in text for part in WavePart)


def scrambled(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def mixed(a: int, b: int, t: int) -> int:
    return scrambled(scrambled(a + (t + 1) * 0x9E3779B97F4A7C15 & MASK) + b & MASK)


def test_hashes_as_they_are_described() -> None:
    assert WEYL == 0x9E3779B97F4A7C15
    assert int(scramble(np.uint64(12345))) == scrambled(12345)
    assert int(mix(np.uint64(7), np.uint64(9), salt=2)) == mixed(7, 9, 2)
    bits = int(np.float64(1.5).view(np.uint64))
    assert int(hash_numbers([1.5])[0]) == scrambled(bits + 0x9E3779B97F4A7C15 & MASK)


@pytest.mark.parametrize("name", ["binning_buckets", "match_codes"])
def test_keys_and_buckets_read_by_the_document_alone(name: str, tmp_path: Path) -> None:
    """A reader in whole numbers, without any of the package: the columns and signs of sparse features."""
    ks.load_map(file_of("0.2", name)).save(tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz") as file:
        arrays = dict(file)
    parts = json.loads(arrays["header"].tobytes())["sections"]["map"]
    whole = parts[-1]
    (number,) = (own["part"] for own in whole["keyed"])
    keyed, plan = parts[number], parts[whole["plan"]["part"]]
    (factor_number,) = (own["part"] for own in keyed["factors"])
    factor, buckets = parts[factor_number], plan["buckets"]
    with np.load(expected_of("0.2", name)) as file:
        rows, expected = file["numbers"], file["left"]
    n = len(arrays[f"map.{number}.weight"])
    found = np.zeros((len(rows), n * buckets))
    for r, row in enumerate(rows):
        for j in range(n):
            state = 0x9E3779B97F4A7C15 if factor["kind"] == "key.binning" else 0
            for i, position in enumerate(factor["positions"]):
                if factor["kind"] == "key.binning":
                    pitch, offset = (
                        float(arrays[f"map.{factor_number}.{own}"][j, i]) for own in ("pitches", "offsets")
                    )
                    cell = np.floor(row[position] * (1 / pitch) + offset)
                    state = (state ^ int(np.float64(cell).view(np.uint64))) * 0x9E3779B97F4A7C15 & MASK
                    state ^= state >> 32
                else:
                    bits = int(np.float64(row[position] + 0.0).view(np.uint64))
                    state = mixed(state, scrambled(bits + 0x9E3779B97F4A7C15 & MASK), 0)
            own = scrambled(state) if factor["kind"] == "key.binning" else state
            key = mixed(int(arrays[f"map.{number}.identity"][j]), own, 0)
            column = j * buckets + ((key >> 32) * buckets >> 32)
            found[r, column] = (-1 if key & 1 else 1) * np.sqrt(arrays[f"map.{number}.weight"][j])
    np.testing.assert_allclose(found, expected, rtol=1e-15)


_SCRIPT = """
import sys
import numpy as np

class Blocked:
    # text may be explained, but neither read nor turned into mathematics
    names = ("sympy", "lark", "kernelspec.language.parser", "kernelspec.language.grammar", "kernelspec.spec",
             "kernelspec.analysis", "kernelspec.maps.redrawn", "kernelspec.planning.planner")
    def find_spec(self, name, path=None, target=None):
        if any(name == own or name.startswith(own + ".") for own in self.names):
            raise ImportError(f"{name} is imported")

sys.meta_path.insert(0, Blocked())
import kernelspec as ks
for path, known in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        with np.load(known) as file:
            arrays = dict(file)
        rows = arrays["numbers"]
        for name in arrays:
            if name.startswith("text"):
                rows = rows.astype(object)
                rows[:, int(name.removeprefix("text"))] = arrays[name]
        fmap = ks.load_map(path)
        left = fmap.left(rows)
        assert np.allclose(left if isinstance(left, np.ndarray) else left.toarray(), arrays["left"], 1e-9, 1e-12)
        fmap.right(rows), fmap.approximate(rows), fmap.names(), fmap.signs, fmap.explain()
        fmap.predicted_variance(rows, hashed=True), fmap.plan.to_dict()
        if not fmap.plan.zero_bit:
            fmap.predicted_error(rows)
        if fmap.is_sparse:
            fmap.keys(rows), fmap.with_columns(rows)
    except ImportError as error:
        print(path.rsplit("/")[-1], error)
"""


@pytest.mark.long
def test_nothing_else_is_imported() -> None:
    names = [name for name in NAMES if name not in WITHOUT_WEIGHT]
    arguments = [str(own("0.2", name)) for name in names for own in (file_of, expected_of)]
    run = subprocess.run([sys.executable, "-c", _SCRIPT, *arguments], capture_output=True, text=True, check=False)
    assert run.stdout + run.stderr == ""
    assert run.returncode == 0
