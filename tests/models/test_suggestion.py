"""`ks.suggest`: columns by their types, reasons beside every choice, and a spec that can be tuned and fitted."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.models import suggestion
from kernelspec.models.explanation import explain_model

pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.slow

N = 120


def messy(seed: int = 0) -> Any:
    generator = np.random.default_rng(seed)
    age, income = generator.normal(40, 10, N), generator.lognormal(10, 1.5, N)
    city = generator.choice(["Oslo", "Bergen", "Tromsø"], N)
    frame = pd.DataFrame(
        {
            "row": np.arange(N) + 7,
            "code": [f"c-{i:04d}" for i in generator.permutation(N)],
            "remark": [f"seen on day {i} by the clerk, who wrote {i * i}" for i in range(N)],
            "age (years)": age,
            "income": income,
            "city": city,
            "member": generator.random(N) < 0.5,
            "unit": "cm",
            "height": np.where(generator.random(N) < 0.1, np.nan, generator.normal(170, 9, N)),
            "since": pd.to_datetime("2024-01-01") + pd.to_timedelta(generator.integers(0, 900, N), "D"),
            "shoe": np.where(generator.random(N) < 0.05, None, generator.choice(["flat", "high"], N)),
        }
    )
    frame["y"] = np.sin(age / 6) + (city == "Oslo") + 0.1 * generator.standard_normal(N)
    return frame


@pytest.fixture(scope="module")
def suggested() -> str:
    return ks.suggest(messy(), "y")


def test_columns_by_their_types(suggested: str) -> None:
    spec = ks.parse(suggested)
    assert set(spec.columns().names or ()) == {"age (years)", "income", "city", "member", "shoe", "height", "since"}
    said = " ".join(suggested.replace("#", " ").split())
    for reason in (
        "row (an id: it counts the rows)",
        "code (an id or free text: 120 different values)",
        "remark (an id or free text: 120 different values)",
        "unit (constant)",
        "Numbers: age (years), income, height Categories: city (3 values), member (2 values), shoe (2 values,",
        "Dates, as days and cycles: since",
        "Skewed, tried with logarithms (skewness): income (8.6)",
    ):
        assert reason in said, said
    assert re.search(r"Missing values, filled and marked: height \(\d+\.\d% missing\)", said)
    for part in ("fill(height)", "match()[is_missing(height)]", "days(since)", "cycle(days(since), 365.25)"):
        assert part in suggested
    assert re.search(r"shoe \(2 values, \d\.\d% missing\)", said)


def test_candidates_have_scores_and_the_best_is_taken(suggested: str) -> None:
    scores = re.findall(r"^#   (.*?)  +(0\.\d{4})(  <- this one)?$", suggested, re.MULTILINE)
    names = [name for name, *_ in scores]
    assert len(set(names)) == len(names) >= 9
    assert any("median scale" in name for name in names)
    assert any("tuned scales" in name for name in names)
    (chosen,) = (float(score) for _, score, mark in scores if mark)
    assert chosen == min(float(score) for _, score, _ in scores)
    assert ks.format_text(suggested) == suggested


def test_the_text_is_the_model(suggested: str) -> None:
    """It can be tuned and fitted, and predicts new rows far better than a linear model of the same columns."""
    train, test = messy(), messy(1)
    tuned = ks.tune(suggested, train, train.y)
    model = ks.KernelRegressor(tuned.spec).fit(train.drop(columns="y"), train.y)
    assert model.score(test, test.y) > 0.8
    with pytest.raises(ks.DataError, match="shoe"):
        ks.KernelRegressor(tuned.spec, missing="refuse").fit(train.drop(columns="y"), train.y)


@pytest.mark.parametrize(("sign", "offset"), [(1, 0.0), (1, -0.5), (-1, 0.0), (-1, 2_000.0)])
def test_logarithms_of_skewed_numbers(sign: int, offset: float) -> None:
    """For a long tail of numbers on either side, wherever they lie; of numbers on both sides of their median."""
    generator = np.random.default_rng(5)
    tail, is_plain = generator.lognormal(0, 2, 150), (sign, offset) == (1, 0)
    frame = pd.DataFrame({"in come": sign * tail + offset, "row": np.arange(150), "y": np.sin(2 * np.log(tail))})
    frame["y"] += 0.05 * is_plain * generator.standard_normal(150)
    text = ks.suggest(frame, "y", drop=["row"])
    if is_plain:
        assert re.search(r'log\(1 \+ max\("in come", 0\)/[\d.]+\)', text), text
    scores = dict(re.findall(r"^#   (.*?)  +(0\.\d{4})", text, re.MULTILINE))
    share = 0.7 if is_plain else 0.8
    assert float(scores["gaussian, tuned scales, logarithms"]) < share * float(scores["gaussian, median scale"]), text
    assert ks.KernelRegressor(text, method="nystrom").fit(frame, frame.y).score(frame, frame.y) > 0.5


@pytest.mark.long
def test_seasons_hours_and_gaps_predict() -> None:
    """A season, an hour of the day, and that a number is missing, each with a part in the target."""
    generator = np.random.default_rng(2)
    hours = generator.integers(0, 800 * 24, 250)
    times, days = pd.to_datetime("2023-05-01") + pd.to_timedelta(hours, "h"), hours / 24
    level = np.where(generator.random(250) < 0.2, np.nan, generator.standard_normal(250))
    signal = np.sin(2 * np.pi * days / 365.25) + np.cos(2 * np.pi * days) + np.isnan(level)
    frame = pd.DataFrame({"seen at": times, "level": level, "y": signal + 0.1 * generator.standard_normal(250)})
    text = ks.suggest(frame[:180], "y")
    model = ks.KernelRegressor(text).fit(frame[:180], frame.y[:180])
    assert model.score(frame[180:], frame.y[180:]) > 0.8, text


def test_classes_and_what_is_dropped() -> None:
    frame = messy().assign(good=lambda own: np.where(own.y > 0.5, "yes", "no"))
    text = ks.suggest(frame[["age (years)", "income", "y", "good"]], "good", drop=["y"])
    assert text.startswith("# Suggested for 'good', 2 classes, from 120 rows.")
    assert set(ks.parse(text).columns().names or ()) == {"age (years)", "income"}
    assert "y (as asked for)" in text


def test_numbers_as_classes_of_any_frame() -> None:
    polars = pytest.importorskip("polars")
    frame = messy().assign(grade=lambda own: (own.y > 0.5).astype(int))[["member", "grade"]]
    found = ks.suggest(frame, "grade", task="classes")
    assert "2 classes" in found
    assert ks.suggest(polars.from_pandas(frame), "grade", task="classes") == found


def test_categories_alone() -> None:
    """The parity of two columns needs the square of the share of equal categories."""
    generator = np.random.default_rng(2)
    frame = pd.DataFrame(generator.integers(0, 2, (200, 3)).astype(str), columns=["a", "b", "c"])
    frame["y"] = (frame.a == frame.b) + 0.01 * generator.standard_normal(200)
    text = ks.suggest(frame, "y")
    assert "**" in text.splitlines()[-1]
    assert ks.KernelRegressor(text).fit(frame.drop(columns="y"), frame.y).score(frame, frame.y) > 0.99


@pytest.mark.parametrize(
    ("change", "target", "message"),
    [
        (lambda own: own, "z", "unknown column 'z'"),
        (lambda own: own.to_numpy(), "y", "column names"),
        (lambda own: own.assign(y=1.0), "y", "the target is constant"),
        (lambda own: own.assign(y="a"), "y", "one class only"),
        (lambda own: own.assign(y=[None, *own.y[1:]]), "y", "the target is missing in 1 rows"),
        (lambda own: own[["unit", "code", "y"]], "y", "no column is left that can predict 'y'"),
        (lambda own: own[["y"]], "y", "the table has no other column"),
        (lambda own: own[["code", "y"]].rename(columns={"code": 0}), "y", "give a data frame whose names are text"),
        (lambda own: own, "since", "y holds dates"),
        (lambda own: own.head(0), "y", "the table has no rows"),
    ],
)
def test_what_is_refused(change: Any, target: str, message: str) -> None:
    with pytest.raises(ks.DataError, match=re.escape(message)):
        ks.suggest(change(messy()), target)


def test_arguments_that_are_refused() -> None:
    with pytest.raises(ks.DataError, match="Unknown label type"):
        ks.suggest(messy(), "y", task="classes")
    with pytest.raises(ks.PlanError, match="seed must be at least 0"):
        ks.suggest(messy(), "y", seed=-1)
    assert "income (as asked for)" in ks.suggest(messy()[["income", "city", "y"]], "y", drop="income")


@pytest.mark.parametrize("n", [300, 2_300])
def test_an_explanation_of_a_model(n: int) -> None:
    """Two independent terms carry the variance of their functions, a third none; one row is far from all others."""
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"a": generator.normal(size=n), "b": generator.normal(size=n)})
    frame["c"] = generator.choice(list("xyz"), n)
    frame.loc[7, "a"] = 40.0
    parts = 2 * np.sin(frame.a), np.cos(frame.b)
    y = sum(parts) + 0.1 * generator.normal(size=n)
    spec = ks.parse("let wave = 4*gaussian()[a]\nwave + gaussian()[b] + 0.5*match()[c] + 0.01*noise()")
    found = explain_model(spec, frame, y, n_features=200)
    names, shares = zip(*found.terms, strict=True)
    assert names == ("wave", "gaussian()[b]", "0.5*match()[c]")
    assert sum(shares) == pytest.approx(1)
    expected = [np.var(own) / sum(map(np.var, parts)) for own in parts]
    np.testing.assert_allclose(shares, [*expected, 0], atol=0.03)
    assert found.far_rows == (7,)
    assert found.score > 0.98
    assert (found.n_landmarks is None) == (n == 300)
    assert 0 <= found.from_features < 0.01
    assert found.to_dict()["terms"][0]["term"] == "wave"
    gram = ks.parse("4*gaussian()[a] + gaussian()[b] + 0.5*match()[c]").gram(frame)
    assert found.effective_dimension == pytest.approx(
        np.trace(np.linalg.solve(gram + 0.01 * np.eye(n), gram)),
        abs=1.1,  # features are centred
    )


def test_an_explanation_says_what_would_help() -> None:
    generator = np.random.default_rng(1)
    rows = generator.uniform(-3, 3, (2_100, 2))
    y = np.sin(3 * rows[:, 0]) * np.cos(3 * rows[:, 1]) + 0.05 * generator.normal(size=2_100)
    few = explain_model(ks.parse("gaussian(scale=0.4)"), rows, y, n_features=40)
    assert few.from_features > 0.5
    assert "more features would help" in str(few)
    some = explain_model(ks.parse("gaussian(scale=0.4)"), rows[:120], y[:120])
    assert some.from_features == 0
    assert some.from_rows > 0.5
    assert "more features would not help" in str(some)
    assert "more rows would help" in str(some)
    classes = explain_model(ks.parse("gaussian(scale=0.4)"), rows[:200], np.where(y[:200] > 0, "up", "down"))
    assert classes.terms == (("gaussian(scale=0.4)", pytest.approx(1)),)


@pytest.mark.long
def test_ranks_of_many_columns_are_not_tried_and_too_many_columns_are_refused() -> None:
    """The text of a rank has a thousand letters, and a spec has a million at most."""
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.standard_normal((60, 4_100)), columns=[f"x{i}" for i in range(4_100)])
    table["y"] = table.x0 + table.x1
    with pytest.raises(ks.DataError, match=r"at most 4,096, and 4,100 can predict 'y'"):
        ks.suggest(table, "y")
    text = ks.suggest(table[[*(f"x{i}" for i in range(300)), "y"]], "y")
    assert "# Ranks were not tried: 300 numbers, more than 256" in text
    assert "ranks  " not in text


@pytest.mark.long
def test_many_columns_in_one_unit_are_tried_unscaled() -> None:
    """Of pixels, those at the edge vary little and say nothing: standardizing makes noise of them."""
    generator = np.random.default_rng(0)
    pixels = generator.standard_normal((400, 40)) * np.where(np.arange(40) < 6, 1.0, 0.01)
    table = pd.DataFrame(pixels, columns=[f"x{i}" for i in range(40)])
    table["y"] = pixels[:, 0] * pixels[:, 1] + pixels[:, 2]
    errors = dict(re.findall(r"^#   (.*?)  +(\d\.\d{4})", text := ks.suggest(table, "y"), re.MULTILINE))
    assert float(errors["gaussian, median scale, unscaled"]) < 0.2 * float(errors["gaussian, median scale"])
    assert re.search("unscaled.*<- this one", text)
    assert "unscaled" not in ks.suggest(table[["x0", "x1", "y"]], "y")


@pytest.mark.long
def test_interactions_of_many_categories_need_no_list_of_features() -> None:
    """The square of a mean of 120 matches has 7,260 products, each with a key of its own: no list of features."""
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.integers(0, 2, (300, 120)).astype(str), columns=[f"c{i}" for i in range(120)])
    table["y"] = (table.c0 == table.c1) + 0.1 * generator.standard_normal(300)
    assert "equal categories, power 2" in ks.suggest(table, "y")


@pytest.mark.long
def test_flags_share_a_scale_if_there_are_many_numbers() -> None:
    """Indicators of 30 categories, one of them rare, beside three numbers: four scales, which are tuned."""
    generator = np.random.default_rng(0)
    category = np.minimum(generator.geometric(0.15, 500), 30)
    table = pd.DataFrame({f"is{i}": (category == i).astype(int) for i in range(1, 31)})
    table = table.loc[:, table.nunique() > 1].assign(**{name: generator.standard_normal(500) for name in "abc"})
    table["y"] = np.sin(2 * table.a) + (category % 2)
    text = ks.suggest(table, "y")
    assert re.findall(r"^param (\S+)", text, re.MULTILINE) == ["scale_flags", "scale_a", "scale_b", "scale_c"]
    assert "rank(is" not in text
    few = ks.suggest(table[["is1", "is2", "a", "y"]], "y")
    assert "scale_is1" in few
    assert "flags" not in few


def test_logarithms_take_new_rows_below_those_of_the_table() -> None:
    generator = np.random.default_rng(0)
    table = pd.DataFrame({"x": np.exp(3 * generator.standard_normal(300)), "z": generator.standard_normal(300)})
    table["y"] = np.log1p(table.x) + 0.1 * table.z
    text = ks.suggest(table, "y")
    assert "log(1 + max(x, 0)/" in text
    model = ks.KernelRegressor(text).fit(table[["x", "z"]], table.y)
    assert np.isfinite(model.predict(pd.DataFrame({"x": [-50.0, 1.0], "z": [0.0, 0.0]}))).all()


@pytest.mark.parametrize("name", ["pi", "d", "both", "only_numbers", "smooth", "numbers_alike", "log"])
def test_columns_may_have_names_of_the_language(name: str) -> None:
    generator = np.random.default_rng(0)
    x = generator.lognormal(size=N)
    gaps = np.where(generator.random(N) < 0.1, np.nan, x)
    frame = pd.DataFrame({name: gaps, "kind": generator.choice(["a", "b"], N)})
    text = ks.suggest(frame.assign(y=np.log(x)), target="y")
    assert ks.KernelRegressor(text).fit(frame, np.log(x)).score(frame, np.log(x)) > 0.5


@pytest.mark.parametrize("zone", [None, dt.UTC])
def test_dates_may_be_objects(zone: dt.tzinfo | None) -> None:
    days = [dt.datetime(2020, 1, 1, tzinfo=zone) + dt.timedelta(days=i) for i in range(N)]
    cells = days if zone else [own.date() for own in days]
    frame = pd.DataFrame({"day": pd.Series(cells, dtype=object), "y": np.sin(np.arange(N) / 9)})
    assert "days(day)" in ks.suggest(frame, target="y")


@pytest.mark.parametrize("size", [1e-110, 1e104, 1e-310, 1e200])
def test_numbers_whose_cubes_are_not_finite_are_left_out(size: float) -> None:
    x = np.random.default_rng(0).normal(size=(2, N))
    text = ks.suggest({"huge": size * x[0], "x": x[1], "y": -x[1]}, target="y")
    assert "Left out: huge (numbers beyond 1e+100" in text


@pytest.mark.parametrize("size", [1e-160, 1e160])
def test_targets_whose_squares_are_not_finite_are_refused(size: float) -> None:
    x = np.random.default_rng(0).normal(size=(2, N))
    with pytest.raises(ks.DataError, match=r"y has numbers beyond 1e\+150, or too close to each other"):
        ks.KernelRegressor("gaussian()").fit(x[:1].T, size * x[1])


@pytest.mark.parametrize("given", [{"target": 1}, {"target": None}, {"target": "y", "drop": [3]}])
def test_names_are_text(given: dict[str, Any]) -> None:
    with pytest.raises(ks.DataError, match="column names must be text"):
        ks.suggest(messy(), **given)


def test_ids_are_counted_exactly_and_lists_left_out_for_their_reason() -> None:
    n = 60
    x = np.random.default_rng(0).standard_normal(n)
    left_out = {"late": np.arange(n) + 2**53, "later": np.arange(n) + 17 * 10**17, "lists": [[1]] * n}
    text = " ".join(ks.suggest(pd.DataFrame({**left_out, "x": x, "y": np.sin(x)}), "y").replace("#", " ").split())
    counted = "(an id: it counts the rows)"
    other = "lists (neither numbers nor text nor dates)"
    assert f"Numbers: x Left out: late {counted}, later {counted}, {other}" in text
    years = np.arange(1950, 2020)  # not a count of rows
    text = ks.suggest(pd.DataFrame({"year": years, "y": 3 + 0.07 * (years - 1950.0)}), "y")
    assert "# Numbers: year" in text
    assert "[rank(year)]" in text or "[year]" in text


@pytest.mark.parametrize("value", ["yes", 1.0])
def test_one_value_with_gaps_says_whether_it_is_there(value: Any) -> None:
    generator = np.random.default_rng(1)
    there = generator.random(300) < 0.3
    table = pd.DataFrame({"x": generator.standard_normal(300), "promo": pd.Series([value] * 300).where(there)})
    table["y"] = table.x + 4 * there + 0.3 * generator.standard_normal(300)
    text = ks.suggest(table[:200], "y")
    assert "# Categories: promo (1 value, " in text
    assert ks.KernelRegressor(text).fit(table[:200], table.y[:200]).score(table[200:], table.y[200:]) > 0.9
    assert "match()[promo]" in ks.suggest(table[["promo", "y"]], "y")


def test_missing_truth_values_and_long_names() -> None:
    x = np.random.default_rng(0).normal(size=60)
    flags = pd.array(np.where(np.arange(60) % 3 == 0, None, x > 0), dtype="boolean")
    table = pd.DataFrame({"flag": flags, "a" * 101: x, "y": np.sin(x)})
    found = ks.suggest(table, "y")
    assert "flag (2 values, 33.3% missing)" in found
    assert "(a name of more than 100 characters: rename it)" in found.replace("\n#   ", " ")


@pytest.mark.parametrize(("cells", "kind"), [([True, None, False, True], "boolean"), (["a", None, "b", "a"], "string")])
def test_gaps_of_pandas_are_marked(cells: list[Any], kind: str) -> None:
    table = pd.DataFrame({"x": np.arange(80.0), "c": pd.array(cells * 20, dtype=kind), "y": np.sin(np.arange(80.0))})
    assert "# Categories: c (2 values, 25.0% missing)" in ks.suggest(table, "y")


def test_a_table_that_predicts_nothing_is_said_to() -> None:
    noise = pd.DataFrame(np.random.default_rng(0).standard_normal((70, 2)), columns=["x", "y"])
    line = "# The mean of the target predicts as well."
    assert line in ks.suggest(noise, "y")
    assert line not in ks.suggest(noise.assign(y=noise.x**2), "y")


@pytest.mark.parametrize("kind", ["category", "Int64"])
def test_categories_of_whole_numbers_are_categories(kind: Any) -> None:
    codes = np.random.default_rng(0).integers(0, 6, 120)
    y = np.array([0, 5, -3, 4, -6, 2.0])[codes] + np.random.default_rng(1).standard_normal(120)
    text = ks.suggest(pd.DataFrame({"c": pd.Series(codes).astype(kind), "y": y}), target="y")
    assert ("match()[c]" in text) == (kind == "category")
    ks.KernelRegressor(text).fit(pd.DataFrame({"c": pd.Series(codes).astype(kind)}), y)


def test_candidates_that_are_about_equal_are_compared_on_more_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggestion, "_COMPARED_ON", 60)
    monkeypatch.setattr(suggestion, "_CLOSE", 1.3)
    generator = np.random.default_rng(2)
    x = generator.standard_normal((240, 2))
    table = {"a": x[:, 0], "b": x[:, 1], "y": np.sin(2 * x[:, 0]) + 0.3 * generator.standard_normal(240)}
    text = ks.suggest(table, target="y")
    again = re.findall(r"^#   .*  0\.\d{4}, on 240 rows (0\.\d{4})(  <- this one)?$", text, re.MULTILINE)
    assert 2 <= len(again) <= 3
    assert "this one" in min(again)[1]
    assert "on 60 rows" in text


@pytest.mark.parametrize(
    ("text", "largest"),
    [
        ("0*gaussian()[x] + mean(linear()[z], 0.5*match()[c])", "mean(linear()[z], 0.5*match()[c])"),
        ("2*linear()[z] + linear()[z] + 0.5*match()[c]", "linear()[1]"),
    ],
)
def test_shares_stand_beside_their_terms(text: str, largest: str) -> None:
    generator = np.random.default_rng(0)
    table = pd.DataFrame({"x": generator.standard_normal(90), "z": generator.standard_normal(90)})
    table["c"] = generator.choice(["a", "b"], 90)
    found = explain_model(ks.parse(text), table, 3 * table["z"] + 0.1 * generator.standard_normal(90))
    shares = dict(found.terms)
    assert [own for own, share in shares.items() if share > 0.9] == [largest]


def test_shares_count_observations() -> None:
    """Against the exact prediction by hand: 500 rows have two different inputs."""
    generator = np.random.default_rng(0)
    x = np.r_[np.zeros(500), np.linspace(-3, 3, 20)]
    g = np.r_[generator.choice([0, 1], 500), np.zeros(20, dtype=int)]
    y = np.where(g == 0, 1.0, -1.0) + 2 * x + 0.1 * generator.standard_normal(520)
    table = pd.DataFrame({"x": x, "g": np.array(["a", "b"])[g]})
    found = dict(explain_model(ks.parse("gaussian(scale=2)[x] + match()[g]"), table, y).terms)
    parts = [np.exp(-((x[:, None] - x) ** 2) / 8), 1.0 * (g[:, None] == g)]
    model = ks.KernelRegressor("gaussian(scale=2)[x] + match()[g]", solver="exact").fit(table, y)
    variance = float(model._fitted.posterior.noises[0])
    dual = np.linalg.solve(sum(parts) + variance * np.eye(520), y - y.mean())
    values = np.stack([part @ dual for part in parts])
    values -= values.mean(axis=1, keepdims=True)
    expected = (values * values.sum(axis=0)).sum(axis=1) / np.square(values.sum(axis=0)).sum()
    np.testing.assert_allclose(list(found.values()), expected, atol=0.02)


def test_rows_where_the_kernel_is_zero_are_not_far_from_all_others() -> None:
    kids = np.arange(60) % 3
    y = 2 * kids + np.arange(60) * 37 % 11 / 30
    assert explain_model(ks.parse("linear()"), kids[:, None].astype(float), y).far_rows == ()


def test_dates_with_gaps_are_filled_and_marked_and_text_like_dates_is_named() -> None:
    generator = np.random.default_rng(0)
    when = pd.Series(pd.date_range("2020-01-01", periods=200))
    frame = pd.DataFrame({"when": when.mask(generator.random(200) < 0.1), "as_text": when.dt.strftime("%Y-%m-%d")})
    frame["y"] = np.sin(np.arange(200) / 20) + 0.1 * generator.standard_normal(200)
    text = ks.suggest(frame, "y")
    said = " ".join(text.replace("#", " ").split())
    assert all(part in text for part in ("fill(days(when))", "match()[is_missing(when)]"))
    assert "different values; '2020-01-01' looks like a date: convert the column to dates)" in said
    known = frame[frame.when.notna()]
    assert ks.KernelRegressor(text).fit(frame, frame.y).score(known, known.y) > 0.9


def test_only_columns_with_a_logarithm_are_listed_as_tried() -> None:
    """A skewness between 1 and 1.5 is enough for log(1 + x), but not for a logarithm on both sides."""
    generator = np.random.default_rng(0)
    x = generator.gamma(2.5, size=300)
    frame = pd.DataFrame({"below": x - 1, "above": x, "y": np.log(x) + 0.1 * generator.standard_normal(300)})
    assert 1 < float(((x - x.mean()) ** 3).mean() / x.std() ** 3) < 1.5
    said = " ".join(ks.suggest(frame, "y").replace("#", " ").split())
    assert re.search(r"tried with logarithms \(skewness\): above \(1\.\d\) ", said)


def test_an_explanation_names_the_columns_of_a_suggested_spec() -> None:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"size": generator.standard_normal(150), "city": generator.choice(["Oslo", "Bergen"], 150)})
    frame["kind"] = generator.choice(["x", "y", "z"], 150)
    frame["y"] = np.sin(2 * frame["size"]) + (frame.city == "Oslo") + 0.1 * generator.standard_normal(150)
    terms = explain_model(ks.parse(ks.suggest(frame, "y")), frame, frame.y).terms
    assert [own.split("*")[-1] for own, _ in terms] == ["categories_alike", "numbers_alike", "categories_alike"]
    text = "linear()[size] + mean(match()[city], match()[kind], gaussian()[log(2 + size**2)])"
    assert " + ".join(own for own, _ in explain_model(ks.parse(text), frame, frame.y).terms) == text


def test_rows_far_from_few_landmarks_are_not_far_from_all_rows() -> None:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((2_100, 6))
    X[5] = 9.0
    spec = ks.parse("gaussian()")
    found = explain_model(spec, X, X[:, 0] + 0.1 * generator.standard_normal(2_100), n_features=64)
    others = spec.gram(X) - np.eye(2_100)
    assert 5 in found.far_rows
    assert all(np.square(others[row]).max() < 0.1 for row in found.far_rows)
    assert len(found.far_rows) < 60


@pytest.mark.parametrize(
    ("cells", "why"),
    [("0,26 1,50", "a decimal comma"), ("12.5% 3%", "a percent sign"), ("2020-01-01 2021-05-03", "a date")],
)
def test_numbers_and_dates_written_as_text_are_no_classes(cells: str, why: str) -> None:
    frame = pd.DataFrame({"x": np.arange(40) * 37 % 41 / 10, "y": cells.split() * 20})
    for ask in (lambda: ks.suggest(frame, "y"), lambda: ks.tune("gaussian()", frame[["x"]], frame.y)):
        with pytest.raises(ks.DataError, match=f"the target is text; .*{why}.*say that these are classes"):
            ask()
    assert "2 classes" in ks.suggest(frame, "y", task="classes")
