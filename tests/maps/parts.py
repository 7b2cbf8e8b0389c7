"""Parts of maps as they are after they have been in a file."""

from __future__ import annotations

import json
from typing import TypeVar

from kernelspec.maps.codec import decoded, encoded

__all__ = ["there_and_back"]

Part = TypeVar("Part")


def there_and_back(part: Part) -> Part:
    """What is read where the part was written."""
    entries, arrays = encoded(part)
    found: Part = decoded(json.loads(json.dumps(entries)), arrays)
    assert type(found) is type(part)
    return found
