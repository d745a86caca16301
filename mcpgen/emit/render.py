"""Render the Jinja templates of a project. Only this module imports jinja2. Templates print text of a document only
through a filter that escapes it.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import jinja2

from mcpgen.emit import sinks

SINKS = {
    "toml": sinks.toml_string,
    "yaml": sinks.yaml_scalar,
    "text": sinks.markdown_text,
    "prose": sinks.markdown_prose,
    "code": sinks.markdown_code,
    "html": sinks.html_text,
    "bare": sinks.bare_name,
    "link": sinks.link,
}
"""Name → filter for templates. Every expression that a template prints passes one of these filters; a test checks
that.
"""


def render(folder: Path, values: Mapping[str, object]) -> dict[str, bytes]:
    """Render every `PATH.jinja` below `folder`. Return PATH → contents, in UTF-8 with one newline at the end."""
    environment = _environment(folder)
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.jinja"))
    rendered = {name.removesuffix(".jinja"): environment.get_template(name).render(values) for name in names}
    return {name: (text.rstrip("\n") + "\n").encode() for name, text in rendered.items()}


@cache
def _environment(folder: Path) -> jinja2.Environment:
    """Return the environment of the templates in `folder`.

    The environment caches compiled templates: compiling templates takes most of the time of a small run, and
    `regenerate` renders them twice.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 — most targets are TOML, YAML and Markdown, where HTML escaping would be wrong; sinks escape
    )
    environment.filters.update(SINKS)
    return environment
