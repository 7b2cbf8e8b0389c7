"""Samplers of other libraries: each line is what a few lines of NumPy find."""

from __future__ import annotations

import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from kernelspec.exchange.audit import LIBRARIES, audit, is_installed, samplers_of

SCRIPTS = Path(__file__).parents[2] / "examples" / "audit"
FILES = {
    "RBFSampler": "rbf_sampler",
    "SkewedChi2Sampler": "skewed_chi2_sampler",
    "AdditiveChi2Sampler": "additive_chi2_sampler",
    "PolynomialCountSketch": "polynomial_count_sketch",
    "Nystroem": "nystroem",
    "WeightedMinHash": "datasketch_weighted_minhash",
    "RandMeth(Gaussian)": "gstools_gaussian",
    "RandMeth(Exponential)": "gstools_exponential",
    "RandMeth(Matern, ν = 3/2)": "gstools_matern",
    "RFFKernel": "gpytorch_rff_kernel",
    "gen_kernel_features(RBF)": "botorch_gaussian",
    "gen_kernel_features(Matern, ν = 3/2)": "botorch_matern",
}


def test_every_sampler_has_a_script() -> None:
    assert {name for library in LIBRARIES for name in samplers_of(library)} == set(FILES)
    assert {path.stem for path in SCRIPTS.glob("*.py")} == set(FILES.values())


@pytest.mark.long
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_line_is_found_by_a_script_of_its_own(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    if not is_installed(library):
        pytest.skip(f"{library} is not installed")
    for each in audit(library):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path(str(SCRIPTS / f"{FILES[each.sampler]}.py"), run_name="__main__")
        assert capsys.readouterr().out.strip() == f"{each.bias:+.4f}"


@pytest.mark.long
def test_a_script_runs_alone() -> None:
    found = next(each for each in audit("scikit-learn") if each.sampler == "RBFSampler")
    command = [sys.executable, str(SCRIPTS / "rbf_sampler.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{found.bias:+.4f}"
