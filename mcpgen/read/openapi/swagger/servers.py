"""Read `schemes`, `host` and `basePath` (OpenAPI 2.0, Swagger Object) as the `servers` list of OpenAPI 3."""

from urllib.parse import urlsplit

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_text


def as_servers(root: JsonObject, schemes: JsonValue, base_url: str | None) -> list[JsonValue]:
    """Return the servers as a `servers` list, https first. Without a `host`, URLs are relative to the URL of the
    document.
    """
    host, base_path = as_text(root.get("host")).strip(), as_text(root.get("basePath")).strip()
    path = base_path if not base_path or base_path.startswith("/") else f"/{base_path}"
    host = host.rpartition("://")[2].rstrip("/")  # some authors write a whole URL as `host`
    if not host:
        return [{"url": path or "/"}]
    spoken = [scheme for scheme in as_list(schemes) if scheme in ("https", "http")]
    spoken = spoken or [scheme for scheme in as_list(schemes) if scheme in ("wss", "ws")]  # refused, and not replaced
    usual = urlsplit(base_url).scheme if base_url else "https"
    return [{"url": f"{scheme}://{host}{path}"} for scheme in sorted(spoken or [usual], reverse=True)]
