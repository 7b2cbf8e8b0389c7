"""`fmt`: in place, to standard output, or only asking."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run

UGLY, PRETTY = "# kept\n2 * gaussian( scale = 2.0 )\n", "# kept\n2*gaussian(scale=2)\n"


def test_in_place(run: Run, tmp_path: Path) -> None:
    ugly, pretty = tmp_path / "ugly.kernel", tmp_path / "pretty.kernel"
    ugly.write_text(UGLY, encoding="utf-8")
    pretty.write_text(PRETTY, encoding="utf-8")
    before = pretty.stat().st_mtime_ns
    result = run("fmt", ugly, pretty)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"formatted {ugly}\n")
    assert ugly.read_text(encoding="utf-8") == PRETTY
    assert pretty.stat().st_mtime_ns == before
    assert run("fmt", ugly).output == ""


def test_check_lists_and_changes_nothing(run: Run, tmp_path: Path) -> None:
    ugly, pretty = tmp_path / "ugly.kernel", tmp_path / "pretty.kernel"
    ugly.write_text(UGLY, encoding="utf-8")
    pretty.write_text(PRETTY, encoding="utf-8")
    result = run("fmt", "--check", pretty, ugly)
    assert (result.exit_code, result.stdout) == (1, f"would format {ugly}\n")
    assert ugly.read_text(encoding="utf-8") == UGLY
    assert run("fmt", "--check", pretty).exit_code == 0


def test_line_ends_of_another_system(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.kernel"
    path.write_bytes(PRETTY.replace("\n", "\r\n").encode())
    assert run("fmt", "--check", path).exit_code == 1
    assert run("fmt", path).exit_code == 0
    assert path.read_bytes() == PRETTY.encode()


def test_to_standard_output(run: Run) -> None:
    assert run("fmt", "-", text=UGLY).stdout == PRETTY
    assert run("fmt", "-e", "2 * gaussian( )").stdout == "2*gaussian()\n"
    assert run("fmt", "--check", "-", text=UGLY).exit_code == 1
    assert run("fmt", "--check", "-e", "2*gaussian()").exit_code == 0


def test_an_error_leaves_its_file_and_not_the_others(run: Run, tmp_path: Path) -> None:
    broken, ugly = tmp_path / "broken.kernel", tmp_path / "ugly.kernel"
    broken.write_text("gaussian(\n", encoding="utf-8")
    ugly.write_text(UGLY, encoding="utf-8")
    result = run("fmt", broken, tmp_path / "none.kernel", ugly)
    assert result.exit_code == 2
    assert f"{broken}:1:" in result.stderr
    assert "none.kernel cannot be read: No such file or directory" in result.stderr
    assert broken.read_text(encoding="utf-8") == "gaussian(\n"
    assert ugly.read_text(encoding="utf-8") == PRETTY


def test_wrong_usage(run: Run) -> None:
    assert "SPEC is missing" in run("fmt").stderr
    result = run("fmt", "-e", "gaussian()", "a.kernel")
    assert result.exit_code == 2
    assert "either files or -e TEXT" in result.stderr
