"""The tiers of the suite: `-m fast` while working, all of it before a change is handed in, `--thorough` at night."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="run what is marked thorough, too: for nights")


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is not marked slow is fast; what is marked thorough is left out unless asked for."""
    kept, left_out = [], []
    for item in items:
        thorough = item.get_closest_marker("thorough") is not None
        if not thorough and item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.fast)
        (left_out if thorough and not config.getoption("--thorough") else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
