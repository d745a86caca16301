// Drives the client of the official TypeScript SDK 2.x. Its modes are `auto`, `legacy` and a revision, which is pinned.

import { Client, ProtocolError as Refused } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { drive, ProtocolError } from './session.mjs';

await drive(async ({ server, mode }) => {
    const negotiation = mode === 'auto' || mode === 'legacy' ? mode : { pin: mode };
    const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: negotiation } });
    const complaints = [];
    client.onerror = (problem) => complaints.push(String(problem));
    await client.connect(new StdioClientTransport(server));
    return {
        complaints,
        tools: async () => (await client.listTools()).tools,
        call: async (name, args, onprogress, signal) => {
            try {
                return await client.callTool({ name, arguments: args }, { onprogress, signal });
            } catch (problem) {
                throw problem instanceof Refused ? new ProtocolError(problem.code, problem.message) : problem;
            }
        },
        close: () => client.close(),
    };
});
