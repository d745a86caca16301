"""Your own code around the calls of this server. This file is yours: mcpgen writes it once and never changes it.

Each hook is a function whose name says when it runs. In a name, replace TOOL by the name of a tool, with `_` in place
of `-`. A hook may be `def` or `async def`.

    before_all(tool, arguments)     before every call; return changed arguments, or None to keep them
    before_TOOL(arguments)          the same for one tool
    request_TOOL(request)           before the request is sent; return a changed request, or None to keep it
    request_all(tool, request)      the same for every request, after request_TOOL
    instead_of_TOOL(arguments)      in place of the request; return a text, a JSON value, or a Result
    after_TOOL(result)              after the call, even a failed call; return another Result, or None to keep it
    after_all(tool, result)         the same after every call

Any hook may raise Refuse("a sentence for the model"). If a hook raises another exception, the call fails, and the log
says where. Arguments that a `before_` hook returns are checked like those of the model; an `instead_of_` hook gets
checked arguments. A request has no credentials yet: they are added after the hooks, so no hook can see or replace them.

With `from .runtime.hooks import context`, an `async def` hook before the request can ask the user:
`await context.ask("Which street?", {"street": "string"})`. All hooks of the call may run again with the answer, so ask
before you change anything.

Any hook can report how far it is, `context.progress(3, 10, "reading stores")`, and write to the log of this server and
of the client, `context.log("notice", "Stock is old.", {"hours": 7})`. Neither is awaited.

Hooks share the seconds that their call may take. A `def` hook runs in a thread of its own. So it may block, and several
calls may run it at once. An `async def` hook runs in the event loop, and must not block. For example:

    import os
    from .runtime.hooks import Arguments, Refuse, Request, Result

    def before_all(tool: str, arguments: Arguments) -> Arguments | None:
        if os.environ.get("MAINTENANCE"):
            raise Refuse("The API is down for maintenance until 18:00. Try again then.")
        return None

    def request_all(tool: str, request: Request) -> Request:
        return request.with_header("X-Tool", tool)

    async def after_get_pet(result: Result) -> Result | None:
        return None if result.is_error else Result.text(f"Answer in one sentence: {result}")

The log at the start of the server, --list and --doctor report mistakes in this file, such as a hook for a tool that
does not exist, or a hook with wrong parameters.
"""
