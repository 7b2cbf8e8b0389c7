"""Where a piece of text stands, and how to point at it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Source", "Span"]

_LONGEST_SHOWN_LINE = 120


@dataclass(frozen=True, slots=True)
class Source:
    """The whole text of a spec and the name it is reported under (a file name, or `<spec>`)."""

    text: str
    name: str = "<spec>"


@dataclass(frozen=True, slots=True)
class Span:
    """The characters `start` to `end` (exclusive) of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """Line number, counted from 1."""
        return self.source.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """Column of the first character, counted from 1."""
        return self.start - (self.source.text.rfind("\n", 0, self.start) + 1) + 1

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]

    def through(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.source, self.start, max(self.end, other.end))

    def report(self, message: str) -> str:
        """`file:line:column: error: message`, the line, and carets under the span.

        A span of several lines is underlined to the end of its first; a very long line is shown
        around the span only.
        """
        text, column = self.source.text, self.column
        begin = self.start - (column - 1)
        stop = text.find("\n", begin)
        line = text[begin : len(text) if stop < 0 else stop].rstrip("\r")
        width = max(1, min(self.end - self.start, len(line) - (column - 1)))
        offset = column - 1
        if len(line) > _LONGEST_SHOWN_LINE:
            left = max(0, offset - _LONGEST_SHOWN_LINE // 3)
            right = left + _LONGEST_SHOWN_LINE
            head, tail = ("…" if left else ""), ("…" if right < len(line) else "")
            offset += len(head) - left
            line = head + line[left:right] + tail
            width = max(1, min(width, len(line) - offset))
        shown = "".join(c if c.isprintable() else (" " if c == "\t" else "\N{REPLACEMENT CHARACTER}") for c in line)
        return f"{self.source.name}:{self.line}:{column}: error: {message}\n  {shown}\n  {' ' * offset}{'^' * width}"
