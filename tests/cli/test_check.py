"""Tests of `cli/check.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import kernelspec as ks
from kernelspec.activations.activation import load_activation
from kernelspec.catalogue import ACTIVATIONS, DISTRIBUTIONS, KERNELS
from kernelspec.elaboration.forms.form import FORMS, load_form
from kernelspec.expressions.arguments import declared
from kernelspec.kernels.leaf import load_kernel
from tests.cli.conftest import ENVIRONMENT, Run, refused

TEN_NODES = (
    "0.3*gaussian(scale=2)*laplace(scale=3) + 0.2*matern(nu=3/2)**2 + 0.1*stretch(cauchy(scale=2), 2) "
    "+ 0.2*mean(exponential(), rational_quadratic(alpha=2))[0:3] + 0.2*normalize(sinc() + triangle())"
)
DIFFERENCE, SCALED = "gaussian() - laplace()", "param s > 0\ngaussian(scale=s)"
PROVED, DISPROVED = "proved: positive definite\n", "disproved: not positive definite\n"
HEAVY = ("sympy", "mpmath", "scipy.stats", "sklearn", "pyarrow", "rich", "pandas", "narwhals")


@pytest.mark.parametrize(
    ("arguments", "status", "start", "parts"),
    [
        pytest.param(
            ["0.7 * gaussian(scale=2.0)+0.3*laplace()"],
            0,
            "proved: positive definite\n\n0.7*gaussian(scale=2) + 0.3*laplace()\n",
            ["Bochner", "stationary: yes", "symmetric: yes"],
            id="proved",
        ),
        pytest.param([DIFFERENCE], 1, DISPROVED, ["with 1 column: the spectral density is -"], id="with one column"),
        pytest.param(
            ["gaussian()[1] - laplace()[1]"], 1, DISPROVED, ["with 2 columns: "], id="where one column is too few"
        ),
        pytest.param([DIFFERENCE, "--dim", 2], 1, DISPROVED, ["  - the spectral density is -"], id="on two columns"),
        pytest.param(
            [DIFFERENCE, "--columns", "a, b"], 1, DISPROVED, ["  - the spectral density is -"], id="on named columns"
        ),
        pytest.param(
            ["gaussian(scale=1) - 0.1*gaussian(scale=2)"],
            1,
            "disproved: positive definite in up to 3 columns, not in any number of them; use --dim or --columns\n",
            ["  - positive definite for d ≤ 3 columns, and not from d = 4 on"],
            id="for some numbers of columns",
        ),
        pytest.param(
            ["2*polya(uniform(0, 1)) - 0.001*gaussian()"],
            1,
            "unknown: neither proved nor disproved to be positive definite\n",
            [],
            id="unknown",
        ),
        pytest.param(
            ["gaussian()[age] * match()[country]"], 0, PROVED, ["stationary: in its numeric columns"], id="categories"
        ),
        pytest.param([SCALED], 0, PROVED, ["gaussian(scale=s)"], id="a free parameter stays a symbol"),
        pytest.param(
            [SCALED, "-p", "s=3/2"], 0, PROVED, ["with s = 3/2", "gaussian(scale=1.5)"], id="a parameter with a value"
        ),
        pytest.param(["stretch(gaussian(), sqrt(d))"], 0, PROVED, [], id="the number of columns as a symbol"),
    ],
)
def test_the_answer_and_its_reasons(
    run: Run, arguments: list[object], status: int, start: str, parts: list[str]
) -> None:
    result = run("check", "-e", *arguments)
    assert (result.exit_code, result.stderr) == (status, "")
    assert result.stdout.startswith(start)
    for part in parts:
        assert part in result.stdout


def test_quiet(run: Run) -> None:
    assert run("check", "-q", "-e", "gaussian()").output == ""
    result = run("check", "-q", "-e", "-gaussian()")
    assert (result.output, result.exit_code) == ("", 1)


def test_json(run: Run) -> None:
    report = json.loads(run("check", "--json", "-e", "param s = 2\ngaussian(scale=s)").stdout)
    assert report["positive_definite"] == "proved"
    assert report["symmetric"] is True
    assert report["params"] == {"s": 2}
    assert report["reasons"]


@pytest.mark.parametrize("command", ["check", "explain", "fmt"])
def test_one_spec_is_read(run: Run, command: str) -> None:
    """Of two, the last would be read, and the first left unchecked."""
    assert "-e is given twice" in refused(run, command, "-e", "gaussian() - laplace()", "-e", "gaussian()")


def test_from_a_file_and_from_standard_input(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.kernel"
    path.write_text("# a comment\ngaussian()\n", encoding="utf-8")
    assert run("check", path).stdout == run("check", "-", text="# a comment\ngaussian()\n").stdout


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_the_short_way_gives_the_verdict_of_the_long_one(name: str) -> None:
    law = "gamma(2)" if name == "polya" else "gaussian()"
    given = {"distribution": law, "number": "1.5", "integer": "2", "vector": "1.5", "boolean": "true"}
    arguments = ", ".join(f"{key}={given[argument.kind]}" for key, (argument, _) in declared(load_kernel(name)).items())
    spec = ks.parse(f"{name}({arguments})")
    numbers = ks.analyze(spec).verdict
    symbols = spec.symbolic_kernel(spec.columns()).verdict()
    assert (numbers.symmetric, numbers.stationary) == (symbols.symmetric, symbols.stationary)
    assert numbers.positive_definite == symbols.positive_definite == ("proved" if numbers.symmetric else "disproved")


@pytest.mark.slow
def test_imports_nothing_heavy(tmp_path: Path) -> None:
    path = tmp_path / "ten.kernel"
    path.write_text(TEN_NODES, encoding="utf-8")
    script = (
        "import sys\n"
        "from kernelspec.cli import main\n"
        f"try: main(['check', {str(path)!r}])\n"
        f"finally: print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", script]
    result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert result.stdout.startswith("proved")
    assert result.stderr.strip() == "[]"


def test_the_package_itself_imports_click_alone() -> None:
    script = (
        "import sys, kernelspec.cli\n"
        "print(sorted({'numpy', 'lark', 'rich'} & set(sys.modules)), 'click' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", script], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[] True"


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
    said = refused(run, "fmt", broken, tmp_path / "none.kernel", ugly)
    assert f"{broken}:1:" in said
    assert "none.kernel cannot be read: No such file or directory" in said
    assert broken.read_text(encoding="utf-8") == "gaussian(\n"
    assert ugly.read_text(encoding="utf-8") == PRETTY


def test_wrong_usage(run: Run) -> None:
    assert "SPEC is missing" in run("fmt").stderr
    assert "either files or -e TEXT" in refused(run, "fmt", "-e", "gaussian()", "a.kernel")


def test_every_entry_is_on_a_line_of_its_own(run: Run) -> None:
    result = run("catalogue")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    for name in KERNELS:
        own = [line for line in lines if line.strip().startswith(f"{name}(")]
        assert load_kernel(name).formula in own[0]
        assert load_kernel(name).reference in own[0]
    assert all(f" {name}(" in result.stdout for name in DISTRIBUTIONS)
    assert all(load_form(form).signature in result.stdout for form in FORMS)
    shown = lines[next(i for i, line in enumerate(lines) if line.startswith("activations")) :]
    for name in ACTIVATIONS:
        own = [line for line in shown if line.strip().startswith(f"{name}(")]
        assert load_activation(name).formula in own[0]
        assert load_activation(name).reference in own[0]
    assert any("activation(x -> f(x))" in line for line in shown)


@pytest.mark.parametrize("width", [80, 100, 140])
def test_a_terminal_cuts_no_signature(run: Run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setattr("rich.console.Console.width", width)
    lines = run("catalogue").stdout.splitlines()
    entries = run("catalogue", "--json").stdout
    for group in json.loads(entries).values():
        for entry in group:
            shown = str(entry.get("signature", entry.get("form")))
            assert any(line.lstrip().startswith(shown) for line in lines), shown
            assert not any(shown[:-1] + "…" in line for line in lines)


@pytest.mark.parametrize(
    ("name", "start", "parts"),
    [
        ("matern", "kernel matern(nu, scale=1)\n", ["reference: Rasmussen and Williams 2006"]),
        ("gaussian", "kernel gaussian(scale=1)\n", ["distribution gaussian(", "activation gaussian(a=1)"]),
        ("relu", "activation relu()\n", ["formula: max(0, x)", "reference: Cho and Saul 2009"]),
        ("activation", "activation activation(x -> f(x))", []),
        ("dual", "form dual(activation, k, max_degree=…)\n", []),
        ("normalize", f"form {load_form('normalize').signature}\n\n{load_form('normalize').meaning}\n", []),
    ],
)
def test_an_entry_and_all_of_its_name(run: Run, name: str, start: str, parts: list[str]) -> None:
    result = run("catalogue", name)
    assert result.exit_code == 0
    assert result.stdout.startswith(start)
    assert all(part in result.stdout for part in parts)
    assert json.loads(run("catalogue", name, "--json").stdout)[0]["name"] == name


def test_json_catalogue(run: Run) -> None:
    report = json.loads(run("catalogue", "--json").stdout)
    assert [entry["name"] for entry in report["kernels"]] == list(KERNELS)
    assert [entry["name"] for entry in report["distributions"]] == list(DISTRIBUTIONS)
    assert [entry["name"] for entry in report["forms"] if "name" in entry] == list(FORMS)
    assert [entry["name"] for entry in report["activations"]] == [*ACTIVATIONS, "activation"]
    (entry,) = json.loads(run("catalogue", "laplace", "--json").stdout)[:1]
    assert entry["signature"] == "laplace(scale=1)"
    assert ks.parse(entry["signature"]).params == {}


def test_an_unknown_name(run: Run) -> None:
    result = run("catalogue", "mattern")
    assert (result.exit_code, result.stderr) == (
        2,
        "the catalogue has no entry 'mattern'; did you mean 'matern'?\n",
    )
    assert "it has " in run("catalogue", "zzz").stderr
