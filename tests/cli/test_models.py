"""`kernelspec tune`, `fit`, `predict` and `show`: from a table to predictions without any Python."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, ipc, parquet

import kernelspec as ks
from tests.cli.conftest import Run
from tests.messy_table import messy_table, written

SPEC = "param s = 10\ngaussian(scale=s)[age] + 0.5*match()[city]\n"

pytestmark = pytest.mark.filterwarnings("ignore::kernelspec.KeptRowsWarning")


@pytest.fixture
def table() -> pd.DataFrame:
    generator = np.random.default_rng(0)
    found = pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(160)],
            "age": generator.normal(40, 10, 160).round(3),
            "city": generator.choice(["Oslo", "Bergen"], 160),
        }
    )
    found["y"] = np.sin(found.age / 10) + (found.city == "Oslo") + 0.1 * generator.standard_normal(160)
    found["up"] = np.where(found.y > 0.5, "yes", "no")
    return found


@pytest.fixture
def folder(tmp_path: Path, table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("m.kernel").write_text(SPEC)
    table[:100].to_csv("a.csv", index=False)
    table[100:140].to_csv("b.csv", index=False)
    table[140:].drop(columns=["y", "up"]).to_csv("new.csv", index=False)
    table[:140].to_parquet("all.parquet")
    return tmp_path


def read(source: object) -> pd.DataFrame:
    """A CSV file, whose numbers are read to the last bit."""
    return csv.read_csv(source).to_pandas()


def done(run: Run, *arguments: object, text: bytes | None = None) -> str:
    found = run(*arguments, text=text)
    assert found.exit_code == 0, found.output
    return found.output


@pytest.mark.slow
def test_from_a_table_to_predictions(run: Run, folder: Path, table: pd.DataFrame) -> None:
    """What the commands say is what Python says of the same table, to the bit."""
    said = done(run, "tune", "m.kernel", "a.csv", "b.csv", "--target", "y", "-o", "t.kernel")
    assert "log likelihood on" in said
    assert "a linear model has" in said
    tuned = ks.tune(SPEC, table[:140][["age", "city"]], table[:140].y.to_numpy())
    assert str(ks.load("t.kernel")) == str(tuned.spec)
    said = done(run, "fit", "t.kernel", "a.csv", "b.csv", "--target", "y", "--keep", "id", "-o", "m.npz")
    assert "R² 0.9" in said
    assert "rows held out; linear model 0." in said
    assert "m.npz: the saved model holds 140 rows of the data" in said
    done(run, "predict", "m.npz", "new.csv", "--std", "--interval", "0.9", "-o", "p.csv")
    found = read("p.csv")
    assert list(found) == ["id", "prediction", "std", "low", "high"]
    assert found.id.tolist() == table.id[140:].tolist()
    model = ks.KernelRegressor(tuned.spec, random_state=0).fit(table[:140][["age", "city"]], table[:140].y)
    mean, deviation = model.predict(table[140:], return_std=True)
    np.testing.assert_array_equal(found.prediction, mean)
    np.testing.assert_array_equal(found["std"], deviation)
    np.testing.assert_array_equal(found[["low", "high"]].T, model.predict_interval(table[140:], 0.9))
    np.testing.assert_array_equal(ks.load_model("m.npz").predict(table[140:]), mean)
    said = done(run, "show", "m.npz")
    assert "KernelRegressor of 'y'" in said
    assert "categories      city: Bergen, Oslo" in said
    assert '"target": "y"' in done(run, "show", "m.npz", "--json")


@pytest.mark.slow
def test_a_suggestion(run: Run, folder: Path, table: pd.DataFrame) -> None:
    """What Python says of the same table; files are joined, and the types are those of all cells."""
    done(run, "suggest", "a.csv", "b.csv", "--target", "y", "--drop", "age,up", "-o", "s.kernel")
    found = Path("s.kernel").read_text(encoding="utf-8")
    assert found == ks.suggest(table[:140], "y", drop=["age", "up"])
    assert found == done(run, "suggest", "all.parquet", "--target", "y", "--drop", "age,up", "-o", "-")
    assert "id (an id or free text: 140 different values)" in " ".join(found.replace("#", " ").split())
    done(run, "fit", "s.kernel", "a.csv", "--target", "y", "-o", "m.npz", "-q")


@pytest.mark.long
@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("%Y-%m-%d", ()),
        ("%d.%m.%Y", ("--date-format", "%d.%m.%Y")),
        ("%Y%m%d", ("--date-format", "when=%Y%m%d")),
    ],
)
def test_a_suggestion_reads_dates_in_text(
    run: Run, folder: Path, table: pd.DataFrame, form: str, options: tuple[str, ...]
) -> None:
    """A column is of dates if all of its cells are; one that begins with a date is text otherwise."""
    dated = table[["age", "y"]].assign(when=pd.date_range("2020-01-01", periods=160), note="2020-01-01")
    expected = ks.suggest(dated.assign(note=["2020-01-01", *"ab" * 79, "c"]), "y")
    dated = dated.assign(when=dated.when.dt.strftime(form), note=["2020-01-01", *"ab" * 79, "c"])
    dated.to_csv("dated.csv", index=False)
    assert "days(when)" in expected
    assert done(run, "suggest", "dated.csv", "--target", "y", *options) == expected


@pytest.mark.long
def test_four_commands_from_a_messy_table_to_predictions(run: Run, tmp_path: Path) -> None:
    """Dates, gaps in numbers and in categories, blanks in names, ids: no option says how to take them."""
    path, output = written(tmp_path, messy_table(150)), tmp_path / "predicted.csv"
    (tmp_path / "new").mkdir()
    new = written(tmp_path / "new", messy_table(60, seed=1))
    spec, tuned, model = (tmp_path / name for name in ("s.kernel", "t.kernel", "m.npz"))
    done(run, "suggest", path, "--target", "spent", "-o", spec)
    done(run, "tune", spec, path, "--target", "spent", "-o", tuned)
    done(run, "fit", tuned, path, "--target", "spent", "-o", model)
    done(run, "predict", model, new, "-o", output, "--interval", "0.95")
    found, truth = read(output), messy_table(60, seed=1).spent
    assert np.corrcoef(found.prediction, truth)[0, 1] > 0.8
    assert ((found.low < truth) & (truth < found.high)).mean() > 0.8


def test_an_explanation_of_a_target(run: Run, folder: Path, table: pd.DataFrame) -> None:
    said = done(run, "explain", "m.kernel", "a.csv", "--target", "y", "--drop", "up")
    assert "gaussian(scale=s)[age]" in said
    assert "0.5*match()[city]" in said
    found = json.loads(done(run, "explain", "m.kernel", "a.csv", "--target", "up", "-p", "s=median", "--json"))
    assert sum(own["share"] for own in found["terms"]) == pytest.approx(1)
    assert found["n_rows"] == 100
    wrong = [
        (["m.kernel", "--target", "y"], "--target requires DATA"),
        (["m.kernel", "a.csv", "--target", "age"], "the target"),
    ]
    for arguments, message in [
        *wrong,
        (["m.kernel", "a.csv", "--target", "y", "--latex"], "cannot be combined with --latex"),
    ]:
        refused = run("explain", *arguments)
        assert refused.exit_code == 2
        assert message in refused.output


def test_classes(run: Run, folder: Path, table: pd.DataFrame) -> None:
    said = done(run, "fit", "m.kernel", "all.parquet", "--target", "up", "--drop", "y,id", "-o", "c.npz")
    assert "accuracy" in said
    done(run, "predict", "c.npz", "new.csv", "--probabilities", "-o", "p.csv")
    found = pd.read_csv("p.csv")
    assert set(found.prediction) <= {"yes", "no"}
    np.testing.assert_allclose(found.probability_no + found.probability_yes, 1)
    assert (found.prediction == table.up[140:].to_numpy()).mean() > 0.8


@pytest.mark.slow
def test_a_series_by_its_state_space(run: Run, folder: Path) -> None:
    Path("series.csv").write_text("t,y\n" + "".join(f"{t / 10},{np.sin(t / 10)}\n" for t in range(300)))
    fit = ("fit", "-e", "matern(nu=5/2, scale=3)[t]", "series.csv", "--target", "y", "--solver", "state-space")
    assert "state-space (as asked for)" in done(run, *fit, "-o", "m.npz")
    done(run, "predict", "m.npz", "series.csv", "-o", "p.csv")
    assert np.abs(pd.read_csv("p.csv").prediction - np.sin(np.arange(300) / 10)).max() < 0.01


def test_numbers_written_as_text_are_no_target(run: Run, folder: Path, table: pd.DataFrame) -> None:
    table.assign(y=[f"{own:.2f}".replace(".", ",") for own in table.y]).to_csv("commas.csv", index=False)
    for command in ("fit", "tune"):
        found = run(command, "m.kernel", "commas.csv", "--target", "y", "-o", "m.npz")
        assert found.exit_code == 2
        assert "has a decimal comma: write such numbers with a point" in found.output
        assert "--task classes" in found.output


def test_dates_with_gaps_from_a_file_to_predictions(run: Run, folder: Path) -> None:
    days = pd.date_range("2025-01-01", periods=200).strftime("%Y-%m-%d").to_series(index=range(200))
    frame = pd.DataFrame({"day": days.mask(np.arange(200) % 9 == 0), "y": np.sin(np.arange(200) / 15)})
    frame.to_csv("gaps.csv", index=False)
    done(run, "suggest", "gaps.csv", "--target", "y", "-o", "s.kernel")
    assert "fill(days(day))" in Path("s.kernel").read_text()
    done(run, "tune", "s.kernel", "gaps.csv", "--target", "y", "-o", "t.kernel")
    done(run, "fit", "t.kernel", "gaps.csv", "--target", "y", "-o", "m.npz")
    done(run, "predict", "m.npz", "gaps.csv", "-o", "p.csv")
    lag = np.abs(read("p.csv").prediction - frame.y)[frame.day.notna()]
    assert lag.max() < 0.1


def test_tuning_by_cross_validation(run: Run, folder: Path) -> None:
    said = done(run, "tune", "m.kernel", "a.csv", "--target", "y", "--by", "cv", "-o", "t.kernel")
    assert "-cross-validation error on " in said


def test_a_tuned_spec_keeps_the_comments_at_its_start(run: Run, folder: Path) -> None:
    Path("m.kernel").write_text(f"# why this kernel\n#   and not another\n{SPEC}# the end\n")
    done(run, "tune", "m.kernel", "a.csv", "--target", "y", "--task", "regression", "-o", "t.kernel")
    lines = Path("t.kernel").read_text().splitlines()
    assert lines[:2] == ["# why this kernel", "#   and not another"]
    assert lines[2].startswith("param s = ")
    assert "# the end" not in lines


@pytest.mark.parametrize("task", ["auto", "classes"])
def test_what_the_target_is(task: str, run: Run, folder: Path) -> None:
    frame = pd.read_csv("a.csv").assign(grade=lambda own: (own.y > 0.5).astype(int))
    frame.to_csv("graded.csv", index=False)
    said = done(run, "fit", "m.kernel", "graded.csv", "--target", "grade", "--task", task, "-o", "m.npz")
    assert ("KernelClassifier" if task == "classes" else "KernelRegressor") in said


def test_standard_input_and_output(run: Run, folder: Path) -> None:
    whole = Path("a.csv").read_bytes()
    done(run, "fit", "m.kernel", "-", "--target", "y", "-o", "m.npz", "-q", text=whole)
    done(run, "fit", "m.kernel", "a.csv", "--target", "y", "-o", "other.npz", "-q")
    said = done(run, "predict", "m.npz", "-", "-o", "-", "-q", text=Path("new.csv").read_bytes())
    found = read(io.BytesIO(said.encode()))
    np.testing.assert_array_equal(found.prediction, ks.load_model("other.npz").predict(pd.read_csv("new.csv")))
    wrong = run("fit", "m.kernel", "-", "--target", "y", "-o", "n.npz", text=whole.replace(b"p3,", b"p3,old", 1))
    assert wrong.exit_code == 2
    assert "<stdin>: " in wrong.output


@pytest.mark.slow
@pytest.mark.parametrize("target", ["y", "up"])
def test_a_table_read_in_blocks(run: Run, folder: Path, table: pd.DataFrame, target: str) -> None:
    """Several files give the model of one, with its score on rows held out; a spec may learn numbers from all."""
    table[:140].to_csv("all.csv", index=False)
    spec = ["-e", "gaussian()[standardize(age)] + 0.5*match()[city]", "--target", target, "--stream"]
    said = done(run, "fit", *spec, "a.csv", "b.csv", "-o", "m.npz")
    assert "on 28 rows held out" in said
    done(run, "fit", *spec, "all.csv", "-o", "n.npz", "-q")
    m, n = ks.load_model("m.npz"), ks.load_model("n.npz")
    new = pd.read_csv("new.csv")
    if target == "y":
        np.testing.assert_allclose(m.predict(new), n.predict(new), atol=1e-9)
    else:
        np.testing.assert_allclose(m.predict_proba(new), n.predict_proba(new), atol=1e-9)
    wrong = run("fit", "m.kernel", "a.csv", "--target", "y", "--stream", "--solver", "exact", "-o", "o.npz")
    assert (wrong.exit_code, "--stream requires --solver features" in wrong.output) == (2, True)


@pytest.mark.long
def test_a_query_is_a_table(run: Run, folder: Path) -> None:
    query = ["FROM 'a.csv' UNION ALL BY NAME FROM 'b.csv'", "--engine", "duckdb", "--target", "y"]
    files = ["a.csv", "b.csv", "--target", "y"]
    new = pd.read_csv("new.csv")
    for more in ([], ["--stream"]):
        done(run, "fit", "m.kernel", *query, *more, "-o", "m.npz", "-q")
        done(run, "fit", "m.kernel", *files, *more, "-o", "n.npz", "-q")
        m, n = ks.load_model("m.npz"), ks.load_model("n.npz")
        np.testing.assert_allclose(m.predict(new), n.predict(new), atol=1e-9)
    said = done(
        run, "predict", "m.npz", "SELECT * FROM 'new.csv' WHERE age > 30", "--engine", "duckdb", "-o", "-", "-q"
    )
    assert len(said.splitlines()) == 1 + (new.age > 30).sum()
    assert done(run, "tune", "m.kernel", *query) == done(run, "tune", "m.kernel", *files)
    wrong = run("fit", "m.kernel", "SELEC 1", "--engine", "duckdb", "--target", "y", "-o", "o.npz")
    assert (wrong.exit_code, "the query 'SELEC 1' fails: Parser Error" in wrong.output) == (2, True)


@pytest.mark.slow
def test_a_pattern_stands_for_all_files_that_match(run: Run, folder: Path) -> None:
    Path("new.csv").rename("other.txt")
    done(run, "fit", "m.kernel", "?.csv", "--target", "y", "-o", "m.npz", "-q")
    done(run, "fit", "m.kernel", "a.csv", "b.csv", "--target", "y", "-o", "n.npz", "-q")
    done(run, "predict", "m.npz", "[ab].csv", "-o", "p.csv")
    done(run, "predict", "n.npz", "a.csv", "b.csv", "-o", "q.csv")
    assert Path("p.csv").read_bytes() == Path("q.csv").read_bytes()
    assert "no file matches it as a pattern" in run("predict", "m.npz", "x*.csv", "-o", "p.csv").output


@pytest.mark.slow
def test_formats_of_predictions(run: Run, folder: Path) -> None:
    done(run, "fit", "m.kernel", "a.csv", "--target", "y", "-o", "m.npz", "-q")
    for name in ("p.csv", "p.parquet", "p.arrow"):
        done(run, "predict", "m.npz", "new.csv", "b.csv", "--keep", "id", "-o", name)
    expected = read("p.csv")
    assert len(expected) == 60
    pd.testing.assert_frame_equal(parquet.read_table("p.parquet").to_pandas(), expected)
    with ipc.open_file("p.arrow") as file:
        pd.testing.assert_frame_equal(file.read_all().to_pandas(), expected)


def test_files_without_names(run: Run, folder: Path, table: pd.DataFrame) -> None:
    numbers = np.column_stack([table.age, table.y, np.arange(160) % 7])
    np.save("all.npy", numbers)
    np.save("new.npy", np.delete(numbers, 1, axis=1))
    done(run, "fit", "-e", "gaussian(scale=20)", "all.npy", "--target", "1", "-o", "m.npz")
    done(run, "predict", "m.npz", "new.npy", "-o", "p.parquet")
    model = ks.KernelRegressor("gaussian(scale=20)", random_state=0).fit(np.delete(numbers, 1, axis=1), numbers[:, 1])
    found = parquet.read_table("p.parquet").column("prediction").to_numpy()
    np.testing.assert_array_equal(found, model.predict(np.delete(numbers, 1, axis=1)))


def test_numbers_where_there_was_text_are_spoken_of(run: Run, folder: Path) -> None:
    pd.read_csv("a.csv").assign(city=5).to_csv("typed.csv", index=False)
    done(run, "fit", "m.kernel", "a.csv", "--target", "y", "-o", "m.npz", "-q")
    assert "reading it as text, as the map does" in done(run, "predict", "m.npz", "typed.csv", "-o", "p.csv")


@pytest.mark.slow
def test_a_median_and_a_parameter_on_the_command_line(run: Run, folder: Path, table: pd.DataFrame) -> None:
    text = "param s > 0\ngaussian(scale=s)[age]"
    done(run, "fit", "-e", text, "a.csv", "--target", "y", "-p", "s=median", "-o", "m.npz", "-q")
    expected = ks.parse(text).with_params({"s": "median"}, data=table[:100][["age"]])
    assert ks.load_model("m.npz").spec_.params == expected.params


FIT = ["fit", "m.kernel", "a.csv", "--target", "y", "-o", "out.npz"]

REFUSED = [
    ([*FIT[:4], "yy", *FIT[5:]], "a.csv: unknown column 'yy'; did you mean 'y'?"),
    ([*FIT[:4], "age", *FIT[5:]], "the spec reads the target, column 'age'"),
    ([*FIT[:4], "up", *FIT[5:], "--task", "regression"], "regression needs numbers"),
    ([*FIT, "--keep", "idd"], "unknown column 'idd'; did you mean 'id'?"),
    ([*FIT, "--keep", "city"], "--keep names column 'city', which the spec uses"),
    ([*FIT[:2], *FIT[3:]], "TABLE is missing after m.kernel"),
    ([*FIT[:5], "-o", "a.csv"], "would overwrite an input of this run"),
    ([*FIT[:5], "-o", "no/out.npz"], "does not exist"),
    ([*FIT, "--n-features", "many"], "--n-features"),
    (["fit", "m.kernel", "gap.csv", *FIT[3:]], "the target 'y' is missing in row 3"),
    (["fit", "m.kernel", "mixed.csv", *FIT[3:]], "numbers or classes, not both"),
    (["fit", "m.kernel", "hole.csv", *FIT[3:]], "column 'age'"),
    (["fit", "m.kernel", "word.csv", *FIT[3:]], "word.csv"),
    (["fit", "m.kernel", "one.csv", *FIT[3:]], "two rows at least"),
    (["fit", "m.kernel", "flat.csv", *FIT[3:]], "the target is constant"),
    (["fit", "m.kernel", "flat.csv", "--target", "up", "-o", "out.npz"], "one class only"),
    (["fit", "m.kernel", "empty.csv", *FIT[3:]], "empty.csv"),
    (["fit", "-e", "gaussian()[age] - 2*laplace()[age]", *FIT[2:]], "indefinite"),
    (["suggest", "a.csv", "--target", "z", "-o", "out.kernel"], "unknown column 'z'"),
    (["suggest", "flat.csv", "--target", "y", "-o", "out.kernel"], "the target is constant"),
    (["suggest", "gap.csv", "--target", "y", "-o", "out.kernel"], "the target is missing in 1 rows"),
    (["suggest", "a.csv", "short.csv", "--target", "y", "-o", "out.kernel"], "the same in all files"),
    (["suggest", "a.csv", "--target", "y", "-o", "a.csv"], "would overwrite an input of this run"),
    (["tune", "m.kernel", "flat.csv", "--target", "y", "-o", "out.npz"], "the target is constant"),
    (["tune", "m.kernel", "a.csv", "--target", "y", "--fixed", "t", "-o", "out.npz"], "fixed names 't'"),
    (
        ["predict", "m.npz", "new.csv", "-o", "out.npz"],
        "tables are written to .csv, .tsv, .jsonl, .arrow, .feather, .parquet",
    ),
    (["predict", "m.npz", "new.csv", "-o", "out.csv", "--interval", "2"], "must be between 0 and 1"),
    (["predict", "m.npz", "new.csv", "-o", "out.csv", "--probabilities"], "--probabilities requires a classifier"),
    (["predict", "m.npz", "new.csv", "-o", "out.csv", "--keep", "y"], "unknown column 'y'"),
    (["predict", "m.npz", "word.csv", "-o", "out.csv"], "word.csv"),
    (["predict", "m.npz", "short.csv", "-o", "out.csv"], "unknown column 'city'"),
    (["predict", "m.npz", "empty.csv", "-o", "out.csv"], "has no rows"),
    (["predict", "line.npz", "huge.csv", "-o", "out.csv", "--std"], "huge.csv: the prediction overflows in row 5"),
    (["predict", "a.csv", "new.csv", "-o", "out.csv"], "a.csv is not a kernelspec model"),
    (["predict", "none.npz", "new.csv", "-o", "out.csv"], "none.npz: no such file"),
]


@pytest.fixture
def wrong(folder: Path, run: Run) -> Path:
    """Tables in which something is wrong."""
    frame = pd.read_csv("a.csv")
    for name, column, row, value in (
        ("gap", "y", 2, None),
        ("mixed", "y", 2, "many"),
        ("hole", "age", 3, None),
        ("word", "age", 3, "old"),
    ):
        other = frame.astype({column: object})
        other.loc[row, column] = value
        other.to_csv(f"{name}.csv", index=False)
    frame[:1].to_csv("one.csv", index=False)
    frame[:0].to_csv("empty.csv", index=False)
    frame.assign(y=1.5, up="no").to_csv("flat.csv", index=False)
    frame[["age"]].to_csv("short.csv", index=False)
    frame.assign(age=[*[1.0] * 4, *[1e200] * 96]).to_csv("huge.csv", index=False)
    done(run, "fit", "-e", "linear()[age]", "a.csv", "--target", "y", "-o", "line.npz", "-q")
    done(run, "fit", "m.kernel", "a.csv", "--target", "y", "-o", "m.npz", "-q")
    return folder


@pytest.mark.slow
def test_what_is_wrong_is_said_and_nothing_is_written(wrong: Path, run: Run) -> None:
    before = {path.name for path in wrong.iterdir()}
    for arguments, message in REFUSED:
        found = run(*arguments)
        assert found.exit_code == 2, (arguments, found.output)
        assert message in found.output, (arguments, found.output)
        assert {path.name for path in wrong.iterdir()} == before, arguments


@pytest.mark.slow
def test_a_fault_in_a_later_file_leaves_the_predictions_that_were_there(wrong: Path, run: Run) -> None:
    Path("p.csv").write_text("as it was\n")
    found = run("predict", "m.npz", "new.csv", "word.csv", "-o", "p.csv")
    assert found.exit_code == 2
    assert "row 4" in found.output
    assert Path("p.csv").read_text() == "as it was\n"


def test_classes_keep_all_their_digits(run: Run, tmp_path: Path) -> None:
    """2⁵³ and 2⁵³ + 1 are one float."""
    classes = [2**53, 2**53 + 1, 5]
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i % 3}.5,{classes[i % 3]}\n" for i in range(30)))
    words = ["-e", "gaussian()[x]", tmp_path / "t.csv", "--target", "y", "--task", "classes", "-o", tmp_path / "m.npz"]
    done(run, "fit", *words)
    assert ks.load_model(tmp_path / "m.npz").classes_.tolist() == sorted(classes)


def test_classes_beyond_int64_are_predicted_to_files(run: Run, tmp_path: Path) -> None:
    x, classes = np.linspace(0, 1, 60), np.array([2**64 - 1, 2**64 - 2, 5], dtype=np.uint64)
    path, model, output = (tmp_path / name for name in ("rows.parquet", "m.npz", "out.parquet"))
    pd.DataFrame({"x": x, "k": classes[(x * 2.9).astype(int)]}).to_parquet(path)
    done(run, "fit", "-e", "gaussian(0.3)[x]", path, "--target", "k", "--task", "classes", "-o", model, "--no-score")
    done(run, "predict", model, path, "-o", output)
    assert set(pd.read_parquet(output).prediction) == set(classes.tolist())


def test_files_without_a_header_have_names_by_option(run: Run, tmp_path: Path) -> None:
    x = np.linspace(0, 1, 60)
    path, model, new = (tmp_path / name for name in ("rows.csv", "m.npz", "new.csv"))
    pd.DataFrame({"x": x, "y": np.sin(5 * x)}).to_csv(path, index=False, header=False)
    pd.DataFrame({"x": x[:3]}).to_csv(new, index=False, header=False)
    assert "# Numbers: x\n" in done(run, "suggest", path, "--no-header", "--columns", "x,y", "--target", "y")
    options = ("--no-header", "--columns", "x,y", "--target", "y")
    done(run, "fit", "-e", "gaussian(0.3)[x]", path, *options, "-o", model)
    printed = done(run, "predict", model, new, "--no-header", "--columns", "x", "-o", "-").split()
    np.testing.assert_allclose([float(own) for own in printed[1:]], np.sin(5 * x[:3]), atol=1e-3)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_columns_that_are_kept_and_read_stay_as_written(run: Run, tmp_path: Path, suffix: str) -> None:
    path, model, output = tmp_path / "rows.csv", tmp_path / "m.npz", tmp_path / f"out.{suffix}"
    cells = [(f"{i:03d}", f"2024-01-{i + 1:02d}T05:00:00+02:00", ["TRUE", "false"][i % 2]) for i in range(20)]
    path.write_text("id,at,ok,y\n" + "".join(f"{','.join(row)},{i % 4}.5\n" for i, row in enumerate(cells)))
    text = "gaussian(scale=3)[id]*gaussian(scale=9)[at]"
    done(run, "fit", "-e", f"{text}*match()[ok]", path, "--target", "y", "-o", model, "--no-score")
    for command in (["predict", model, path], ["features", "-e", text, path, "--n-features", 2, "--method", "paired"]):
        done(run, *command, "--keep", "id,at,ok", "-o", output)
        if suffix == "csv":
            found = pd.read_csv(output, dtype=str)
        else:
            found = pd.DataFrame(map(json.loads, output.read_text().splitlines()))
        assert list(found[["id", "at", "ok"]].itertuples(index=False, name=None)) == cells


@pytest.mark.parametrize("options", [(), ("--stream",)], ids=["whole", "stream"])
@pytest.mark.parametrize(
    ("first", "second", "suffix"),
    [
        ([1, 2, 3], ["X", "2", "3"], "csv"),
        ([1, 2, 3], [0.5, 2, 3], "csv"),
        ([1, 2, 3], [0.5, 2, 3], "parquet"),
        ([None] * 3, ["X", "2", "3"], "csv"),
    ],
)
def test_types_are_those_of_all_files(
    run: Run, tmp_path: Path, first: list[object], second: list[object], suffix: str, options: tuple[str, ...]
) -> None:
    paths, table, model = [], pd.DataFrame({"x": np.arange(9.0), "y": np.sin(np.arange(9.0))}), tmp_path / "m.npz"
    for i, cells in enumerate((first, second)):
        paths.append(tmp_path / f"{i}.{suffix}")
        rows = table.assign(p=cells * 3)
        rows.to_csv(paths[i], index=False) if suffix == "csv" else rows.to_parquet(paths[i])
    found = []
    for files in (paths, paths[::-1]):
        text = "gaussian(scale=3)[x]*match()[p]"
        done(run, "fit", "-e", text, *files, "--target", "y", "-o", model, "--no-score", *options)
        found.append([float(own) for own in done(run, "predict", model, *paths, "-o", "-", "-q").split()[1:]])
    np.testing.assert_allclose(found[0], found[1], atol=0.01)
    np.testing.assert_allclose(found[0], np.tile(table.y, 2), atol=0.2)


def test_a_file_without_dates_beside_one_of_dates(run: Run, tmp_path: Path) -> None:
    dates, paths = pd.date_range("2024-01-01", periods=9).strftime("%Y-%m-%d"), [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, cells in zip(paths, (dates, [None] * 9), strict=True):
        pd.DataFrame({"day": cells, "y": np.sin(np.arange(9.0))}).to_csv(path, index=False)
    spec, model = "gaussian(scale=2)[fill(day, 0)]", tmp_path / "m.npz"
    for files in (paths, paths[::-1]):
        done(run, "fit", "-e", spec, *files, "--target", "y", "-o", model, "--no-score")
        assert len(done(run, "predict", model, *files, "-o", "-").splitlines()) == 19
    pd.DataFrame({"day": range(9), "y": np.sin(np.arange(9.0))}).to_csv(paths[1], index=False)
    refused = run("fit", "-e", spec, *paths[::-1], "--target", "y", "-o", model)
    assert (refused.exit_code, "b.csv: row 1, column 'day': '0' is not a date" in refused.output) == (2, True)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_without_rows_beside_others(run: Run, tmp_path: Path, suffix: str) -> None:
    table, model = pd.DataFrame({"x": np.arange(9.0), "y": np.sin(np.arange(9.0))}), tmp_path / "m.npz"
    paths = [tmp_path / f"{name}.{suffix}" for name in ("empty", "full")]
    for path, rows in zip(paths, (table[:0], table), strict=True):
        rows.to_csv(path, index=False) if suffix == "csv" else rows.to_parquet(path)
    done(run, "fit", "-e", "gaussian()[x]", *paths, "--target", "y", "-o", model, "--no-score")
    assert len(done(run, "predict", model, *paths, "-o", "-").splitlines()) == 1 + len(table)
    assert len(done(run, "predict", model, *reversed(paths), "-o", "-").splitlines()) == 1 + len(table)
    found = run("predict", model, paths[0], "-o", "-")
    assert (found.exit_code, "empty." in found.output, "has no rows" in found.output) == (2, True, True)


def test_columns_to_keep_cannot_be_called_like_predictions(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    pd.DataFrame({"x": np.arange(9.0), "y": np.arange(9.0), "std": 1}).to_csv(path, index=False)
    found = run("fit", "-e", "gaussian()[x]", path, "--target", "y", "--keep", "std", "-o", tmp_path / "m.npz")
    assert found.exit_code == 2
    assert "--keep names column 'std', as predictions are called" in found.output


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_classes_of_true_and_false_are_predicted_as_such(run: Run, tmp_path: Path, suffix: str) -> None:
    x = np.linspace(0, 1, 60)
    path, model, output = tmp_path / f"rows.{suffix}", tmp_path / "m.npz", tmp_path / "out.parquet"
    table = pd.DataFrame({"x": x, "k": x > 0.5})
    table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path)
    done(run, "fit", "-e", "gaussian(0.3)[x]", path, "--target", "k", "-o", model, "--no-score")
    done(run, "predict", model, path, "-o", output)
    assert pd.read_parquet(output).prediction.tolist() == table.k.tolist()


@pytest.mark.filterwarnings("default:The number of unique classes")
def test_what_a_small_table_of_many_classes_lacks_is_said_in_one_line_each(run: Run, tmp_path: Path) -> None:
    path, classes = tmp_path / "rows.csv", [f"c{i // 2}x" for i in range(20)] + [f"d{i}x" for i in range(10)]
    pd.DataFrame({"x": np.arange(30.0), "k": classes}).to_csv(path, index=False)
    found = run("fit", "-e", "gaussian(3)[x]", path, "--target", "k", "-o", tmp_path / "m.npz")
    lines = [line for line in found.output.splitlines() if "number of unique classes" in line]
    assert len(lines) == 1
    assert lines[0].startswith("UserWarning: ")
    assert "no score: it needs at least 10 held-out rows, a fifth of the table" in found.output


def views(table: pd.DataFrame) -> pa.Table:
    """An Arrow table with text as views, and in dictionaries of views, as Polars writes them."""
    found = pa.Table.from_pandas(table, preserve_index=False)
    codes = pa.array((table.up == "yes").astype(np.int32))
    found = found.set_column(2, "city", pa.array(table.city, pa.string_view()))
    return found.set_column(4, "up", pa.DictionaryArray.from_arrays(codes, pa.array(["no", "yes"], pa.string_view())))


@pytest.mark.long
def test_text_of_other_programs(run: Run, folder: Path, table: pd.DataFrame) -> None:
    own = views(table[:140])
    with ipc.new_file("views.arrow", own.schema) as file:
        file.write_table(own)
    assert done(run, "suggest", "views.arrow", "--target", "y") == done(run, "suggest", "all.parquet", "--target", "y")
    for target in ("y", "up"):
        shown = [
            done(run, "fit", "m.kernel", source, "--target", target, "-o", "m.npz")
            for source in ("views.arrow", "all.parquet")
        ]
        assert shown[0] == shown[1]
    assert done(run, "predict", "m.npz", "views.arrow", "--keep", "city", "-o", "-").startswith('"city"')
    assert ks.suggest(own, target="y") == ks.suggest(table[:140], target="y")


@pytest.mark.parametrize("cells", ["1, NaN,3,1,NAN", f"{2**70}, NaN,3,1,4"])
def test_other_spellings_of_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: str) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{cell},{i}" for i, cell in enumerate(cells.split(","))]
    Path("t.csv").write_text("\n".join(["a,y", *rows]))
    found = done(run, "fit", "-e", "match()[a]", "t.csv", "--target", "y", "-o", "m.npz")
    assert re.search(r"^categories +a: .*missing", found, re.MULTILINE)


def test_a_linear_model_that_overflows_does_not_end_a_fit(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    x = generator.standard_normal(100)
    x[50] = 1e200
    pd.DataFrame({"x": x, "y": generator.standard_normal(100)}).to_csv("t.csv", index=False)
    assert "rows held out" in done(run, "fit", "-e", "gaussian()[x]", "t.csv", "--target", "y", "-o", "m.npz")
