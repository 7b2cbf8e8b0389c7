"""How thorough a run of the tests is."""

from __future__ import annotations

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="Run the long profile of the fuzzing tests.")
    parser.addoption(
        "--fuzzing-cases",
        type=int,
        default=int(os.environ.get("KERNELSPEC_FUZZING_CASES", "20000")),
        metavar="N",
        help="Cases of the long profile, over all targets together.  [default: KERNELSPEC_FUZZING_CASES, else 20000]",
    )


@pytest.fixture
def fuzzing_cases(request: pytest.FixtureRequest) -> int | None:
    """Cases of the long profile over all targets together; None for the short one."""
    return int(request.config.getoption("--fuzzing-cases")) if request.config.getoption("--thorough") else None
