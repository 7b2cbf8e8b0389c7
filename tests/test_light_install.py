"""What `pip install --no-deps` leaves: Fourier features by NumPy, and a clear message for what needs more."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks

PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "lark", "click", "rich", "markdown_it", "mdurl", "pygments")
"""Packages of a light install besides kernelspec; rich needs the last three."""

FOURIER = (
    "gaussian(scale=2)",
    "gaussian(scale=2)[0]*laplace()[1] + 0.3*matern(3/2)",
    "sinc()*triangle()",
    "periodic(2)",
)

SCRIPT = """
import json, sys
import numpy as np
import kernelspec as ks
from kernelspec.errors import MissingPackageError

rows = np.random.default_rng(0).standard_normal((40, 3))
found = {"proved": str(ks.analyze("matern(3/2) - 0.5*gaussian()").verdict)}
for text in %(fourier)r:
    for storage in (np.float64, np.float32):
        fmap = ks.compile(text, data=rows, n_features=32)
        features = fmap.transform(rows.astype(storage))
        found[f"{text} {storage.__name__}"] = [features.tolist(), fmap.predicted_error(rows)]
    found[f"gram {text}"] = ks.parse(text).gram(rows).tolist()
for name, job in {
    "keys": lambda: ks.compile("minmax()", data=np.abs(rows), n_features=8),
    "estimator": lambda: ks.KernelFeatures("gaussian()").fit(rows),
}.items():
    try:
        job()
    except MissingPackageError as error:
        found[name] = str(error)
json.dump(found, sys.stdout)
"""


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A Python that finds these packages alone."""
    folder = tmp_path_factory.mktemp("light")
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        home = Path(spec.origin).parent
        for part in (home, home.with_name(f"{name}.libs")):  # libraries that wheels bring
            if part.exists():
                (folder / part.name).symlink_to(part)
    root = Path(ks.__file__).parents[1]
    paths = f"import sys; sys.path[:0] = [{str(folder)!r}, {str(root)!r}]"
    return [sys.executable, "-S", "-c", paths]


def run(light: list[str], code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*light[:-1], f"{light[-1]}\n{code}"], capture_output=True, text=True, check=False)


@pytest.mark.long
def test_fourier_features_are_the_same_to_rounding(light: list[str]) -> None:
    done = run(light, SCRIPT % {"fourier": FOURIER})
    assert not done.returncode, done.stderr
    found = json.loads(done.stdout)
    rows = np.random.default_rng(0).standard_normal((40, 3))
    assert found["proved"] == str(ks.analyze("matern(3/2) - 0.5*gaussian()").verdict)
    for text in FOURIER:
        np.testing.assert_allclose(found[f"gram {text}"], ks.parse(text).gram(rows), rtol=1e-12, atol=1e-15)
        for storage, rounding in ((np.float64, 1e-9), (np.float32, 1e-4)):
            fmap = ks.compile(text, data=rows, n_features=32)
            features, error = found[f"{text} {storage.__name__}"]
            np.testing.assert_allclose(features, fmap.transform(rows.astype(storage)), atol=rounding)
            assert error == pytest.approx(fmap.predicted_error(rows), rel=1e-6)
    assert found["keys"].endswith("need the package numba, which is not installed: pip install numba")
    assert (
        found["estimator"]
        == "estimators need the package scikit-learn, which is not installed: pip install scikit-learn"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["check", "-e", "laplace() - 0.5*laplace(scale=2)*constant() + 0.5*laplace(scale=2)"], 0, ""),
        (["features", "-e", "gaussian()", "rows.npy", "-o", "out.npy"], 0, ""),
        (["features", "-e", "gaussian()", "rows.csv", "-o", "out.npy"], 2, "pip install pyarrow"),
        (["fit", "-e", "gaussian()", "rows.npy", "--target", "0", "-o", "out.npz"], 2, "pip install scikit-learn"),
    ],
    ids=["check", "npy", "csv", "fit"],
)
def test_commands(light: list[str], tmp_path: Path, words: list[str], status: int, said: str) -> None:
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).standard_normal((40, 3)))
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n3,4\n")
    code = (
        f"import os; os.chdir({str(tmp_path)!r})\nfrom kernelspec.__main__ import run\nsys.argv[1:] = {words!r}\nrun()"
    )
    done = run(light, code)
    assert done.returncode == status, done.stderr
    assert said in done.stderr


WITHOUT_POSIX = """
import os, signal, sys
import duckdb, joblib, matplotlib.figure, numba, pandas, polars, pyarrow, pyarrow.csv, pyarrow.parquet
import scipy.optimize, scipy.special, sklearn.linear_model, sympy
for name in ("fork", "forkpty", "getuid", "sched_getaffinity", "killpg", "getpgid", "setsid"):
    delattr(os, name)
for name in ("SIGHUP", "SIGALRM", "SIGVTALRM", "pthread_sigmask", "setitimer", "sigwait", "pthread_kill"):
    delattr(signal, name)
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
import numpy as np
import kernelspec as ks
from kernelspec.cli import main
rows = np.random.default_rng(0).standard_normal((60, 2))
np.savetxt("t.csv", np.column_stack([rows, rows[:, 0] + rows[:, 1]]), delimiter=",", header="a,b,y", comments="")
for words in (
    ["check", "-e", "gaussian() - 0.5*laplace()"],
    ["features", "-e", "gaussian()[a]", "t.csv", "-o", "z.parquet", "--save-map", "m.npz", "-q"],
    ["features", "m.npz", "t.csv", "-o", "z.csv", "-q"],
    ["fit", "-e", "gaussian()[a, b]", "t.csv", "--target", "y", "-o", "model.npz", "-q"],
    ["predict", "model.npz", "t.csv", "-o", "p.csv", "-q"],
    ["plot", "-e", "gaussian()", "-o", "k.png"],
):
    try:
        main(words, prog_name="kernelspec")
    except SystemExit as end:
        assert end.code == (1 if words[0] == "check" else 0), (words, end.code)
print(ks.load_model("model.npz").predict({"a": rows[:1, 0], "b": rows[:1, 1]}).shape, len(os.listdir()))
"""


@pytest.mark.long
def test_nothing_needs_what_only_posix_has(tmp_path: Path) -> None:
    """No locks, no fork, no signals but Ctrl-C and terminate: what Windows has."""
    command = [sys.executable, "-c", WITHOUT_POSIX]
    environment = {**os.environ, "PYTHONPATH": str(Path(ks.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert not done.returncode, done.stderr
    assert done.stdout.splitlines()[-1] == "(1,) 7"
