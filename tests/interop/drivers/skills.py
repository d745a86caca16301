"""List and read the skills of a server with FastMCP's client, which compares each file with its digest.

Arguments of the script: the Python of the server, the folder of its project and the name of its package. stdout gets
skill → path → text, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys


async def main(command: str, project: str, package: str) -> None:
    from fastmcp import Client  # type: ignore[import-not-found]
    from fastmcp.client.transports import StdioTransport  # type: ignore[import-not-found]
    from fastmcp.skills.client import SkillsClientExtension  # type: ignore[import-not-found]

    found = {}
    transport = StdioTransport(command, ["-m", package], cwd=project)
    async with Client(transport, extensions=[SkillsClientExtension()]) as client:
        for entry in await client.list_skills():
            assert entry == await client.get_skill(entry.uri)
            skill = await client.read_skill(entry.uri)
            found[skill.name] = {path: data.decode() for path, data in skill.files.items()}
        assert {each.name for each in await client.list_skill_resources()} == found.keys()
    print(json.dumps(found))


asyncio.run(main(*sys.argv[1:]))
