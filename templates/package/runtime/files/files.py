# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read binary arguments: base64, a `data:` URI (RFC 2397), or `file:NAME` for a file in the operator's files directory.

A model writes the file names. So a name must stay inside the directory, must not pass through a symbolic link, and must
lead to a regular file. If the API description allows several media types, the file's own type is sent: from the URI,
the first bytes, or the name. If it names none, the type of a URI or of a file in the directory is sent.
"""

from __future__ import annotations

import base64
import os
import re
from urllib.parse import unquote_to_bytes

from ..request.argument_errors import Unsendable
from ..text.signatures import OCTETS, type_of_file
from .safe_open import LinkFound, NotRegular, open_below

LIMIT = 64 * 1024 * 1024
"""Maximum size in bytes of a file that is sent. The server holds one copy of the file in memory."""

_REMOTE = (
    "files of the server are not open over HTTP. Send the content as base64 text or as a data: URI instead. "
    "To open them, the operator can set {}=1 and {}"
)
_OUTSIDE = "expected a file inside the open directory, without links on the way"
_TOO_LARGE = "expected a regular file of at most {} MiB"
_PREFIX = "file:"
_WORD = r"[A-Za-z0-9!#$&^_.+-]{1,127}"
_DATA = re.compile(rf"data:({_WORD}/{_WORD})?((?:;{_WORD}={_WORD}){{0,8}})(;base64)?,", re.IGNORECASE)
_EXPECTED = f"expected base64 text (standard alphabet), a data: URI, or {_PREFIX}NAME"
_SPACE = dict.fromkeys(map(ord, " \t\r\n"))


class Files:
    """Reader of binary arguments, which may name files in one directory if the operator has set it.

    `variable`: name of the setting for the directory. `allowed_by`: name of another setting, without which callers over
    HTTP must not name files; "" if callers may name files.
    """

    __slots__ = ("_allowed_by", "_directory", "_variable", "digest")

    def __init__(self, directory: str | None, variable: str, allowed_by: str = "") -> None:
        self._directory = directory
        self._variable = variable
        self._allowed_by = allowed_by
        self.digest = ""

    def content(self, argument: object) -> tuple[bytes, str, str]:
        """Return the bytes of a binary argument, its file name and its own media type. Name and type may be "".

        Raise Unsendable if the argument cannot be read.
        """
        if not isinstance(argument, str):
            raise Unsendable(_EXPECTED)
        if argument.startswith(_PREFIX):
            content, name = self._read(argument.removeprefix(_PREFIX))
            return content, name, type_of_file(content, name)
        if argument[:5].lower() == "data:":
            return _of_uri(argument)
        return _decoded(argument), "", ""

    def _read(self, name: str) -> tuple[bytes, str]:
        if self._allowed_by:
            raise Unsendable(_REMOTE.format(self._allowed_by, self._variable))
        if self._directory is None:
            raise Unsendable(f"files are not open to this server: its operator can set {self._variable} to a directory")
        try:
            root = os.path.realpath(self._directory)
            path, inside = os.path.normpath(os.path.join(root, name)), root.rstrip(os.sep) + os.sep
            if not path.startswith(inside):
                raise Unsendable(_OUTSIDE)
            steps = path.removeprefix(inside).split(os.sep)
            with open(open_below(root, steps), "rb") as file:
                if os.fstat(file.fileno()).st_size > LIMIT:
                    raise Unsendable(_TOO_LARGE.format(LIMIT >> 20))
                return file.read(LIMIT), steps[-1]
        except Unsendable:
            raise
        except LinkFound:
            raise Unsendable(_OUTSIDE) from None
        except NotRegular:
            raise Unsendable(_TOO_LARGE.format(LIMIT >> 20)) from None
        except (OSError, ValueError):  # ValueError is raised for NUL bytes or lone surrogates in the name
            raise Unsendable("there is no such file that can be read in the open directory") from None


class Digested(Files):
    """Files directory that also hashes the contents of files when they are read.

    `digest` is the hash of all these files. It makes the user's confirmation of a call depend on the files.
    """

    __slots__ = ()

    def _read(self, name: str) -> tuple[bytes, str]:
        from hashlib import sha256  # imported here: most calls need no confirmation, or send no file

        found = super()._read(name)
        self.digest += sha256(found[0]).hexdigest()
        return found


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text.translate(_SPACE), validate=True)
    except ValueError:
        raise Unsendable(_EXPECTED) from None


def _of_uri(uri: str) -> tuple[bytes, str, str]:
    """Return the bytes of a `data:` URI, an empty file name, and the URI's media type."""
    found = _DATA.match(uri)
    if found is None:
        raise Unsendable(_EXPECTED)
    content = unquote_to_bytes(uri[found.end() :])
    kind = (found[1] or "").lower() + found[2] if found[1] else ""
    return _decoded(content.decode("latin-1")) if found[3] else content, "", kind


def media_type(choice: str, content: bytes, name: str = "", own: str = "") -> str:
    """Return the media type to send for a file.

    This is the type `own`, else the type that bytes or name indicate, if `choice` allows this type. Otherwise it is the
    first type in `choice` without `*`, else application/octet-stream. Examples of `choice`: "image/png",
    "image/png, image/*", "*/*". If `choice` is "", only `own` replaces application/octet-stream, the default of a part
    (OpenAPI 3.1, 4.8.15.1).
    """
    allowed = [each.strip() for each in choice.split(",") if each.strip()]
    for kind in (own, type_of_file(content, name) if allowed else ""):
        if kind and (not allowed or any(_covers(each, kind.partition(";")[0]) for each in allowed)):
            return kind
    return next((each for each in allowed if "*" not in each), OCTETS)


def _covers(allowed: str, kind: str) -> bool:
    return allowed in (kind, "*/*", kind.split("/")[0] + "/*")
