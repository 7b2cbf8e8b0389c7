"""Types of columns: what they are, and what is recorded."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.tables.column_types import ColumnTypes, cell_type, type_of


def cells(*values: object) -> np.ndarray:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (np.array([1.0, 2.0]), "number"),
        (np.array([1], np.uint8), "whole number"),
        (np.array([True]), "boolean"),
        (np.array(["a"]), "text"),
        (cells("a", "b", None), "text"),
        (cells(1, np.int64(2), None), "whole number"),
        (cells(1, 2.5), "number"),
        (cells(1, float("nan")), "whole number"),
        (cells(Decimal("1"), Decimal("1E+2")), "whole number"),
        (cells(Decimal("1"), Decimal("1.00")), "number"),
        (cells(Fraction(1, 3)), "number"),
        (cells(True, np.True_), "boolean"),
        (cells(True, 1), "category"),
        (cells("1", 1), "category"),
        (cells(None, float("nan")), "unknown"),
        (cells(), "unknown"),
        (cells([1]), "unknown"),
    ],
)
def test_the_type_of_a_column(column: np.ndarray, kind: str) -> None:
    assert type_of(column) == type_of(column[::-1]) == kind


def test_cells() -> None:
    kinds = (bool, np.bool_, int, np.int8, float, np.float32, Decimal, Fraction, str, np.str_, bytes, list)
    assert [cell_type(kind) for kind in kinds] == [
        *["boolean"] * 2,
        *["whole number"] * 2,
        *["number"] * 4,
        *["text"] * 2,
        *[None] * 2,
    ]


def test_types_by_position() -> None:
    types = ColumnTypes.of_columns({4: "text", 1: "whole number", 0: "number", 3: "text"}, "category")
    assert types == ColumnTypes(whole=(1,), text=(3, 4), missing="category")
    assert [types.type_at(i) for i in range(5)] == ["number", "whole number", "number", "text", "text"]
    assert types.with_columns({3: "number", 0: "unknown"}) == ColumnTypes((1,), (), (4,), (), (0,), "category")
    assert types.positions == {1, 3, 4}


@pytest.mark.parametrize(
    "fields",
    [
        {"whole": (1, 0)},
        {"whole": (0, 0)},
        {"whole": [0]},
        {"whole": (-1,)},
        {"whole": (True,)},
        {"whole": (0.0,)},
        {"whole": (0,), "text": (0,)},
        {"missing": "ignore"},
        {"missing": None},
    ],
)
def test_what_is_no_record(fields: dict) -> None:
    with pytest.raises(PlanError):
        ColumnTypes(**fields)
