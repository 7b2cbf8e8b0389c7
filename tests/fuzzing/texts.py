"""Tests of `fuzzing/texts.py`."""

from __future__ import annotations

import gzip
import io
import math
import re
import warnings
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner
from scipy import sparse

import kernelspec as ks
from kernelspec.analysis.overview import overview
from kernelspec.cli import main
from kernelspec.tables.formats import open_table
from tests.fuzzing.campaign import Target, finite_of_shape, refused_or_right
from tests.fuzzing.mutation import SINGLE_TEXTS, TEXTS, bytes_near, composed_text, text_near

__all__ = ["ROWS", "TARGETS", "TARGETS_OF_COMMAND_LINES", "TARGETS_OF_TABLES", "analyzes", "compiles", "parses"]

ROWS = np.array([[0.3, 1.25], [0.5, -2.0], [-1.5, 0.4], [0.0, 0.0], [1.0, 1.0]])


def parses(text: str, folder: Path | None = None) -> None:
    """What parses is printed as a text that parses to the same."""
    with refused_or_right():
        spec = ks.parse(text)
        assert ks.parse(str(spec)) == spec


def analyzes(text: str, folder: Path | None = None) -> None:
    """The facts of what parses can be shown, whole and on a screen."""
    with refused_or_right():
        facts = ks.analyze(ks.parse(text), dim=2)
        assert str(facts)
        assert facts.to_dict()
        assert "\n".join(overview(facts))


def compiles(text: str, folder: Path | None = None) -> None:
    """Features and kernel matrices of what compiles are finite and of their shape."""
    with refused_or_right(), warnings.catch_warnings():
        if _has_numbers_too_large_for_angles(text):
            warnings.simplefilter("ignore", ks.RoundingWarning)
        spec = ks.parse(text)
        finite_of_shape(spec.gram(ROWS), (5, 5))
        fmap = ks.compile(spec, data=ROWS, n_features=24)
        finite_of_shape(fmap.left(ROWS), (5, fmap.n_columns))
        finite_of_shape(fmap.approximate(ROWS), (5, 5))


_NUMBER = re.compile(r"\d+\.?\d*(?:e[+-]?\d+)?")
_DECADES = 6.0
_LARGE_POWER = 20.0
_HEAVY_TAIL = 0.2


def _has_numbers_too_large_for_angles(text: str) -> bool:
    """Whether the numbers of a text can make frequencies that rounding damages: ROWS are small, so few can.

    All may be multiplied, or raised to a power; a relative 1e-3 is lost at angles of 1e12, and heavy tails reach far:
    with an exponent a, one frequency in 100 is beyond 100^(1/a).
    """
    numbers = [value for found in _NUMBER.findall(text) if 0 < (value := float(found)) < math.inf]
    decades = sum(abs(math.log10(value)) for value in numbers)
    return (
        decades >= _DECADES
        or min(numbers, default=1.0) <= _HEAVY_TAIL
        or ("**" in text and max(numbers, default=0) >= _LARGE_POWER)
    )


def _few_edits(random: Random) -> str:
    if random.randrange(3):
        return composed_text(random)
    return text_near(random, random.choice((SINGLE_TEXTS, TEXTS)), most=2)


def _many_edits(random: Random) -> str:
    return text_near(random) if random.randrange(4) else composed_text(random)


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "texts: parsed and printed": Target(_many_edits, parses, short=300, share=430),
        "specs: analysed": Target(_few_edits, analyzes, short=4, share=20),
        "specs: compiled": Target(_few_edits, compiles, short=30, share=20),
    }
)


_TABLE = np.array([[1.5, 0.0, -2.0], [0.0, 3.0, 1e-3], [7.0, 0.5, 0.0]])
_TEXT_WORDS = tuple(
    word.encode()
    for word in (
        *("\n", "\r\n", ",", '"', "\t", " ", "#", ":", "0", "-1", "1000000000", "9" * 20, "1e308", "1e999", "01"),
        *("nan", "inf", "NULL", "true", "é", "\x00", "1_0", "0x10", "qid:1", "1:1", "2000000:1", "2000001:1", "1:1_0"),
    )
)
_HEADER_WORDS = tuple(
    word.encode()
    for word in (
        *("<f8", ">f4", "|O", "|b1", "<i8", "<c16", "<U9", "<m8", "True", "False", "(0, 1000000000000)", "(3,)", "()"),
        *("(-1, 3)", "(1000000000000, 0)", "(9223372036854775807, 3)", "(3, 3000000)", "99999999999999999999", "None"),
    )
)


def _npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _npz(compressed: bool, **arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    return file.getvalue()


@cache
def _members() -> dict[str, bytes]:
    file = io.BytesIO()
    sparse.save_npz(file, sparse.csr_array(_TABLE), compressed=False)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _archive(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def _parquet() -> tuple[bytes, ...]:
    tables = (
        pa.table({"a": [1.5, 2.5, None], "b": ["x", "y", "z"]}),
        pa.table({"a": pa.array([1, 2, 3], pa.int64()), "b": pa.array([True, False, True])}),
        pa.table({"a": [[1.0], [2.0]], "b": [{"c": 1}, {"c": 2}]}),
    )
    files = []
    for table in tables:
        sink = io.BytesIO()
        pq.write_table(table, sink, compression="NONE")
        files.append(sink.getvalue())
    return tuple(files)


_CSV = (b"a,b,c\n1,2,3\n4.5,x,6\n", b'"a b",b\n1e3,"x, y"\n,2\n', b"a\n1\n\n2\n")
_TSV = tuple(text.replace(b",", b"\t") for text in _CSV)
_LIBSVM = (b"1 1:0.5 3:2\n-1 2:1e3 # comment\n", b"1 qid:3 1:1 2:2\n0\n1 5:1\n")
_ARRAYS = tuple(map(_npy, (_TABLE, np.asfortranarray(_TABLE), _TABLE[0], _TABLE.astype(">f4"), _TABLE.astype(np.int8))))
_ARCHIVES = (_npz(False, x=_TABLE), _npz(True, x=_TABLE))
_PARQUET = _parquet()


def _packed(random: Random, files: tuple[bytes, ...]) -> bytes:
    """What is within is damaged, or the packed file is."""
    if random.randrange(2):
        return gzip.compress(bytes_near(random, files, _TEXT_WORDS), mtime=0)
    return bytes_near(random, tuple(gzip.compress(file, mtime=0) for file in files))


def _npz_near(random: Random) -> bytes:
    """An archive that is damaged, or a whole one in which one of the arrays is: its checksums are right."""
    match random.randrange(3):
        case 0:
            members = _members()
            name = random.choice(sorted(members))
            return _archive({**members, name: bytes_near(random, (members[name],), _HEADER_WORDS)})
        case 1:
            return bytes_near(random, _ARCHIVES, _HEADER_WORDS)
        case _:
            return _archive({"x.npy": bytes_near(random, _ARRAYS[:1], _HEADER_WORDS)})


def _reads(suffix: str) -> Callable[[bytes, Path], None]:
    def check(data: bytes, folder: Path) -> None:
        path = folder / f"table{suffix}"
        path.write_bytes(data)
        with refused_or_right(), open_table(path, rows_per_block=2) as reader:
            for block in reader.blocks():
                rows, columns = block.shape
                assert rows > 0
                assert reader.n_columns in (None, columns)

    return check


def _target(suffix: str, made: Callable[[Random], bytes], share: int) -> Target:
    return Target(made, _reads(suffix), short=40, share=share)


TARGETS_OF_TABLES: Mapping[str, Target] = MappingProxyType(
    {
        f"files: {suffix}": _target(suffix, made, share)
        for suffix, made, share in (
            (".csv", lambda random: bytes_near(random, _CSV, _TEXT_WORDS), 60),
            (".tsv", lambda random: bytes_near(random, _TSV, _TEXT_WORDS), 30),
            (".csv.gz", lambda random: _packed(random, _CSV), 40),
            (".libsvm", lambda random: bytes_near(random, _LIBSVM, _TEXT_WORDS), 90),
            (".libsvm.gz", lambda random: _packed(random, _LIBSVM), 30),
            (".npy", lambda random: bytes_near(random, _ARRAYS, _HEADER_WORDS), 90),
            (".npz", _npz_near, 90),
            (".parquet", lambda random: bytes_near(random, _PARQUET), 60),
        )
    }
)


_NUMBERS = ("0", "1", "2", "3", "-1", "7", "24", "64", "1.5", "x", "", "1000000", "1000000000", "9" * 30, "1e9", "nan")
_WORDS = ("a=1", "a,b", "float32", "a,a", "=", ",", "p=1/0", "a", "z")
_SPECS = (
    *("gaussian()", "minmax()", "match()[a] * laplace()[b]", "0.5*gaussian()[a] - 0.1*linear()[b]", "circle()"),
    "param p = 1\ngaussian(scale=p)",
)
_DATA = (b"a,b\n1,2\n3,4\n5,6\n", b"a,b\nx,2\ny,4\n", b"a\n1\n", b"a,b\n01,1\n,2\n18446744073709551616,3\n")
_DATA_WORDS = (b",", b"\n", b"nan", b"1e308", b"\xe9", b'"', b"01", b"true")
_OPTIONS_OF_SPECS = {"--dim": ("1", "2"), "--columns": ("a", "a,b", "b,a"), "-p": ("p=3", "p=2")}
_OPTIONS_OF_MAPS = {
    "--n-features": ("1", "7", "64"),
    "--seed": ("1", "9" * 30),
    "--method": ("binning", "paired", "phase", "complex", "jordan", "gcws", "poisson", "nystrom", "rejection"),
    "--buckets": ("2", "64"),
    "--bits": ("1", "7"),
    "--drop": ("a", "b"),
    "--text-columns": ("a", "b", "a,b"),
    "--missing": ("category", "refuse"),
    "--storage": ("sparse", "dense"),
    "--keys": ("hashed", "exact", "bits"),
    "--draws": ("orthogonal", "sobol", "independent"),
    "--error": ("0.5", "1e-9"),
    "--pointwise": ("0.5", "2"),
}
_OPTIONS = {
    "check": _OPTIONS_OF_SPECS | {"--json": ()},
    "explain": _OPTIONS_OF_SPECS | _OPTIONS_OF_MAPS | {"--variance": (), "--plans": (), "--json": (), "--latex": ()},
    "features": _OPTIONS_OF_SPECS
    | _OPTIONS_OF_MAPS
    | {"--rows-per-block": ("1", "2"), "--dtype": ("float32", "float64"), "-p": ("p=median", "p=2")},
    "fmt": {"--check": ()},
}
_TEXTS = (*range(32, 127), 0, 10, 0xE9, 0x3C3, 0x2028, 0x1F600)


@cache
def _map() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "map.npz"
        ks.compile("gaussian()", columns=["a", "b"], n_features=8).save(path)
        return path.read_bytes()


def _command_line(random: Random) -> tuple[list[str], bytes, bytes]:
    """Arguments, with DATA, MAP and OUT for the names of files, and what is in DATA and MAP."""
    command = random.choice(["check", "explain", "features", "features", "features", "fmt"])
    spec = random.choice(_SPECS) if random.randrange(2) else text_near(random, _SPECS, most=2)
    arguments = [command, "-e", spec]
    if command == "features":
        if random.randrange(6) == 0:
            arguments = [command, "MAP"]
        arguments += ["DATA", "-o", random.choice(["OUT.npz", "OUT.npz", "OUT.npy", "OUT.parquet"])]
        arguments += random.choice([[], [], [], ["--save-map", "OUT.map.npz"], ["--plan-on", "DATA"]])
        arguments += ["--redraw"] if "MAP" in arguments and random.randrange(2) else []
    options = _OPTIONS[command]
    for option in random.sample(tuple(options), min(len(options), random.randrange(3))):
        good = options[option]
        value = random.choice(good if good and random.randrange(3) else _NUMBERS + _WORDS)
        arguments += [option, value] if good else [option]
    if random.randrange(10) == 0:
        word = "".join(chr(random.choice(_TEXTS)) for _ in range(random.randrange(6)))
        arguments.insert(random.randint(0, len(arguments)), word)
    data = random.choice(_DATA) if random.randrange(2) else bytes_near(random, _DATA, _DATA_WORDS)
    return arguments, data, bytes_near(random, (_map(),)) if random.randrange(3) == 0 else _map()


def _ends_well(case: tuple[list[str], bytes, bytes], folder: Path) -> None:
    arguments, table, saved = case
    for left in folder.glob("OUT.*"):
        left.unlink()
    places = {"DATA": str(folder / "data.csv"), "MAP": str(folder / "map.npz")}
    for name, content in (("DATA", table), ("MAP", saved)):
        Path(places[name]).write_bytes(content)
    words = [places.get(word, f"{folder / word}" if word.startswith("OUT.") else word) for word in arguments]
    with refused_or_right():
        result = CliRunner().invoke(main, words, prog_name="kernelspec", catch_exceptions=False)
        assert result.exit_code in (0, 1, 2), result.output
        assert result.exit_code != 2 or result.output.strip(), "refused without a word"
        written = sorted(folder.glob("OUT.*"))
        assert result.exit_code == 0 or not written, "refused, and something is written"
    assert not list(folder.glob(".kernelspec-*")), "half-written files are left"
    for path in written:
        _check_features(path)


def _check_features(path: Path) -> None:
    """Features on disk are whole and finite."""
    if path.name == "OUT.npy":
        assert np.isfinite(np.load(path)).all(), "not finite"
    elif path.name == "OUT.npz":
        with np.load(path) as file:
            values = sparse.load_npz(path).data if "indptr" in file.files else file[file.files[0]]
        assert np.isfinite(values).all(), "not finite"


TARGETS_OF_COMMAND_LINES: Mapping[str, Target] = MappingProxyType(
    {"command lines": Target(_command_line, _ends_well, short=30, share=20)}
)
