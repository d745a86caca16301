"""Write documents and configurations with secrets at many places, for `test_planted_secrets.py`.

`Plants` generates the values, so no real key is in this repository.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from typing import Any

_LETTERS = string.ascii_letters + string.digits


class Plants:
    """Generator of secrets that remembers what it generated: value → the place where the value was planted."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.planted: dict[str, str] = {}

    def named(self, place: str) -> str:
        """Return a value that only its name or type shows to be a secret."""
        return self._kept(place, f"hunter{self._text(string.ascii_lowercase, 5)}{self._random.randrange(10, 99)}")

    def form(self, place: str) -> str:
        """Return a value whose form shows that it is a secret."""
        make = self._random.choice(self._forms())
        return self._kept(place, make())

    def signed(self, place: str) -> str:
        """Return a password with many signs."""
        return self._kept(place, self._text(f"{_LETTERS}!#$%^*~|?@;,+=", 27))

    def _forms(self) -> list[Callable[[], str]]:
        text = self._text
        return [
            lambda: f"sk-{text(_LETTERS, 40)}",
            lambda: f"sk-proj-{text(_LETTERS + '-_', 60)}",
            lambda: f"sk_live_{text(_LETTERS, 24)}",
            lambda: f"ghp_{text(_LETTERS, 36)}",
            lambda: f"github_pat_{text(_LETTERS, 22)}_{text(_LETTERS, 59)}",
            lambda: f"glpat-{text(_LETTERS, 20)}",
            lambda: f"xoxb-{text(string.digits, 11)}-{text(string.digits, 11)}-{text(_LETTERS, 24)}",
            lambda: f"AKIA{text(string.ascii_uppercase + string.digits, 16)}",
            lambda: f"AIza{text(_LETTERS, 35)}",
            lambda: f"hf_{text(_LETTERS, 34)}",
            self._jwt,
            lambda: self._random_text(43),
            lambda: self._random_text(32),
            lambda: self._random_text(22),
            lambda: text(string.ascii_letters, 40),
            lambda: text(string.ascii_lowercase + string.digits, 24),
        ]

    def _jwt(self) -> str:
        parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": self._text(string.digits, 10), "admin": True})
        encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
        return ".".join([*encoded, self._text(_LETTERS, 43)])

    def _random_text(self, length: int) -> str:
        return base64.urlsafe_b64encode(self._random.randbytes(length)).decode().rstrip("=")[:length]

    def _text(self, alphabet: str, length: int) -> str:
        return "".join(self._random.choices(alphabet, k=length))

    def _kept(self, place: str, value: str) -> str:
        self.planted[value] = place
        return value


def _schema(plants: Plants, where: str) -> dict[str, Any]:
    """Return a schema with secrets as examples, defaults and constants, by name, type and form."""
    named, form, signed = plants.named, plants.form, plants.signed
    return {
        "type": "object",
        "properties": {
            "password": {"type": "string", "default": named(f"{where} default"), "example": named(f"{where} example")},
            "clientSecret": {"const": named(f"{where} const")},
            "api-key": {"type": "string", "enum": [named(f"{where} enum")]},
            "unlock": {"type": "string", "format": "password", "default": named(f"{where} format")},
            "phrase": {"type": "string", "writeOnly": True, "default": named(f"{where} writeOnly")},
            "nested": {"type": "object", "default": {"user": "ann", "refresh_token": named(f"{where} nested")}},
            "list": {"type": "array", "items": {"type": "string", "default": form(f"{where} items")}},
            "note": {
                "type": "string",
                "default": form(f"{where} neutral"),
                "description": f"As {form(f'{where} text')}",
            },
            "remark": {
                "type": "string",
                "default": signed(f"{where} signs"),
                "description": f"Log in with the password: {signed(f'{where} signs in text')}",
            },
            "link": {"type": "string", "default": f"https://a.example/x?sig={form(f'{where} query')}&page=2"},
            "address": {"type": "string", "default": f"https://bot:{named(f'{where} user')}@a.example/"},
            "patterned": {"type": "string", "pattern": "^s", "examples": [form(f"{where} examples")]},
        },
    }


def openapi(plants: Plants) -> dict[str, Any]:
    """Return an OpenAPI document."""
    named, form = plants.named, plants.form
    ok = {"200": {"description": "ok", "content": {"application/json": {"example": {"token": named("answer")}}}}}
    parameters = [
        {"name": "X-Vault-Token", "in": "header", "schema": {"const": named("header const")}, "required": True},
        {"name": "X-Team", "in": "header", "schema": {"type": "string", "enum": [form("header enum")]}},
        {"name": "sig", "in": "query", "schema": {"type": "string", "default": form("query default")}},
        {"name": "access_token", "in": "query", "schema": {"type": "string"}, "example": named("parameter example")},
        {"name": "passcode", "in": "query", "schema": {"type": "string", "default": named("query named")}},
        {"name": "session", "in": "cookie", "schema": {"type": "string", "default": form("cookie")}},
        {"name": "q", "in": "query", "schema": {"type": "string"}, "examples": {"a": {"value": form("examples")}}},
        {"name": "note", "in": "query", "schema": {"type": "string", "description": f"Like {form('schema text')}."}},
    ]
    bodies = {
        kind: {"schema": _schema(plants, kind), "example": {"pin_code": 1, "secret": named(f"{kind} body")}}
        for kind in ("application/json", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml")
    }
    paths: dict[str, Any] = {
        f"/{index}": {
            "post": {
                "operationId": f"post{index}",
                "summary": f"Post. Authorization: Bearer {form('summary')}",
                "description": f'curl -H "X-Api-Key: {named("curl")}" https://u:{named("curl user")}@a.example',
                "requestBody": {"content": {kind: body}},
                "responses": ok,
                "externalDocs": {"url": f"https://a.example/?access_token={named('docs')}"},
            }
        }
        for index, (kind, body) in enumerate(bodies.items())
    }
    paths["/a"] = {"get": {"operationId": "getA", "parameters": parameters, "responses": ok, "x-token": named("x-")}}
    paths[f"/hook/{form('path')}/b"] = {"get": {"responses": ok, "tags": [form("tag")]}}
    paths[f"/c?client_secret={named('path query')}"] = {"get": {"responses": ok, "operationId": form("operationId")}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Planted",
            "version": "1",
            "description": f"Use token={form('info')} to try.",
            "x-mcp": {},
            "contact": {"url": f"https://a.example/?password={named('contact')}"},
        },
        "security": [{"login": []}],
        "paths": paths,
        **_around(plants),
    }


def _around(plants: Plants) -> dict[str, Any]:
    """Return the servers and components of the OpenAPI document."""
    named, form = plants.named, plants.form
    return {
        "servers": [
            {
                "url": "https://{tenant}.a.example/{token}",
                "variables": {
                    "tenant": {"default": "main"},
                    "token": {"default": named("server variable"), "enum": [named("server enum")]},
                },
            },
            {"url": f"https://a.example/?key={form('server query')}"},
            {"url": f"https://ann:{named('server user')}@a.example/"},
        ],
        "components": {
            "schemas": {form("component"): {"type": "string"}},
            "securitySchemes": {
                "login": {
                    "type": "oauth2",
                    "description": f"client_secret: {named('scheme')}",
                    "flows": {
                        "clientCredentials": {
                            "tokenUrl": f"https://a.example/token?client_secret={named('tokenUrl')}",
                            "scopes": {},
                        }
                    },
                }
            },
        },
    }


def pair(key: str, value: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "value": value, **more}


def _requests(plants: Plants) -> list[dict[str, Any]]:
    """Return requests of the Postman collection without bodies."""
    named, form = plants.named, plants.form
    site = "https://a.example"
    return [
        {"url": f"{site}/a?client_secret={named('url')}&sig={form('url sig')}&note={form('url note')}"},
        {"url": {"raw": f"{site}/b", "query": [pair("token", named("query")), pair("q", form("query form"))]}},
        {"url": {"raw": f"{site}/c/:apikey", "variable": [pair("apikey", named("path variable"))]}},
        {"url": f"{site}/bot{{{{bot_token}}}}/{{{{plain}}}}/d"},
        {"url": f"{site}/hooks/{form('path')}/e"},
        {
            "url": f"{site}/f",
            "header": [
                pair("X-Vault-Token", named("header")),
                pair("Token", named("header Token")),
                pair("X-Tenant", named("header tenant")),
                pair("X-Note", form("header form"), description=f"As {form('header description')}"),
                pair("Cookie", f"sid={named('cookie')}"),
                pair("Authorization", f"Bearer {form('authorization')}"),
            ],
        },
        {
            "url": f"{site}/k",
            "auth": {
                "type": "oauth2",
                "oauth2": [
                    pair("accessTokenUrl", f"{site}/token?client_secret={named('accessTokenUrl')}"),
                    pair("grant_type", "client_credentials"),
                    pair("clientSecret", named("clientSecret")),
                    pair("scope", "read"),
                ],
            },
        },
        {
            "url": f"{site}/l",
            "auth": {"type": "apikey", "apikey": [pair("key", "{{key_name}}"), pair("value", named("k"))]},
        },
        {"url": f"{site}/m", "description": f"Send api_key={named('description')} or {form('description form')}."},
    ]


def _bodies(plants: Plants) -> list[dict[str, Any]]:
    """Return requests of the Postman collection with bodies."""
    named, form = plants.named, plants.form
    site = "https://a.example"
    return [
        {
            "method": "POST",
            "url": f"{site}/g",
            "body": {
                "mode": "urlencoded",
                "urlencoded": [
                    pair("password", named("form")),
                    pair("x", named("typed form"), type="secret"),
                    pair("n", form("form")),
                ],
            },
        },
        {
            "method": "POST",
            "url": f"{site}/h",
            "body": {"mode": "formdata", "formdata": [pair("client_secret", named("part")), pair("n", form("part"))]},
        },
        {
            "method": "POST",
            "url": f"{site}/i",
            "body": {"mode": "raw", "raw": json.dumps({"token": named("raw"), form("raw key"): 1})},
        },
        {
            "method": "POST",
            "url": f"{site}/j",
            "body": {
                "mode": "graphql",
                "graphql": {
                    "query": f'mutation {{ login(user: "ann", password: "{named("literal")}") {{ id }} }}',
                    "variables": json.dumps({"token": named("variable of a query")}),
                },
            },
        },
    ]


def collection(plants: Plants) -> dict[str, Any]:
    """Return a Postman collection."""
    named, form = plants.named, plants.form

    items: list[dict[str, Any]] = [
        {
            "name": f"Request {index}",
            "request": {"method": "GET", **request},
            "response": [{"code": 200, "body": json.dumps({"secret": named("answer")}), "name": form("answer")}],
            "event": [{"listen": "test", "script": {"exec": [f"pm.environment.set('t', '{form('script')}')"]}}],
        }
        for index, request in enumerate([*_requests(plants), *_bodies(plants)])
    ]
    return {
        "info": {
            "name": "Planted",
            "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
            "description": f"Log in with password: {named('info')}",
        },
        "variable": [
            pair("bot_token", named("variable")),
            pair("plain", named("plain variable")),
            pair("key_name", named("key name")),
            pair("typed", named("typed variable"), type="secret"),
        ],
        "item": items,
    }


def discovery(plants: Plants) -> dict[str, Any]:
    """Return a Google Discovery document."""
    named, form = plants.named, plants.form
    parameters = {
        "password": {"type": "string", "location": "query", "default": named("default")},
        "authToken": {"type": "string", "location": "query", "enum": [named("enum")]},
        "note": {"type": "string", "location": "query", "default": form("neutral"), "description": form("description")},
        "link": {"type": "string", "location": "query", "default": f"https://a.example/?sig={form('link')}"},
    }
    return {
        "kind": "discovery#restDescription",
        "name": "planted",
        "title": "Planted",
        "version": "v1",
        "description": f"Try api_key={named('info')} or {form('info form')}.",
        "documentationLink": f"https://a.example/?token={named('docs')}",
        "rootUrl": "https://a.example/",
        "servicePath": "v1/",
        "parameters": {"key": {"type": "string", "location": "query", "default": named("global key") + "x"}},
        "auth": {"oauth2": {"scopes": {"https://a.example/all": {"description": f"As {form('scope')}"}}}},
        "schemas": {
            "Thing": {
                "id": "Thing",
                "type": "object",
                "properties": {
                    "secret": {"type": "string", "default": named("property")},
                    "private_key": {"type": "string", "enum": [named("property enum")], "enumDescriptions": ["x"]},
                    "note": {"type": "string", "default": form("property form"), "description": form("property text")},
                },
            }
        },
        "resources": {
            "things": {
                "methods": {
                    "list": {
                        "id": "planted.things.list",
                        "path": "things",
                        "httpMethod": "GET",
                        "description": f"Lists. Bearer {form('method')}",
                        "parameters": parameters,
                    },
                    "insert": {
                        "id": "planted.things.insert",
                        "path": f"hooks/{form('path')}/things",
                        "httpMethod": "POST",
                        "request": {"$ref": "Thing"},
                    },
                }
            }
        },
    }


def tools_file(plants: Plants) -> dict[str, Any]:
    """Return a tools file. mcpgen refuses its fixed credentials."""
    named, form = plants.named, plants.form
    ask = {"type": "string", "description": f"As {form('argument text')}", "default": form("argument default")}
    return {
        "mcpgen": 1,
        "server": {
            "name": "planted",
            "base_url": "https://a.example",
            "instructions": f"Use password={named('instructions')} and {form('instructions form')}.",
        },
        "tools": [
            {
                "name": "get_a",
                "request": f"GET /a?api_key={named('request')}",
                "description": f"Reads. token: {named('description')}",
                "send": {"headers": {"X-Vault-Token": named("header"), "X-Note": form("header form")}},
            },
            {
                "name": "get_b",
                "request": "GET /b",
                "arguments": {"passphrase": {"type": "string", "default": named("argument")}, "q": ask},
            },
            {
                "name": "post_c",
                "request": "POST /c",
                "send": {"body": {"client_secret": named("body"), "note": form("body form")}},
            },
            {
                "name": "get_d",
                "request": f"GET /hooks/{form('path')}",
                "inputSchema": {
                    "type": "object",
                    "properties": {"access_key": {"type": "string", "const": named("schema")}},
                },
            },
        ],
        "prompts": [
            {"name": "p", "description": form("prompt"), "messages": [{"text": f"Log in: secret={named('message')}"}]}
        ],
    }
