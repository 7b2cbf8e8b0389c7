"""`plot`: several specs, sweeps, ranges, refusals."""

from __future__ import annotations

from pathlib import Path

import matplotlib.image
import pytest
from matplotlib.figure import Figure

import kernelspec.plotting.figures
from kernelspec.plotting.figures import save_figure
from tests.cli.conftest import Execute, Run, refused


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that commands of this test save."""
    saved: list[Figure] = []

    def save(figure: Figure, path: Path) -> None:
        saved.append(figure)
        save_figure(figure, path)

    monkeypatch.setattr(kernelspec.plotting.figures, "save_figure", save)
    return saved


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.long
@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG\r\n"), ("svg", b"<?xml"), ("pdf", b"%PDF-")])
def test_files(run: Run, tmp_path: Path, suffix: str, start: bytes) -> None:
    out = tmp_path / f"kernels.{suffix}"
    result = run("plot", "-e", "gaussian()", "-e", "periodic(period=2)", "-o", out)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert out.read_bytes().startswith(start)
    if suffix == "png":
        height, width, _ = matplotlib.image.imread(out).shape
        assert width > height > 500
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.long
def test_as_a_program_without_a_display(execute: Execute, tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    result = execute("plot", "-e", "matern(nu=3/2)", "-o", out)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert b"</svg>" in out.read_bytes()[-20:]


@pytest.mark.long
def test_files_first_then_texts_each_with_its_name(run: Run, tmp_path: Path, figures: list[Figure]) -> None:
    (tmp_path / "churn.kernel").write_text("laplace()\n", encoding="utf-8")
    (tmp_path / "price.kernel").write_text("sinc()\n", encoding="utf-8")
    out = tmp_path / "a.png"
    files = (tmp_path / "churn.kernel", tmp_path / "price.kernel")
    assert run("plot", "-e", "gaussian()", *files, "-o", out).exit_code == 0
    assert legend(figures[-1]) == ["churn", "price", "gaussian()"]
    labels = ("--label", "one", "--label", "two", "--label", "three")
    assert run("plot", "-e", "gaussian()", *files, *labels, "-o", out).exit_code == 0
    assert legend(figures[-1]) == ["one", "two", "three"]
    assert run("plot", "-", "-o", out, text="laplace()").exit_code == 0
    assert legend(figures[-1]) == ["laplace()"]


@pytest.mark.long
@pytest.mark.parametrize("text", ["dual(step, laplace())", "full(relu, input=image(3, 3, 1))"])
def test_stationary_kernels_without_a_density(run: Run, tmp_path: Path, figures: list[Figure], text: str) -> None:
    assert run("plot", "-e", text, "-o", tmp_path / "figure.png").exit_code == 0
    (figure,) = figures
    (line,) = [line for line in figure.axes[0].lines if line.get_label() == text]
    values = line.get_ydata()
    assert values[0] == 1
    assert min(values) < 0.97
    assert "shown" in figure.legends[0].texts[0].get_text()


@pytest.mark.long
def test_ranges(run: Run, tmp_path: Path, figures: list[Figure]) -> None:
    arguments = ("--lags", "-1.5:2", "--frequencies", "0:1e2", "-o", tmp_path / "a.png")
    assert run("plot", "-e", "gaussian()", *arguments).exit_code == 0
    assert [axes.get_xlim() for axes in figures[-1].axes] == [(-1.5, 2), (0, 100)]


SCALE = "param s = 2\ngaussian(scale=s)"


@pytest.mark.long
def test_values(run: Run, tmp_path: Path, figures: list[Figure]) -> None:
    out = ("-o", tmp_path / "a.png")
    assert run("plot", "-e", SCALE, "-p", "s=1/2", *out).exit_code == 0
    assert legend(figures[-1]) == ["gaussian(scale=s), s = 0.5"]
    (line,) = figures[-1].axes[0].lines
    lags, values = line.get_xdata(), line.get_ydata()
    assert values[300] == pytest.approx(2.718281828459045 ** (-2 * lags[300] ** 2))  # type: ignore[index]


@pytest.mark.long
def test_every_value_of_a_sweep_is_a_curve(run: Run, tmp_path: Path, figures: list[Figure]) -> None:
    out = ("-o", tmp_path / "a.png")
    assert run("plot", "-e", SCALE, "-p", "s=0.5, 1,2", *out).exit_code == 0
    assert legend(figures[-1]) == ["s = 0.5", "s = 1", "s = 2"]
    assert len(figures[-1].axes[0].lines) == 3
    assert run("plot", "-e", SCALE, "-p", "s=1,2", "--label", "narrow", *out).exit_code == 0
    assert legend(figures[-1]) == ["narrow, s = 1", "narrow, s = 2"]
    assert run("plot", "-e", SCALE, "-e", "laplace()", "-p", "s=1,2", *out).exit_code == 0
    assert legend(figures[-1]) == ["gaussian(scale=s), s = 1", "gaussian(scale=s), s = 2", "laplace()"]
    two = "param nu > 0\nparam s > 0\nmatern(nu=nu, scale=s)"
    assert run("plot", "-e", two, "-p", "nu=0.5,1.5", "-p", "s=1,2", *out).exit_code == 0
    assert legend(figures[-1]) == ["nu = 0.5, s = 1", "nu = 0.5, s = 2", "nu = 1.5, s = 1", "nu = 1.5, s = 2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "a.png"), "SPEC is missing"),
        (("-e", "gaussian()"), "Missing option '-o'"),
        (
            ("-e", "gaussian()", "-o", "a.jpg"),
            "a.jpg: has the suffix '.jpg'; use .png, .svg, .pdf\n",
        ),
        (("-e", "gaussian()", "-o", "a"), "a: has no suffix; use"),
        (("-e", "gaussian()", "-o", "none/a.png"), "the folder 'none' does not exist"),
        (("-e", "match()", "-o", "a.png"), "match() cannot be drawn: k is not a function of the lag alone"),
        (("-e", "linear()[a]*match()[b]", "-o", "a.png"), "linear() is an inner product"),
        (("-e", "gaus()", "-o", "a.png"), "<expression>:1:1: error: unknown kernel 'gaus'"),
        (("gaussian()", "-o", "a.png"), "if this is the text of a spec, put -e before it"),
        (("-e", "param s > 0\ngaussian(scale=s)", "-o", "a.png"), "parameter 's' has no value"),
        (("-e", SCALE, "-p", "t=1,2", "-o", "a.png"), "the spec has no parameter 't'"),
        (("-e", SCALE, "-p", "s=1,two", "-o", "a.png"), "-p s: 'two' is not a number"),
        (("-e", SCALE, "-p", "s=1,,2", "-o", "a.png"), "-p requires NAME=VALUE"),
        (("-e", SCALE, "-p", "s", "-o", "a.png"), "-p requires NAME=VALUE"),
        (("-e", SCALE, "-p", "s=1,2", "-p", "s=3", "-o", "a.png"), "-p sets 's' twice"),
        (("-e", SCALE, "-p", "s=1,-1", "-o", "a.png"), "'scale' of gaussian() must be a number greater than 0"),
        (("-e", "gaussian()", "--label", "a", "--label", "b", "-o", "a.png"), "--label is given 2 times for 1 kernels"),
        (("-e", "gaussian()", "--lags", "3", "-o", "a.png"), "--lags requires A:B with A < B"),
        (("-e", "gaussian()", "--lags", "3:1", "-o", "a.png"), "--lags requires A:B"),
        (("-e", "gaussian()", "--frequencies", "0:inf", "-o", "a.png"), "--frequencies requires A:B"),
    ],
)
def test_bad_input_writes_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in refused(run, "plot", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_message_says_what_to_install(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernelspec.loading.find_spec", lambda name: None)
    result = run("plot", "-e", "gaussian(", "-o", tmp_path / "a.png")  # before anything is read
    said = "figures need the package matplotlib, which is not installed: pip install 'kernelspec[plot]'\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "arguments"),
    [
        ("samples", ()),
        ("features", ("--dim", 2, "--method", "paired")),
        ("bins", ("--dim", 1, "--method", "binning", "--n-features", 64)),
    ],
)
def test_pictures_without_data(run: Run, tmp_path: Path, what: str, arguments: tuple[object, ...]) -> None:
    out = tmp_path / "a.png"
    result = run("plot", "--what", what, "-e", "laplace()", *arguments, "--dark", "-o", out)
    assert (result.exit_code, result.stderr) == (0, "")
    assert matplotlib.image.imread(out)[0, 0, :3].max() < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("what", ["error", "landmarks"])
def test_pictures_of_maps_on_data(run: Run, tmp_path: Path, people_csv: Path, figures: list[Figure], what: str) -> None:
    spec = tmp_path / "near.kernel"
    spec.write_text("gaussian(scale=9)[age]\n", encoding="utf-8")
    options = ("--method", "landmarks", "--n-features", 8, "-o", tmp_path / "a.png")
    result = run("plot", "--what", what, spec, people_csv, *options)
    assert result.exit_code == 0, result.stderr
    assert figures[-1].axes[0].get_xlabel() == {"error": "feature columns", "landmarks": "age"}[what]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--what", "error", "-e", "laplace()"), "--what error requires DATA"),
        (("--what", "bins", "-e", "laplace()", "-e", "gaussian()"), "--what bins is about one kernel"),
        (("--what", "bins", "-e", SCALE, "-p", "s=1,2"), "--what bins is about one kernel"),
        (("--dim", 2, "-e", "laplace()"), "--dim requires --what features, bins, error or landmarks"),
        (("--what", "features", "-e", "laplace()"), "the number of columns is not known"),
        (("--what", "bins", "--dim", 2, "-e", "gaussian()"), "the samples have no bins of numeric columns"),
        (("--what", "samples", "-e", "gaussian() - laplace()"), "no Gaussian process has this covariance"),
    ],
)
def test_refusals_of_pictures(run: Run, tmp_path: Path, arguments: tuple[object, ...], message: str) -> None:
    result = run("plot", *arguments, "-o", tmp_path / "a.png")
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert message in result.stderr
