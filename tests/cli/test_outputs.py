"""Files that are read are not written to, by whatever name."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from kernelspec.cli.output import check_outputs
from kernelspec.errors import FileError


def test_inputs_and_outputs_are_all_different(tmp_path: Path) -> None:
    data, link, out = (str(tmp_path / name) for name in ("data", "link", "out"))
    Path(data).touch()
    Path(link).symlink_to(data)
    check_outputs([data, None, link, data], [("-o", out), ("--save-map", None)])
    for outputs, said in (
        ([("-o", link)], f"-o {link} is an input"),
        ([("-o", out), ("--save-map", f"{tmp_path}/./out")], f"--save-map {tmp_path}/./out is another output"),
    ):
        with pytest.raises(click.UsageError) as refused:
            check_outputs([data], outputs)
        assert refused.value.message == f"{said} of this run, and would be replaced"


def test_places_for_no_file(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none" / "out"):
        with pytest.raises(FileError):
            check_outputs([], [("-o", str(place))])
