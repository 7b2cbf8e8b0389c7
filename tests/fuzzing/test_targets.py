"""All targets: few cases, always the same; with --thorough as many as --fuzzing-cases says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzzing.campaign import short_campaign
from tests.fuzzing.long_run import pieces
from tests.fuzzing.targets import TARGETS


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_bad_input_is_refused_or_read_right(name: str, tmp_path: Path, fuzzing_cases: int | None) -> None:
    target = TARGETS[name]
    if fuzzing_cases is None:
        short_campaign(target, tmp_path)
    else:
        found = pieces(name, 0, 0, fuzzing_cases * target.share // 1000)
        assert not [failure for own in found for failure in own.failures]
