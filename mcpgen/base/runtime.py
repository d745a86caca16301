"""The door to the runtime: the modules of the runtime that the compiler uses too, so that a fact of both stands once.

`from mcpgen.base.runtime import stems` gives the module `templates/package/runtime/search/stems.py`. An import of its
own name is not possible: the runtime is a folder of files to copy, which belongs to another package in each generated
project, and stands inside the compiler's package only in an installed wheel. So this module is a package whose
`__path__` is that folder.

Each listed module imports only the standard library, and modules of the runtime of which this is true too. The runtime
never imports the compiler.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from mcpgen.base.assets import package_templates

if TYPE_CHECKING:  # mypy knows the runtime by the name of its folder in the checkout
    from package.runtime.core import absent_parts as absent_parts
    from package.runtime.core import jsonrpc as jsonrpc
    from package.runtime.files import safe_open as safe_open
    from package.runtime.hooks import hook_names as hook_names
    from package.runtime.jobs import job_words as job_words
    from package.runtime.questions import asked_arguments as asked_arguments
    from package.runtime.result import page_arguments as page_arguments
    from package.runtime.search import coverage as coverage
    from package.runtime.search import notation as notation
    from package.runtime.search import postings as postings
    from package.runtime.search import retriever as retriever
    from package.runtime.search import search_listing as search_listing
    from package.runtime.search import stems as stems
    from package.runtime.search import synonyms as synonyms
    from package.runtime.secrets import secret_words as secret_words
    from package.runtime.settings import credential_env as credential_env
    from package.runtime.settings import settings_table as settings_table
    from package.runtime.tables import table as table
    from package.runtime.tables import words as words
    from package.runtime.text import addresses as addresses
    from package.runtime.text import folded_names as folded_names
    from package.runtime.text import sanitize as sanitize
    from package.runtime.workflows import criteria as criteria
    from package.runtime.workflows import expressions as expressions
    from package.runtime.workflows import jsonpath as jsonpath
else:
    __path__ = [str(package_templates() / "runtime")]

    _ROOMS = (
        "text", "result", "settings", "files", "hooks", "jobs", "lookups", "questions", "search", "secrets", "tables",
        "workflows", "core",
    )  # fmt: skip
    """Folders of the runtime that have the listed modules."""

    def __getattr__(name):
        """Import a module of the runtime when it is first used, since few commands need all of them."""
        for room in _ROOMS:
            if find_spec(f"{__name__}.{room}.{name}") is not None:
                return globals().setdefault(name, import_module(f"{__name__}.{room}.{name}"))
        raise AttributeError(f"the runtime has no module {name} for the compiler")
