"""Command lines with texts, options and files that nobody should give."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import strategies as st

from kernelspec.cli import main
from tests.fuzzing.campaign import campaign
from tests.fuzzing.invariant import refused_or_right
from tests.fuzzing.mutation import bytes_near, texts_near

_NUMBERS = st.sampled_from(
    ["0", "1", "2", "3", "-1", "7", "24", "64", "1.5", "x", "", "1000000", "1000000000", "9" * 30, "1e9", "nan"]
)
_SPECS = ("gaussian()", "minmax()", "match()[a] * laplace()[b]", "0.5*gaussian()[a] - 0.1*linear()[b]", "circle()")
_DATA = (b"a,b\n1,2\n3,4\n5,6\n", b"a,b\nx,2\ny,4\n", b"a\n1\n")
_OPTIONS = ("--dim", "--n-features", "--seed", "--buckets", "--bits", "--rows-per-block", "-p", "--columns", "--dtype")


@st.composite
def command_lines(draw: st.DrawFn) -> tuple[list[str], bytes]:
    """Arguments, with DATA and OUT for the names of files, and what is in DATA."""
    command = draw(st.sampled_from(["check", "explain", "features", "features", "features", "fmt"]))
    spec = draw(st.sampled_from(_SPECS) | texts_near(_SPECS, most=2))
    arguments = [command, "-e", spec]
    if command == "features":
        arguments += ["DATA", "-o", draw(st.sampled_from(["OUT.npz", "OUT.npy", "OUT.parquet", "OUT.csv"]))]
    for option in draw(st.lists(st.sampled_from(_OPTIONS), max_size=2, unique=True)):
        value = draw(_NUMBERS | st.sampled_from(["a=1", "a,b", "float32", "a,a", "=", ",", "p=1/0"]))
        arguments += [option, value]
    if draw(st.integers(0, 9)) == 0:
        arguments.insert(draw(st.integers(0, len(arguments))), draw(st.text(max_size=5)))
    return arguments, draw(st.sampled_from(_DATA) | bytes_near(_DATA, (b",", b"\n", b"nan", b"1e308", b"\xe9", b'"')))


@pytest.mark.slow
def test_exit_statuses(tmp_path: Path, fuzzing_cases: int | None) -> None:
    data = tmp_path / "data.csv"

    def ends_well(case: tuple[list[str], bytes]) -> None:
        arguments, table = case
        data.write_bytes(table)
        places = [
            str(data) if word == "DATA" else f"{tmp_path / word}" if word.startswith("OUT.") else word
            for word in arguments
        ]
        with refused_or_right():
            result = CliRunner().invoke(main, places, prog_name="kernelspec", catch_exceptions=False)
            assert result.exit_code in (0, 1, 2), result.output
            assert result.exit_code != 2 or result.output.strip(), "refused without a word"
        assert not list(tmp_path.glob(".kernelspec-*")), "half-written files are left"

    campaign(command_lines(), ends_well, 30, fuzzing_cases and fuzzing_cases * 10 // 100)
