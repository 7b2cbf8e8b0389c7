"""What the site adds to the documents: its home page, formulas as MathML, and the help of every command."""

from __future__ import annotations

import re
import sys
from html import escape
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

ROOT = Path(__file__).resolve().parent.parent
MATH = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r'<img [^>]*src="([^"]+)\.png"[^>]*>')
TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
COMMANDS = "<!-- the help of every command is put here when the site is built -->"


def on_files(files: Any, config: Any) -> Any:
    """docs/index.md is the home page; README.md, which hosts of code show, is a page beside it."""
    for source, page in (("README.md", "readme.html"), ("docs/index.md", "index.html")):
        file = files.get_file_from_path(source)
        file.dest_uri = page
        file.url = page
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Formulas are typeset here, so that a page needs no script and no network."""
    markdown = MATH.sub(lambda found: _typeset(found[1].strip()), markdown)
    return markdown.replace(COMMANDS, commands()) if COMMANDS in markdown else markdown


def _typeset(formula: str) -> str:
    """A formula as MathML; the keyboard can scroll it if it is wider than the page."""
    return convert(formula, display="block").replace("<math ", '<math tabindex="0" ', 1)


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """The keyboard can scroll a table without links, too; a narrow screen gets a picture's narrow variant."""
    html = TABLE.sub(lambda own: own[0] if "<a " in own[0] else f'<table tabindex="0"{own[0][6:]}', html)
    return html if "<picture>" in html else PICTURE.sub(_with_narrow, html)


def _with_narrow(image: re.Match[str]) -> str:
    if not (ROOT / "docs" / "figures" / f"{Path(image[1]).name}_narrow.png").exists():
        return image[0]
    source = f'<source media="(max-width: 600px)" srcset="{image[1]}_narrow.png">'
    return f"<picture>{source}{image[0]}</picture>"


def on_post_page(output: str, page: Any, config: Any) -> str:
    """The theme's search dialog has no name for screen readers."""
    dialog = 'data-md-component="search" role="dialog"'
    return output.replace(dialog, f'{dialog} aria-label="Search"')


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """The page for addresses that lead nowhere."""
    return on_post_page(output_content, None, config)


def commands() -> str:
    """What `kernelspec COMMAND --help` prints, as wide as code on the pages."""
    import click

    sys.path.insert(0, str(ROOT))
    from kernelspec.cli import main

    shown = []
    parent = click.Context(main, info_name="kernelspec", terminal_width=76)
    for name in main.list_commands(parent):
        command = main.get_command(parent, name)
        if command is None or command.hidden:
            continue
        context = click.Context(command, info_name=name, parent=parent, terminal_width=76)
        shown.append(f"## {name}\n\n<pre class='command'><code>{escape(command.get_help(context))}</code></pre>\n")
    return "\n".join(shown)
