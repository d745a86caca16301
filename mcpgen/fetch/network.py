"""http(s) URL → bytes. The only module of the compiler that opens a socket."""

from mcpgen.document import budgets
from mcpgen.errors import CannotGoOn
from mcpgen.fetch.size import too_large

SECONDS = 30.0
REDIRECTS = 3


def download(url: str) -> tuple[bytes, str]:
    """Return the bytes at `url`, and the URL that redirects led to. CannotGoOn if there is no document."""
    import httpx  # a tenth of a second that runs on files need not spend

    try:
        with (
            httpx.Client(timeout=SECONDS, follow_redirects=True, max_redirects=REDIRECTS, trust_env=True) as client,
            client.stream("GET", url, headers={"Accept": "application/json, application/yaml, */*"}) as response,
        ):
            if response.status_code != 200:
                raise CannotGoOn(
                    "unreadable",
                    f"{url} answered with status {response.status_code}.",
                    hint="Open the URL in a browser.",
                )
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > budgets.BYTES:
                    raise too_large(url)
            return bytes(data), str(response.url)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise CannotGoOn(
            "unreadable", f"{url} could not be fetched ({type(error).__name__}).", hint="Check the URL and the network."
        ) from None


def refuse_login(url: str) -> None:
    """A URL is repeated in messages and recorded in the lock, so no login may stand in it."""
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise CannotGoOn(
            "unreadable",
            "The URL of the document holds a user name or a password.",
            hint="Download it with them, and name the file.",
        )
