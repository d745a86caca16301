# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide what to do about each message of a client, by the rules of the Model Context Protocol.

Two rules shape this file:

1. This module decides whether a message is served; `wire_formats` decides how an answer is written.
2. Nothing here does I/O, waits, or reads a clock. `receive` takes a message of the client and returns effects:
   actions that other modules perform, such as sending a line. `finished` and `progress` take the outcome or progress of
   a call and return the line to send.

Theory of operation
===================

There are two eras of MCP, and one process serves both at the same time:

- The **handshake** era, 2024-11-05 to 2025-11-25. The client sends `initialize` with a revision. The server answers
  with the same revision, or with the newest of this era if it does not know that revision. Later requests use the
  agreed revision. The client may send `initialize` again; the last handshake counts.
- The **stateless** era, from 2026-07-28. Every request states its revision and the client's capabilities in
  `params._meta`. No state is kept between requests. `server/discover` lists the revisions of the server.

So the era belongs to a request, never to the process. `envelope` says which revision a request speaks, and which
methods that revision has.

`features` answers requests about resources, prompts and completions. An answer that needs the upstream becomes a call,
like that of a tool: `Fetch` for a resource, `GetPrompt` for a prompt that needs a resource from the upstream or an
answer of the user. A request about a task becomes a call too (`TaskRequest`); its rules are in `tasks`.

The user may have to confirm a call, and the eras differ in how the server asks. In the handshake era, from 2025-06-18,
the server sends a request of its own, `elicitation/create`, while the call runs (`ask`). The client's response becomes
`UserAnswer`; `Questions` holds the open questions. In the stateless era, the call ends with a result that asks, and
the client sends the call again with the answer. `Dialogue` says which way the client supports. The question and the
meaning of the answer are decided elsewhere (`questions/consent.py`).

Only two things outlive the message that began them. A **call** runs until `finished`. A **stream** stays open from
`subscriptions/listen` until it is cancelled. Both keep their id in use (`InFlight`), and a second request with the
same id is refused. A client may reuse an id as soon as the request is answered or cancelled, while the old call is
still ending. So each call also has a key, a number assigned by the server.

The tools do not change, except with reload. Then `renew` installs the new tools between two messages, and
`subscriptions` determines who is notified: the streams that asked, and the client of the handshake.

At `notifications/cancelled`, this module forgets the call and returns the effect `Cancel`, which stops the call. If the
call still has an outcome, `finished` returns None, so nothing more is sent about that id. This one rule covers a cancel
before, during and after the work.

Errors are raised as `Fault` inside this file and `envelope`, and leave the file as errors with the request's id. A line
with an unreadable id gets an error without an id, and one with the id null in revisions that lack such errors.
"""

from __future__ import annotations

from itertools import count

from .effects import (
    BATCH_REVISION,
    LOG_LEVELS,
    Call,
    Cancel,
    Dialogue,
    Handshake,
    Origin,
    PollResources,
    Preload,
    ReadResource,
    RejectedCall,
    Send,
    SendError,
    UserAnswer,
    check_cursor,
    dialogue,
    handler_of,
    handshake_dialogue,
    log_level,
    method_of,
    origin,
    progress_token,
    revision_of,
)
from .jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    MAX_LINE,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    Batch,
    Fault,
    Malformed,
    Notification,
    Request,
    Response,
    answer,
    dumps,
    error,
    id_of,
    long_answer,
    notification,
    request,
)
from .wire_formats import (
    EXTENSIONS,
    HANDSHAKE_REVISIONS,
    STATELESS_REVISIONS,
    Failure,
    Result,
    discover_result,
    elicitation_params,
    has,
    initialize_result,
    list_result,
    log_params,
    progress_params,
    result_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias
    from typing import Protocol as Interface

    from ..watching.subscriptions import Subscriptions
    from .catalog import Catalog
    from .effects import Effect, Fetch
    from .features import Features
    from .jsonrpc import Id, Members, Message
    from .notification_settings import NotificationSettings
    from .spans import Peer
    from .wire_formats import Asked, Outcome

    Handler: TypeAlias = Callable[[Request, str], "list[Effect]"]

    class Observer(Interface):
        """Interface of an object that measures requests (telemetry.recorder.Recorder)."""

        def begin(self, message: Request | Notification, peer: Peer | None, /) -> Any:
            """Return an object that measures the handling of a message that was just received."""

        def answered(self, operation: Any, message: Request, effects: list[Effect], agreed: str | None, /) -> None:
            """Record the answer to a request, or the call that will give it. `effects`: the actions that the request
            caused; one of them sends the answer or starts the call. `agreed`: the revision of the handshake, or None.
            """

        def notified(self, message: Notification, peer: Peer | None, agreed: str | None, /) -> None:
            """Measure a notification that the client has sent. `agreed`: the protocol version that the handshake
            (`initialize`) agreed on, or None.
            """


#: Values in `InFlight.ids` for requests that are not running calls. STREAM: the request opened a stream. ANSWERED: the
#: answer is ready, and waits until the other answers of its batch are ready.
STREAM, ANSWERED = 0, -1
_NO_PROGRESS = float("-inf")
_CUT = Result.error("The server was stopped before the upstream answered. The request may have taken effect.")
_UNSENT = Result.error("The server was stopped before it was the request's turn. Nothing was sent.")


class Answers:
    """Answers to a batch, sent together once all of them are ready."""

    __slots__ = ("awaited", "ids", "lines")

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.ids: list[Id] = []
        # number of missing answers, plus 1 until the whole batch is read: nothing is sent before that
        self.awaited = 1

    def arrays(self) -> bytes:
        """Return the answers as a JSON array on one line, or as several arrays if the line would exceed MAX_LINE."""
        arrays: list[list[bytes]] = []
        room = 0
        for line in self.lines:
            room -= len(line)
            if room < 0:
                arrays.append([])
                room = MAX_LINE - len(line)
            arrays[-1].append(line[:-1])
        return b"".join(b"[%b]\n" % b",".join(array) for array in arrays)


class Running:
    """A call between its request and its answer.

    `effect`: the Call that `Protocol.receive` returned to start it, or None if the call sends nothing upstream.
    """

    __slots__ = ("batch", "effect", "id", "key", "last_progress", "revision", "token")

    def __init__(self, key: int, id: Id, revision: str, token: Id | None) -> None:  # noqa: A002
        self.key = key
        self.id = id
        self.revision = revision
        self.token = token
        self.last_progress = _NO_PROGRESS
        self.batch: Answers | None = None
        self.effect: Call | None = None


class InFlight:
    """Running calls, and the ids of pending requests. `calls` maps the key of each call to the call. `ids` maps each id
    to the key of its call, or to one of the constants STREAM and ANSWERED.
    """

    __slots__ = ("_keys", "calls", "ids")

    def __init__(self, keys: Iterator[int] | None = None) -> None:
        """Create an empty collection. `keys` yields positive keys of calls that are unique within the process."""
        self.calls: dict[int, Running] = {}
        self.ids: dict[Id, int] = {}
        self._keys = keys or count(1)

    def begin(self, id: Id, revision: str, token: Id | None = None) -> Running:  # noqa: A002
        """Register a call for the request with this id, under a new key."""
        key = next(self._keys)
        call = self.calls[key] = Running(key, id, revision, token)
        self.ids[id] = key
        return call

    def finish(self, key: int) -> Running | None:
        """Remove a call that has ended, and return it. Return None if it was removed before, for example cancelled."""
        call = self.calls.pop(key, None)
        if call is not None:
            del self.ids[call.id]
        return call

    def cancel(self, id: Id) -> int | None:  # noqa: A002
        """Forget the pending request with this id.

        Return the key (number) of the request's call, STREAM if it opened a stream, or None if it is not pending.
        """
        if self.ids.get(id, ANSWERED) == ANSWERED:
            return None
        return self.ids.pop(id)

    def hold(self, answers: Answers, id: Id | None, line: bytes) -> None:  # noqa: A002
        """Store an answer of a batch until the other answers are ready. Until then, its request's id stays in use."""
        answers.lines.append(line)
        if id is not None and id not in self.ids:
            self.ids[id] = ANSWERED
            answers.ids.append(id)

    def settle(self, answers: Answers) -> bytes:
        """Record that one more answer of the batch is ready, or will never come.

        Return the lines to send if it was the last answer of the batch, else b"".
        """
        answers.awaited -= 1
        if answers.awaited:
            return b""
        for id in answers.ids:  # noqa: A001
            del self.ids[id]
        return answers.arrays()


def cut_short(call: Call | None) -> Result:
    """End a call because the server stops. Return a result which says whether the call's request may have been sent."""
    return _CUT if call is None or call.span is None or call.span.end() else _UNSENT


#: Largest number of calls of one client that may wait for the user at once. A waiting call keeps its place among the
#: running calls, and other calls must still find one.
MOST = 16


class Questions:
    """Unanswered questions to the user: id of the server's request -> key of the call that waits for the answer."""

    __slots__ = ("_closed", "_last", "_open", "_prefix")

    def __init__(self, prefix: str = "mcpgen") -> None:
        """Create an empty set of elicitation requests. The id of each request begins with `prefix`."""
        self._prefix = prefix
        self._open: dict[Id, int] = {}
        self._last = 0
        self._closed = False

    def ask(self, key: int, params: bytes) -> bytes | None:
        """Return the line of a request that asks the user about the call `key`.

        Return None if too many questions are open or the client has closed its input.
        """
        if self._closed or len(self._open) >= MOST:
            return None
        self._last += 1
        id_ = f"{self._prefix}-{self._last}"
        self._open[id_] = key
        return request(id_, "elicitation/create", params)

    def answered(self, id_: Id | None) -> int | None:
        """Return the key of the call that waited for this answer, or None if no open question has this id."""
        return None if id_ is None else self._open.pop(id_, None)

    def withdraw(self, key: int) -> bytes:
        """Return the line that cancels the open question of a call, or b"" if there is none."""
        for id_, asking in self._open.items():
            if asking == key:
                del self._open[id_]
                return notification("notifications/cancelled", b'{"requestId":%b}' % dumps(id_))
        return b""

    def close(self) -> list[int]:
        """Return the keys of the waiting calls, and forget their questions. No question can be asked from now on."""
        self._closed = True
        waiting = list(self._open.values())
        self._open.clear()
        return waiting


_ONE_MESSAGE = f"A line holds one message. Only in {BATCH_REVISION} may it hold several, and never none."
_NO_DIALOGUE, _UNKNOWN = Dialogue("", HANDSHAKE_REVISIONS[0]), Origin()  # before `initialize`; never changed


class Protocol:
    """Conversation with one client. Not thread-safe: several threads need a lock around each method call."""

    def __init__(
        self,
        catalog: Catalog,
        subscriptions: Subscriptions | None = None,
        keys: Iterator[int] | None = None,
        questions: Questions | None = None,
        observer: Observer | None = None,
        notifications: NotificationSettings | None = None,
    ) -> None:
        """Create a conversation. `observer`: an object that measures requests, or None.

        `subscriptions`: this client's subscriptions to changes of lists; None if the tools cannot change (`renew`).
        `notifications`: the log level and the resources for which this client has asked to be notified, or None.
        If conversations share a process, `keys` yields call keys that are unique in the process, and `questions` holds
        the unanswered questions to this client's user.
        """
        self._catalog = catalog
        self._subscriptions = subscriptions
        self._changes = subscriptions is not None
        self._observer = observer
        self._agreed: str | None = None
        self._dialogue = _NO_DIALOGUE  # how the server can ask the user (set by initialize)
        self._origin = _UNKNOWN  # `clientInfo` from initialize, and over HTTP the sender of the request
        self._questions = questions or Questions()
        self.notifications = notifications
        self._in_flight = InFlight(keys)
        self._beside: Features | None = None

    def observe(self, observer: Observer) -> None:
        """Report each request to `observer` from now on."""
        self._observer = observer

    # Methods used only over HTTP, where one process serves several clients

    def heard_from(self, peer: Peer, catalog: Catalog) -> None:
        """Set the HTTP peer of the messages that follow, and the tools that this peer may use (`catalog`)."""
        self._origin = Origin(self._origin.client, peer=peer)
        if catalog is not self._catalog:
            self._catalog, self._beside = catalog, None

    @property
    def peer(self) -> Peer | None:
        """Return who sent the latest HTTP message to this object (principal, session, address), or None over stdio."""
        return self._origin.peer

    @property
    def handshake(self) -> Handshake | None:
        """Return the result of the handshake, or None if there was no handshake yet."""
        if self._agreed is None:
            return None
        heard = self._dialogue
        forms, urls = heard.way == "request", heard.urls == "request"
        return Handshake(self._agreed, forms, self._origin.client, urls, declares=heard.declares)

    def resume(self, handshake: Handshake) -> None:
        """Continue the session of a client whose handshake another process, or another `Protocol` object, handled."""
        self._agreed = handshake.revision
        way, urls = ("request" if can else "" for can in (handshake.asks, handshake.urls))
        self._dialogue = Dialogue(way, handshake.revision, urls=urls, declares=handshake.declares)
        self._origin = Origin(handshake.client, peer=self._origin.peer)
        if self._subscriptions is not None and self._changes:
            self._subscriptions.greeted(self._lists())
            self._subscriptions.initialized()

    # Messages from the client

    def receive(self, message: Message) -> list[Effect]:
        """Return the effects of a message: the actions that the transport must perform, in this order."""
        if isinstance(message, Batch):
            return self._batch(message)
        return self._single(message)

    def _single(self, message: Message, in_batch: bool = False) -> list[Effect]:
        if isinstance(message, Request):
            return self._request(message, in_batch)
        if isinstance(message, Malformed):
            return self._malformed(message)
        if isinstance(message, Notification):
            return self._notified(message)
        if isinstance(message, Response):
            key = self._questions.answered(message.id)
            return [] if key is None else [UserAnswer(key, message.result)]
        return []

    def _notified(self, message: Notification) -> list[Effect]:
        if self._observer is not None:
            self._observer.notified(message, self._origin.peer, self._agreed)
        if message.method == "notifications/cancelled":
            return self._cancelled(message.params)
        if message.method == "notifications/initialized" and self._subscriptions is not None:
            return _sent(self._subscriptions.initialized())
        return []  # other notifications need no reaction

    def _request(self, request: Request, in_batch: bool) -> list[Effect]:
        if self._observer is None:
            return self._served(request, in_batch)
        operation = self._observer.begin(request, self._origin.peer)
        effects = self._served(request, in_batch)
        self._observer.answered(operation, request, effects, self._agreed)
        return effects

    def _served(self, request: Request, in_batch: bool) -> list[Effect]:
        method = method_of(request, self._agreed)
        try:
            if request.id in self._in_flight.ids:
                raise Fault(INVALID_REQUEST, "A request with this id is still running.")
            revision = revision_of(request, self._agreed)
            if in_batch and (revision != BATCH_REVISION or request.method == "initialize"):
                raise Fault(INVALID_REQUEST, "This request must have a line of its own.")
            handler: Handler = getattr(self, handler_of(method, revision, self._catalog))
            return handler(request, revision)
        except Fault as fault:
            line = error(request.id, fault.code, fault.sentence, fault.data)
            told: list[Effect] = [SendError(line, fault.code, fault.sentence)]
            if method == "tools/call":
                told.append(RejectedCall(request.params.get("name"), origin(request, self._origin)))
            return told

    def _malformed(self, message: Malformed) -> list[Effect]:
        nameless = self._agreed is None or has(self._agreed, "error without id")
        return [Send(error(message.id, message.code, message.sentence, null_id=not nameless))]

    def _batch(self, batch: Batch) -> list[Effect]:
        if self._agreed != BATCH_REVISION or not batch.messages:
            return self._malformed(Malformed(None, INVALID_REQUEST, _ONE_MESSAGE))
        answers = Answers()
        effects: list[Effect] = []
        for message in batch.messages:
            for effect in self._single(message, in_batch=True):
                if isinstance(effect, Send) and isinstance(message, (Request, Malformed)):
                    self._in_flight.hold(answers, message.id, effect.line)
                    continue
                if isinstance(effect, (Call, ReadResource)):
                    answers.awaited += 1
                    self._in_flight.calls[effect.key].batch = answers
                effects.append(effect)
        return effects + _sent(self._in_flight.settle(answers))

    def _cancelled(self, params: Members) -> list[Effect]:
        id = id_of(params.get("requestId"))  # noqa: A001
        if id is None or (key := self._in_flight.cancel(id)) is None:
            return []
        if key == STREAM:
            if self._subscriptions is not None:
                self._subscriptions.end(id)
            return []
        call = self._in_flight.calls.pop(key)
        withdrawn = self._questions.withdraw(key)
        return [*_sent(withdrawn), Cancel(key), *_sent(self._in_flight.settle(call.batch) if call.batch else b"")]

    # Handlers of the methods

    def _initialize(self, request: Request, revision: str) -> list[Effect]:
        proposed = request.params.get("protocolVersion")
        if not isinstance(proposed, str):
            raise Fault(INVALID_PARAMS, "initialize needs params.protocolVersion, a string.")
        self._agreed = proposed if proposed in HANDSHAKE_REVISIONS else HANDSHAKE_REVISIONS[-1]
        self._dialogue = handshake_dialogue(request.params.get("capabilities"), self._agreed)
        self._origin = Origin(request.params.get("clientInfo"), peer=self._origin.peer)
        self.notifications = None
        if self._subscriptions is not None and self._changes:
            self._subscriptions.greeted(self._lists())
        told = initialize_result(self._agreed, self._catalog.server, self._offers(), self._changes)
        return [Send(answer(request.id, told))]

    def _ping(self, request: Request, revision: str) -> list[Effect]:
        return [Send(answer(request.id, b"{}"))]

    def _discover(self, request: Request, revision: str) -> list[Effect]:
        told = discover_result(revision, self._catalog.server, self._offers(), self._changes)
        return [Send(answer(request.id, told))]

    def _offers(self) -> list[str]:
        offered = filter(self._catalog.offers, ("prompts", "completions", "logging", *EXTENSIONS))
        return [*offered, "subscriptions"] if self._watches() else [*offered]

    def _watches(self) -> bool:
        """Return whether any resource can change while a client watches it."""
        return self._catalog.offers("polls") or (self._changes and self._catalog.offers("resources"))

    def _set_level(self, request: Request, revision: str) -> list[Effect]:
        return self._granted(request)

    def _subscribe(self, request: Request, revision: str) -> list[Effect]:
        """Begin or end the client's subscription to a resource."""
        if not self._watches():
            raise Fault(METHOD_NOT_FOUND, f"There is no method '{request.method}' in {revision}.")
        uri = request.params.get("uri")
        if request.method == "resources/subscribe" and isinstance(uri, str):
            from ..watching import watching  # imported here: few clients watch resources
            from .encode_response import MAX_URI  # imported here: few clients watch resources

            reason = watching.refusal(self._features(), uri)
            if reason:
                raise Fault(INVALID_PARAMS, reason)
            if reason is not None:
                raise Fault(RESOURCE_NOT_FOUND, "There is nothing at this URI.", {"uri": uri[:MAX_URI]})
        return [*self._granted(request), PollResources()]

    def _granted(self, request: Request) -> list[Effect]:
        from .notification_settings import NotificationSettings  # imported here: few clients ask for notifications

        asked = self.notifications or NotificationSettings()
        asked.apply(request.method, request.params)
        self.notifications = asked
        return [Send(answer(request.id, b"{}"))]

    def _log_level(self, request: Request, revision: str) -> int | None:
        if not self._catalog.offers("logging"):
            return None
        return log_level(request, revision, self.notifications.level if self.notifications else None)

    def _list(self, request: Request, revision: str) -> list[Effect]:
        check_cursor(request.params)
        catalog, is_private, tools = self._catalog, self._catalog.private, self._catalog.tools
        # clients that cannot ask their users get a list without some tools, so shared caches must not store the list
        if "asks" in catalog.header:
            is_private, can_ask = True, dialogue(request, revision, self._dialogue).way
            tools = tools if can_ask else catalog.without_asking
        if "views" in catalog.header and "ui" in dialogue(request, revision, self._dialogue).declares:
            from ..views.views import with_pages  # imported here: few servers have views

            is_private, tools = True, with_pages(catalog, tools)
        before, behind = list_result(revision, catalog.server, self._changes, is_private)
        line = long_answer(request.id, before, tools, behind)
        if sum(map(len, line)) > MAX_LINE:
            raise Fault(
                INTERNAL_ERROR, "The list of tools is larger than clients read. Generate the server with fewer."
            )
        return [Send(*line), Preload()]

    def _call(self, request: Request, revision: str) -> list[Effect]:
        name, arguments = request.params.get("name"), request.params.get("arguments")
        if arguments is None:
            arguments = {}
        if not isinstance(name, str):
            raise Fault(INVALID_PARAMS, "tools/call needs params.name, a string.")
        if not isinstance(arguments, dict):
            raise Fault(INVALID_PARAMS, "params.arguments must be an object.")
        token = progress_token(request)
        heard = dialogue(request, revision, self._dialogue)
        if self._catalog.offers("tasks"):
            from ..jobs import tasks  # imported here: few servers offer MCP tasks

            heard = tasks.heard(heard, request, revision)
        called = self._catalog.resolve_alias(name)
        if not self._catalog.has(called):
            raise Fault(INVALID_PARAMS, self._unknown(name))
        name = called
        if name in self._catalog.finders:
            from ..search.search_listing import inner  # imported here: few servers have a search

            name, arguments = inner(self._catalog, name, arguments)
        who = origin(request, self._origin)
        running = self._in_flight.begin(request.id, revision, token)
        running.effect = Call(running.key, name, arguments, token, heard, who)
        running.effect.offered = self._catalog
        running.effect.log_level = self._log_level(request, revision)
        return [running.effect]

    def _unknown(self, name: str) -> str:
        if reason := self._catalog.withheld.get(self._catalog.resolve_alias(name)):
            return f"The tool '{name}' is not offered: {reason}."
        nearest = self._catalog.nearest(name)
        return f"There is no tool '{name[:64]}'." + (f" Did you mean {' or '.join(nearest)}?" if nearest else "")

    def _features(self) -> Features:
        """Return the object that answers about resources and prompts. It is loaded on first use."""
        if self._beside is None:
            from .features import Features  # imported late: clients first list tools, which needs no Features

            self._beside = Features(self._catalog, self._changes)
        return self._beside

    def _feature(self, request: Request, revision: str) -> list[Effect]:
        """Return the action that answers a request about resources, prompts or completions.

        The action sends the answer, or gets data that the answer needs from the API, the user or the stored results.
        """
        found = self._features().serve(request, revision, self._dialogue, origin(request, self._origin))
        if not isinstance(found, (Call, ReadResource)):
            return [Send(self._written(request.id, found, revision))]
        token = progress_token(request)
        running = self._in_flight.begin(request.id, revision, token)
        found.key = running.key
        if isinstance(found, Call):
            found.progress_token, running.effect = token, found
            found.log_level = self._log_level(request, revision)
        return [found]

    def _task(self, request: Request, revision: str) -> list[Effect]:
        from ..jobs import tasks  # imported here: few servers offer MCP tasks

        # `read` comes before `begin`: if `read` raises Fault, the request's id must not stay in use
        wanted = tasks.read(0, request, revision, self._origin)
        running = self._in_flight.begin(request.id, revision, wanted.progress_token)
        running.effect, wanted.key, wanted.offered = wanted, running.key, self._catalog
        wanted.log_level = self._log_level(request, revision)
        return [wanted]

    def _listen(self, request: Request, revision: str) -> list[Effect]:
        asked = request.params.get("notifications")
        if not isinstance(asked, dict):
            raise Fault(INVALID_PARAMS, "subscriptions/listen needs params.notifications, an object.")
        from .notification_settings import acknowledged_params  # imported here: few clients subscribe

        self._in_flight.ids[request.id] = STREAM
        told = self._subscriptions.begin(request.id, asked, self._lists()) if self._subscriptions else ()
        uris = self._watched_by(request.id, asked.get("resourceSubscriptions"))
        params = acknowledged_params(request.id, told if self._changes else (), uris)
        acknowledged = Send(notification("notifications/subscriptions/acknowledged", params))
        return [acknowledged, PollResources()] if uris else [acknowledged]

    def _watched_by(self, id: Id, asked: object) -> tuple[str, ...]:  # noqa: A002
        """Let a stream watch those of the requested resources that can be watched. Return the URIs of the watched
        resources.
        """
        if not asked or not self._watches():
            return ()
        from ..watching import watching  # imported here: few clients watch resources
        from ..watching.subscriptions import Subscriptions  # imported here: few clients watch resources

        self._subscriptions = self._subscriptions or Subscriptions()
        uris = watching.honoured(self._features(), asked)
        self._subscriptions.watch(id, uris)
        return uris

    def _lists(self) -> tuple[str, ...]:
        """Return the kinds of lists that the server offers: always tools and resources, and prompts if it has any."""
        return ("tools", "resources", "prompts") if self._catalog.offers("prompts") else ("tools", "resources")

    # Replacement of the tools (reload)

    def renew(self, catalog: Catalog) -> bytes:
        """Replace the tools by those of `catalog`, from the next message on.

        Return the lines that notify the client of changed lists.
        """
        watched = self.watched
        former = self._features() if watched else None
        before, self._catalog, self._beside = self._catalog, catalog, None
        told = self._subscriptions.changed(catalog.changed(before)) if self._subscriptions is not None else b""
        if former is not None:
            from ..watching import watching  # takes no time: already imported when the client began to watch a resource

            told += b"".join(map(self.updated, watching.changed(former, self._features(), watched)))
        level = self.notifications.level if self.notifications else None
        if level is None or not catalog.offers("logging") or level > LOG_LEVELS.index("notice"):
            return told
        tools = len(catalog.names())
        said = f"The server was generated again: version {catalog.version}, {tools} tool{'s' * (tools != 1)}."
        return told + self._logged("notice", said)

    # Watched resources

    @property
    def watched(self) -> list[str]:
        """Return the URIs of the resources whose changes this client wants to hear of."""
        subscribed = self.notifications.uris if self.notifications is not None else ()
        return sorted({*subscribed, *(self._subscriptions.watched if self._subscriptions is not None else ())})

    def polled(self) -> dict[str, Fetch]:
        """Return URI -> the request that fetches the resource, for each polled resource that the client watches."""
        if not (watched := self.watched):
            return {}
        from ..watching import watching  # takes no time: already imported when the client began to watch a resource

        return watching.polled(self._features(), watched, self._agreed or STATELESS_REVISIONS[0])

    def updated(self, uri: str) -> bytes:
        """Return the notifications that the resource at this URI has changed."""
        told = self._subscriptions.updated(uri) if self._subscriptions is not None else b""
        if self.notifications is not None and uri in self.notifications.uris:
            from ..watching.subscriptions import updated_params  # imported here: few clients watch resources

            told += notification("notifications/resources/updated", updated_params(uri))
        return told

    # Questions to the user (elicitation)

    def ask(self, key: int, question: Asked) -> bytes | None:
        """Return the line that asks the user to confirm a call, to open a URL, or to fill in a form; or None.

        None means: the call has ended, the revision has no such request, or too many questions are open.
        """
        call = self._in_flight.calls.get(key)
        if call is None or not has(call.revision, "elicitation") or call.revision in STATELESS_REVISIONS:
            return None
        return self._questions.ask(key, elicitation_params(question, call.revision))

    def withdraw(self, key: int) -> bytes | None:
        """Return the line that cancels a call's open question to the user, or None if the call has no open question."""
        return self._questions.withdraw(key) or None

    def closed(self) -> list[Effect]:
        """Return the actions to perform at the end of the client's input: for each open question to the user, a
        `UserAnswer` that tells the waiting call that no answer will come.
        """
        return [UserAnswer(key, None) for key in self._questions.close()]

    # Outcomes of calls

    def finished(self, key: int, outcome: Outcome) -> bytes | None:
        """Return the line that answers a call, or None if the call was cancelled or its batch is incomplete."""
        call = self._in_flight.finish(key)
        if call is None:
            return None
        if call.effect is not None and call.effect.kind != "tool" and isinstance(outcome, Result):
            outcome = Failure(str(outcome))  # for all but tools/call, errors are JSON-RPC errors
        line = self._written(call.id, outcome, call.revision)
        if call.batch is None:
            return line
        self._in_flight.hold(call.batch, call.id, line)
        return self._in_flight.settle(call.batch) or None

    def _written(self, id: Id, outcome: Outcome, revision: str) -> bytes:  # noqa: A002
        if isinstance(outcome, Result):
            return result_line(id, outcome, revision, self._catalog.server)
        from .encode_response import written  # imported late: most outcomes are results of tools

        return written(id, outcome, revision, self._catalog.server)

    def progress(self, key: int, done: float, total: float | None, message: str) -> bytes | None:
        """Return a progress notification of a call, or None if the client wants none or `done` has not grown."""
        call = self._in_flight.calls.get(key)
        if call is None or call.token is None or done <= call.last_progress:
            return None
        call.last_progress = done
        params = progress_params(call.token, done, total, message, call.revision)
        return notification("notifications/progress", params)

    def log(self, key: int, level: str, content: object) -> bytes | None:
        """Return a log notification about a call, or None if the call has ended.

        `CallLog`, not this method, leaves out log messages below the level that the client wants.
        """
        return self._logged(level, content) if key in self._in_flight.calls else None

    def _logged(self, level: str, content: object) -> bytes:
        return notification("notifications/message", log_params(level, self._catalog.name, content))

    def running(self, key: int) -> Call | None:
        """Return the `Call` that `receive` returned for the running call with this key, or None if there is no such
        call.
        """
        call = self._in_flight.calls.get(key)
        return None if call is None else call.effect

    def cut(self, outcome: Callable[[Call | None], Result]) -> list[bytes]:
        """Return an answer line for every running call, because the process ends.

        `outcome(call)` makes the result of one of these calls.
        """
        running = [(key, call.effect) for key, call in self._in_flight.calls.items()]
        return [line for key, effect in running if (line := self.finished(key, outcome(effect)))]


def _sent(line: bytes) -> list[Effect]:
    return [Send(line)] if line else []
