"""Your own code around the calls of this server. This file is yours: it is written once and never touched again.

A function is found by its name; a tool's name goes into it with `_` for `-`. Each may be `def` or `async def`.

    before_all(tool, arguments)     before every call; return changed arguments, or None to leave them
    before_TOOL(arguments)          the same for one tool
    request_TOOL(request)           before the request is sent; return a changed one, or None to leave it
    request_all(tool, request)      the same for every request, last
    instead_of_TOOL(arguments)      in place of the request; return text, anything JSON can hold, or a Result
    after_TOOL(result)              after the call, also a failed one; return another Result, or None to leave it
    after_all(tool, result)         the same after every call

Any of them may raise Refuse("a sentence for the model"). Where one raises anything else, the call fails and the log
says where. What `before_` returns is checked like what the model sent; `instead_of_` is given checked arguments. A
request has no credentials yet: they go on after its hooks, where no hook sees or displaces them.

Hooks share the seconds that their call may take. A plain function runs in a thread of its own, so it may wait, and
several calls may be in it at once; `async def` runs in the event loop, and must not block. For example:

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

What is wrong in here (a hook for a tool that does not exist, or one with other parameters) is said in the log when the
server starts, and by --list and --doctor.
"""
