"""Times that are measured once, and kept where there is a place for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kernelspec.maps import measured_calibration
from kernelspec.maps.measured_calibration import calibration_file, calibration_of_machine, measure
from kernelspec.planning.calibration import Calibration, PerColumn

OWN = Calibration(PerColumn(1.0, 2.0), PerColumn(3.0, 4.0), PerColumn(5.0, 6.0), 7.0, 8.0)


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How often it was measured, with a cache of its own."""
    times: list[int] = []

    def measure_again() -> Calibration:
        times.append(1)
        return OWN

    monkeypatch.setattr(measured_calibration, "measure", measure_again)
    monkeypatch.setenv("KERNELSPEC_CACHE_DIR", str(tmp_path / "cache"))
    calibration_of_machine.cache_clear()
    yield times
    calibration_of_machine.cache_clear()


def test_once_for_all_processes(measured: list[int]) -> None:
    for _ in range(2):
        assert calibration_of_machine() == OWN
        calibration_of_machine.cache_clear()  # as a process of its own would have it
    assert len(measured) == 1


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"samples": {"slope": -1, "once": 0}}', "\x00"])
def test_a_damaged_file_is_replaced(measured: list[int], text: str) -> None:
    calibration_file().parent.mkdir(parents=True)
    calibration_file().write_text(text)
    assert calibration_of_machine() == OWN
    calibration_of_machine.cache_clear()
    assert calibration_of_machine() == OWN
    assert len(measured) == 1


def test_without_a_folder_to_write_to(measured: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KERNELSPEC_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert calibration_of_machine() == OWN == calibration_of_machine()
    assert len(measured) == 1


def test_without_a_home(measured: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("KERNELSPEC_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nobody)
    assert calibration_of_machine() == OWN == calibration_of_machine()
    assert len(measured) == 1


@pytest.mark.long
def test_the_machine_has_times() -> None:
    found = measure()
    for kind in (found.samples, found.keys, found.values):
        assert 0 < kind.seconds(16) < 1e-3
    assert found.passes > 0
    assert found.product >= 0
