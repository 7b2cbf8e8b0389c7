"""The pytest plugin: one budget of false alarms for a run, and a report of how it was spent.

Opt in with `-p kernelspec.testing.plugin`, or `pytest_plugins = ["kernelspec.testing.plugin"]` in the top-level
conftest.py. It opens a ledger for the whole run, prints its account, and fails a run that overspends. `--thorough`
requests the long version of the tests, `--false-alarms` sets the budget.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from kernelspec.testing.laboratory import BUDGET, Ledger

__all__ = ["ledger", "thorough"]

_LEDGER = pytest.StashKey[Ledger]()
_ENTERED = "kernelspec_laboratory"


def _share(text: str) -> float:
    found = float(text)
    if not 0 < found < 1:
        raise ArgumentTypeError(f"must be between 0 and 1, not {text}")
    return found


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the laboratory."""
    group = parser.getgroup("kernelspec", "the statistical laboratory")
    group.addoption("--thorough", action="store_true", help="Run the long version of the tests.")
    group.addoption(
        "--false-alarms",
        type=_share,
        default=BUDGET,
        metavar="P",
        help="Chance that any test of the run fails wrongly.",
    )
    group.addoption(
        "--draw-seed", type=int, default=0, metavar="N", help="Other random specs and draws in all assertions.  [0]"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Open the ledger of the run."""
    config.stash[_LEDGER] = Ledger(budget=config.getoption("--false-alarms"), seed=config.getoption("--draw-seed"))
    opened = ExitStack()
    opened.enter_context(config.stash[_LEDGER].open())
    config.add_cleanup(opened.close)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the account of a worker to the run, and fail a run that has overspent."""
    account, output = session.config.stash[_LEDGER], getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_ENTERED] = [account.spent, account.n_assertions, account.powers]
    elif account.is_overspent and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the account of a pytest-xdist worker."""
    found = getattr(node, "workeroutput", {}).get(_ENTERED)
    if found is None:
        return
    account = node.config.stash[_LEDGER]
    spent, n_assertions, powers = found
    account.spent += spent
    account.n_assertions += n_assertions
    for what, values in powers.items():
        account.powers.setdefault(what, []).extend(values)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the account of the ledger."""
    account = config.stash[_LEDGER]
    if account.n_assertions:
        terminalreporter.section("statistical laboratory")
        for line in account.lines():
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def ledger(pytestconfig: pytest.Config) -> Ledger:
    """The ledger of the run."""
    return pytestconfig.stash[_LEDGER]


@pytest.fixture
def outside_the_ledger() -> Iterator[None]:
    """For tests of assertions themselves: they are not recorded, and get the budget they request."""
    with Ledger.closed():
        yield


@pytest.fixture(scope="session")
def thorough(pytestconfig: pytest.Config) -> bool:
    """Whether the long version of the tests was requested."""
    return bool(pytestconfig.getoption("--thorough"))
