"""Command lines with texts, options and files that nobody should give."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import MappingProxyType

import numpy as np
from click.testing import CliRunner
from scipy import sparse

import kernelspec as ks
from kernelspec.cli import main
from tests.fuzzing.campaign import Target
from tests.fuzzing.invariant import refused_or_right
from tests.fuzzing.mutation import bytes_near, text_near

__all__ = ["TARGETS"]

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


TARGETS: Mapping[str, Target] = MappingProxyType(
    {"command lines": Target(_command_line, _ends_well, short=30, share=20)}
)
