"""`check`: the answer, the reasons, the exit status, and how little it imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import kernelspec as ks
from kernelspec.kernels.arguments import declared
from kernelspec.kernels.catalogue import KERNELS, load_kernel
from tests.cli.conftest import ENVIRONMENT, Run

TEN_NODES = (
    "0.3*gaussian(scale=2)*laplace(scale=3) + 0.2*matern(nu=3/2)**2 + 0.1*stretch(cauchy(scale=2), 2) "
    "+ 0.2*mean(exponential(), rational_quadratic(alpha=2))[0:3] + 0.2*normalize(sinc() + triangle())"
)
HEAVY = ("sympy", "mpmath", "scipy.stats", "sklearn", "pyarrow", "rich", "pandas", "narwhals")


def test_proved(run: Run) -> None:
    result = run("check", "-e", "0.7 * gaussian(scale=2.0)+0.3*laplace()")
    assert result.exit_code == 0
    assert result.stdout.startswith("proved: positive definite\n\n0.7*gaussian(scale=2) + 0.3*laplace()\n")
    assert "Bochner" in result.stdout
    assert "stationary: yes" in result.stdout
    assert result.stderr == ""


def test_disproved_names_the_dimension(run: Run) -> None:
    result = run("check", "-e", "gaussian() - laplace()")
    assert result.exit_code == 1
    assert result.stdout.startswith("disproved: not positive definite")
    assert "with 1 column: the spectral density is -" in result.stdout


def test_disproved_where_one_column_is_too_few(run: Run) -> None:
    result = run("check", "-e", "gaussian()[1] - laplace()[1]")
    assert result.exit_code == 1
    assert "with 2 columns: " in result.stdout


def test_unknown(run: Run) -> None:
    result = run("check", "-e", "gaussian(scale=1) - 0.1*gaussian(scale=2)")
    assert result.exit_code == 1
    assert result.stdout.startswith("unknown: neither proved nor disproved")


@pytest.mark.parametrize("option", [("--dim", 2), ("--columns", "a, b")])
def test_on_given_columns(run: Run, option: tuple[str, object]) -> None:
    result = run("check", "-e", "gaussian() - laplace()", *option)
    assert result.exit_code == 1
    assert "  - the spectral density is -" in result.stdout


def test_categories(run: Run) -> None:
    result = run("check", "-e", "gaussian()[age] * match()[country]")
    assert result.exit_code == 0
    assert "stationary: in its numeric columns" in result.stdout


def test_a_free_parameter_stays_a_symbol(run: Run) -> None:
    result = run("check", "-e", "param s > 0\ngaussian(scale=s)")
    assert result.exit_code == 0
    assert "gaussian(scale=s)" in result.stdout


def test_a_parameter_with_a_value(run: Run) -> None:
    result = run("check", "-e", "param s > 0\ngaussian(scale=s)", "-p", "s=3/2")
    assert result.exit_code == 0
    assert "with s = 3/2" in result.stdout
    assert "gaussian(scale=1.5)" in result.stdout


def test_the_number_of_columns_as_a_symbol(run: Run) -> None:
    assert run("check", "-e", "stretch(gaussian(), sqrt(d))").exit_code == 0


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
