"""Write `runtime/SHA256SUMS` of a project: the version of mcpgen, and a digest of every file of the runtime.

The server's `--doctor` compares the runtime with SHA256SUMS, and `sha256sum --check SHA256SUMS` can do so too. The lock
file has a digest of SHA256SUMS, which covers the whole runtime.
"""

from collections.abc import Mapping

import mcpgen
from mcpgen.base.jsonvalue import digest

NAME = "SHA256SUMS"


# Nobody reviews files that are the same in every project; digests show accidental edits. `sha256sum --check` reads them
# too, so nobody has to trust the runtime's own check.
def checksums(files: Mapping[str, bytes]) -> bytes:
    """Return the contents of SHA256SUMS for `files`, path in the runtime → contents.

    A digest is the SHA-256 of the contents with LF for each CRLF, since a checkout may have changed line ends.
    """
    digests = {path: digest(data.replace(b"\r\n", b"\n")) for path, data in sorted(files.items())}
    lines = [f"# mcpgen {mcpgen.__version__}", *(f"{known}  {path}" for path, known in digests.items()), ""]
    return "\n".join(lines).encode("ascii")
