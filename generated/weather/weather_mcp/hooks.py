"""Your own code around the calls of this server. This file is yours: it is written once and never touched again.

A function is found by its name; a tool's name goes into it with `_` for `-`. Each may be `def` or `async def`.

    before_all(tool, arguments)     before every call; return changed arguments, or None to leave them
    before_TOOL(arguments)          the same for one tool
    instead_of_TOOL(arguments)      in place of the request; return text, anything JSON can hold, or a Result
    after_TOOL(result)              after the call, also a failed one; return another Result, or None to leave it
    after_all(tool, result)         the same after every call

What `before_` returns is checked like what the model sent; `instead_of_` is given checked arguments. A plain function
holds up all other calls while it runs, so what waits should be `async`. Where a hook raises, the call fails and the log
says why. For example:

    from .runtime.shapes import Result

    def before_list_pets(arguments):
        return {"limit": 10, **arguments}

    async def after_get_pet(result):
        if result.is_error:
            return Result.text("No such pet is known.")
"""
