"""Run the petstore as a process: print its URL, and serve until SIGTERM arrives, or until a pipe as stdin ends."""

from __future__ import annotations

import argparse

from mcpgen.demo.http import announce_and_wait
from mcpgen.demo.petstore import API_KEY, TOKEN, serve


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mcpgen.demo.petstore", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="the port on loopback; 0 takes a free one (the default)")
    parser.add_argument("--api-key", default=API_KEY, help="what reading takes in X-API-Key (default: %(default)s)")
    parser.add_argument("--token", default=TOKEN, help="what writing takes as a bearer token (default: %(default)s)")
    chosen = parser.parse_args()
    with serve(chosen.port, chosen.api_key, chosen.token) as running:
        announce_and_wait(running.url)


if __name__ == "__main__":
    main()
