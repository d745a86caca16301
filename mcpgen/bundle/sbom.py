"""Write a software bill of materials (CycloneDX 1.6, ECMA-424) of a server's declared dependencies.

The bill lists ranges of versions, because the user's installer decides the exact versions.
"""

import re
import uuid
from collections.abc import Iterator, Mapping

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, compact, digest
from mcpgen.bundle.project import Project

SPECIFICATION = "1.6"
_NAME = re.compile(
    r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*([^;]*)(?:;\s*(.*))?", re.DOTALL
)


def bill_of_materials(project: Project, artifacts: Mapping[str, bytes]) -> JsonObject:
    """Return the bill of materials: the server with the digests of its `artifacts`, the mcpgen runtime, and the
    dependencies.
    """
    identity = project.identity
    server = f"pkg:pypi/{identity.command}@{identity.version}"
    components: list[JsonValue] = [_runtime(project), *_dependencies(project)]
    inside: list[JsonValue] = [as_text(as_object(each).get("bom-ref")) for each in components]
    value: JsonObject = {
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": server,
                "name": identity.command,
                "version": identity.version,
                "purl": server,
                "components": [_artifact(server, name, data) for name, data in sorted(artifacts.items())],
            },
            "tools": {"components": [{"type": "application", "name": "mcpgen", "version": project.compiler}]},
        },
        "components": components,
        "dependencies": [
            {"ref": server, "dependsOn": inside},
            *({"ref": each} for each in inside),
        ],
    }
    return {"serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, compact(value))}", **value}


def _artifact(server: str, name: str, data: bytes) -> JsonObject:
    """Return the bill's entry for a file of the release, with its digest."""
    return {"type": "file", "bom-ref": f"{server}#{name}", "name": name, "hashes": _hashes(data)}


def _runtime(project: Project) -> JsonObject:
    """Return the bill's entry for the runtime, which mcpgen copied into the package. Its digest is that of SHA256SUMS,
    which lists the digests of the runtime's files.
    """
    sums = project.files.get(f"{project.identity.package}/runtime/SHA256SUMS", b"")
    return {
        "type": "library",
        "bom-ref": "mcpgen-runtime",
        "name": "mcpgen-runtime",
        "version": project.compiler,
        "scope": "required",
        "hashes": _hashes(sums),
        "licenses": [{"license": {"id": "MIT"}}],
    }


def _hashes(data: bytes) -> JsonValue:
    return [{"alg": "SHA-256", "content": digest(data)}]


def _dependencies(project: Project) -> Iterator[JsonObject]:
    """Yield the declared dependencies, each once. A dependency that only extras name is marked optional."""
    extras = as_object(project.metadata.get("optional-dependencies"))
    rows = [("", as_text(each)) for each in as_list(project.metadata.get("dependencies"))]
    rows += [(extra, as_text(each)) for extra, found in sorted(extras.items()) for each in as_list(found)]
    seen: dict[str, JsonObject] = {}
    for extra, requirement in rows:
        parts = _NAME.fullmatch(requirement)
        if parts is None:
            continue
        name = re.sub(r"[-_.]+", "-", parts[1]).lower()
        properties: list[JsonValue] = [{"name": "mcpgen:requirement", "value": requirement}]
        if extra:
            properties.append({"name": "mcpgen:extra", "value": extra})
        purl = f"pkg:pypi/{name}"
        entry: JsonObject = {
            "type": "library",
            "bom-ref": purl,
            "name": name,
            "purl": purl,
            "scope": "optional" if extra else "required",
            "properties": properties,
        }
        seen.setdefault(name, entry)
    yield from seen.values()
