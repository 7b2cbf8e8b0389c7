"""Print a pip constraint for every requirement of pyproject.toml and its extra `test`: the lowest version allowed."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
requirements = [*project["dependencies"], *extras["test"]]
for line in requirements:
    own = re.fullmatch(rf"{project['name']}\[([a-z,-]+)\]", line)
    if own is not None:  # extras of its own
        requirements += [each for name in own[1].split(",") for each in extras[name]]
        continue
    found = re.fullmatch(r"([A-Za-z0-9_.-]+)(?:\[[a-z,]+\])?>=([0-9.]+)", line)
    if found is None:
        sys.exit(f"{line!r} states no lowest version as name>=version")
    print(f"{found[1]}=={found[2]}")
