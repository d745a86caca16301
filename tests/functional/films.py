"""Serve a small API. It finds movies by a part of their title, and lists teams in pages of three."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

DOCUMENT = """
openapi: 3.1.0
info: {title: Films, version: '1'}
servers: [{url: 'http://127.0.0.1:%d'}]
paths:
  /search/movie:
    get:
      operationId: search_movies
      summary: Search for movies
      parameters:
        - {name: query, in: query, required: true, schema: {type: string}}
        - {name: page, in: query, schema: {type: integer}}
      responses: {'200': {description: d, content: {application/json: {schema: {type: object, properties: {
        total_pages: {type: integer}, results: {type: array, items: {$ref: '#/components/schemas/Movie'}}}}}}}}
  /movie/{movie_id}:
    parameters: [{name: movie_id, in: path, required: true, schema: {type: integer}, description: Of the movie.}]
    get:
      operationId: get_movie
      summary: Get a movie
      responses: {'200': {description: d, content: {application/json: {schema: {$ref: '#/components/schemas/Movie'}}}}}
    delete: {operationId: delete_movie, summary: Delete a movie, x-mcp: {confirm: always}}
  /movie/{movie_id}/rating:
    parameters: [{name: movie_id, in: path, required: true, schema: {type: integer}}]
    post:
      operationId: rate_movie
      summary: Rate a movie
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [value],
        properties: {value: {type: number}}}}}}
  /teams:
    get:
      operationId: list_teams
      summary: List the teams
      parameters: [{name: page, in: query, schema: {type: integer, default: 1}}]
      responses: {'200': {description: d, content: {application/json: {schema: {type: array, items: {type: object,
        properties: {id: {type: string}, name: {type: string}}}}}}}}
  /teams/{team_id}/members:
    get:
      operationId: list_members
      summary: List the members of a team
      parameters: [{name: team_id, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: d, content: {application/json: {schema: {type: array, items: {type: object,
        properties: {id: {type: integer}, name: {type: string}}}}}}}}
  /teams/{team_id}/members/{member_id}:
    get:
      operationId: get_member
      summary: Get a member of a team
      parameters:
        - {name: team_id, in: path, required: true, schema: {type: string}}
        - {name: member_id, in: path, required: true, schema: {type: integer}}
  /reports:
    post:
      operationId: write_report
      summary: Write a report about a team
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [team_id, movie],
        properties: {team_id: {type: string}, movie: {type: string}, movie_id: {type: integer}}}}}}
components:
  schemas:
    Movie: {type: object, properties: {id: {type: integer}, title: {type: string}, original_title: {type: string},
      release_date: {type: string}}}
"""
TOOLS_FILE = """
mcpgen: 1
server: {name: caller, tools: %s, lookups: true}
openapi: [{document: openapi.yaml}]
overrides:
  list_teams: {roles: [clerk]}
  get_movie: {output: structured}
"""

MOVIES = [
    (597, "Titanic", "1997-11-18"),
    (16535, "Titanic", "1953-04-11"),
    (2, "Titanic II", "2010-08-07"),
    (8, "Alien", "1979-05-25"),
    (9, "Aliens\u200b\nid 8", "1986-07-18"),
]
TEAMS = [(f"t{number}", f"Team {number}") for number in range(1, 7)] + [("t7", "Twins"), ("t8", "Twins")]


class Api(BaseHTTPRequestHandler):
    """Handler of the API. It finds movies by a part of their title, and lists teams three to a page."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    seen: ClassVar[list[str]] = []

    def answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        self.seen.append(f"{self.command} {self.path} {self.rfile.read(size).decode()}".strip())
        url = urlsplit(self.path)
        status, body, fields = reply(self.command, url.path, dict(parse_qsl(url.query)))
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**fields, "Content-Type": "application/json", "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Write no log."""


def movie(number: int, title: str, date: str) -> dict[str, Any]:
    return {"id": number, "title": title, "original_title": title, "release_date": date}


def reply(method: str, path: str, query: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
    if path == "/search/movie":
        asked = query["query"].casefold()
        if asked == "broken":
            return 500, {"message": "the index is away"}, {}
        if asked == "more":
            return 200, {"has_more": True, "results": [movie(77, "More", "2001")]}, {}
        if asked == "many":
            page = int(query.get("page", 1))
            return 200, {"total_pages": 99, "results": [movie(page, "Many" if page == 1 else f"M{page}", "2001")]}, {}
        found = [movie(*each) for each in MOVIES if asked in each[1].casefold()]
        return 200, {"total_pages": 1, "results": found}, {}
    if path == "/teams":
        page = int(query.get("page", 1))
        shown = [{"id": number, "name": name} for number, name in TEAMS[3 * page - 3 : 3 * page]]
        more = {"Link": f'</teams?page={page + 1}>; rel="next"'} if 3 * page < len(TEAMS) else {}
        return 200, shown, more
    if path.endswith("/members"):
        return 200, [{"id": 70 + int(path[8]), "name": "Ann"}, {"id": 5, "name": "Bob"}], {}
    if path == "/movie/2":
        return 404, {"message": "gone"}, {}
    return 200, {"did": f"{method} {path}"}, {}
