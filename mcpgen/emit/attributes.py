"""Write `.gitattributes` of a project: how git treats generated files (gitattributes(5)).

A server checks the digests of its JSON files (such as `tools.json`), and the lock file has a digest of every file. So a
checkout must not change line ends, as git does on Windows by default. `.gitattributes` belongs to the user and is
written once. Its patterns still match if the Python package gets another name.
"""

NAME = ".gitattributes"

FILE = b"""\
# Yours: mcpgen writes it once and never again. Your own files are not named here, so git treats them as ever.

# Generated files are known by their digests: git must leave their line ends alone.
/README.md -text
/SKILL.md -text
/pyproject.toml -text
/mcpgen.lock.json -text
/mcpgen.schema.json -text linguist-generated
/*_mcp/__init__.py -text
/*_mcp/__main__.py -text
/*_mcp/asgi.py -text
/*_mcp/*.json -text linguist-generated
/*_mcp/runtime/** -text linguist-generated

# What you edit too has the same line ends everywhere, whatever your editor writes. A merge keeps the entries of both
# sides of the changelog.
/CHANGELOG.md text eol=lf merge=union
/mcpgen.yaml text eol=lf
/.gitignore text eol=lf
/tests/test_server.py text eol=lf
/*_mcp/hooks.py text eol=lf
"""
"""Code hosts collapse files that are marked as generated in reviews: the runtime, the JSON tables and the schema."""
