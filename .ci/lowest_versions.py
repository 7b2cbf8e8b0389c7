"""Print a pip constraint for every requirement of pyproject.toml and its extra `test`: the lowest version allowed."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
for line in [*project["dependencies"], *extras["plot"], *extras["testing"], *extras["test"]]:
    if line.startswith(f"{project['name']}["):
        continue  # its own extras, named above
    found = re.fullmatch(r"([A-Za-z0-9_.-]+)>=([0-9.]+)", line)
    if found is None:
        sys.exit(f"{line!r} states no lowest version as name>=version")
    print(f"{found[1]}=={found[2]}")
