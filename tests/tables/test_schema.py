"""Tests of `tables/schema.py`."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

import kernelspec as ks
from kernelspec.tables.layout import Layout
from kernelspec.tables.schema import types_as_data, types_in_words

FRAME = pd.DataFrame({"age": [1.5, 2.5], "plan": [1, 2], "city": ["x", "y"], "old": [True, False]})
SPEC = "gaussian()[age] * match()[plan, city] + match()[old]"


def test_types_of_the_data_a_map_was_made_for() -> None:
    plan = ks.compile(SPEC, data=FRAME, n_features=8).plan
    expected = {"columns": {"whole number": ["plan"], "text": ["city"], "boolean": ["old"]}, "missing": "refuse"}
    assert types_as_data(plan.layout) == plan.to_dict()["types"] == expected
    (line,) = types_in_words(plan.layout)
    assert line == "categories: 'plan' (whole number), 'city' (text), 'old' (boolean); missing values are refused"


def test_types_that_are_not_known() -> None:
    plan = ks.compile("match()", dim=12, n_features=4, missing="category", text=[0]).plan
    (line,) = types_in_words(plan.layout)
    assert line.startswith("categories: 0 (text), 1 (type not recorded), 2 ")
    assert line.endswith("7 (type not recorded) and 4 more; missing values are one more category")
    data = types_as_data(plan.layout)
    assert data == {"columns": {"text": [0], "unknown": list(range(1, 12))}, "missing": "category"}
    assert types_as_data(replace(plan.layout, types=None)) is None
    assert types_in_words(Layout(3, None, (0, 1), ())) == []


def test_explain_says_them() -> None:
    fmap = ks.compile(SPEC, data=FRAME, n_features=8)
    assert types_in_words(fmap.plan.layout)[0] in fmap.explain()
    assert "categories" not in ks.compile("gaussian()", dim=2, n_features=4).explain()
