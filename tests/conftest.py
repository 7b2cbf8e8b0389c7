"""The tiers of the suite: `-m fast` while working, all but what is long before a change is handed in, all at night."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thoroughness import THOROUGH, examples

pytest_plugins = ["kernelspec.testing.plugin"]

for _library in ("OPENBLAS", "OMP", "MKL"):
    # before NumPy is imported, here, in workers and in programs that tests start: of two threads for matrices as small
    # as theirs one waits for the other at full speed, and those of two workers for each other
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # so it is in what a shell runs in the background, and in all programs that are started there: some are interrupted
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fuzzing-cases",
        type=int,
        default=int(os.environ.get("KERNELSPEC_FUZZING_CASES", "20000")),
        metavar="N",
        help="Cases of the long profile of fuzzing, over all targets.  [default: KERNELSPEC_FUZZING_CASES, else 20000]",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Set how many examples are drawn where a test does not say it, and keep bytecode.

    Examples are the same in every run that is not thorough. Where Python may not write bytecode beside the sources, it
    is kept in pytest's cache. Otherwise every process of a run compiles a thousand modules anew; the tests start
    hundreds of processes.
    """
    if config.getoption("--thorough"):
        os.environ[THOROUGH] = "1"
    is_thorough = bool(os.environ.get(THOROUGH))
    settings.register_profile("kernelspec", max_examples=examples(100), deadline=None, derandomize=not is_thorough)
    settings.load_profile("kernelspec")
    if sys.dont_write_bytecode and hasattr(config, "cache"):
        sys.dont_write_bytecode = False
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(config.cache.mkdir("bytecode"))
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each worker has tests that follow one another, and takes over from others at the end.

    So a loop is compiled, and what a module shares is made, by one of them; dealt out in turns, both would do it.
    """
    from xdist.scheduler.worksteal import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


@pytest.fixture
def fuzzing_cases(request: pytest.FixtureRequest) -> int | None:
    """Cases of the long profile over all targets together; None for the short one."""
    return int(request.config.getoption("--fuzzing-cases")) if request.config.getoption("--thorough") else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """What is collected stays to the end of the run: nobody need look for garbage there."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        _first_example()
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)  # a look every 700 objects, as by default, is a twentieth of the time


@settings(max_examples=1)
@given(st.none())
def _first_example(_: None) -> None:
    """Have Hypothesis make its own generator now: it looks at who refers to it, which is not seen of what is frozen."""


def _names_paths(config: pytest.Config) -> bool:
    """Whether somebody asked for some files or folders, not for everything."""
    if hasattr(config, "workerinput"):
        return bool(config.workerinput["names_paths"])
    return config.args_source is pytest.Config.ArgsSource.ARGS


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """What a worker of xdist cannot see, as it is given the folders of the configuration as if they were named."""
    node.workerinput["names_paths"] = _names_paths(node.config)


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The first case of what is not slow or longer is fast; what is long or thorough is left out unless asked for.

    Of a slow test with several cases, all but the first are long. Long tests are asked for by `-m long`, or by the name
    of their file or folder.
    """
    kept, left_out, met = [], [], set()
    wanted = {"slow": True, "long": _names_paths(config) or "long" in config.getoption("-m"), "thorough": False}
    for item in items:
        marks = [mark for mark in wanted if item.get_closest_marker(mark)]
        function = item.nodeid.partition("[")[0]
        if marks == ["slow"] and function in met:
            item.add_marker(pytest.mark.long)
            marks.append("long")
        elif not marks and function not in met:
            item.add_marker(pytest.mark.fast)
        if marks in ([], ["slow"]):
            met.add(function)
        is_wanted = config.getoption("--thorough") or all(wanted[mark] for mark in marks)
        (kept if is_wanted else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
