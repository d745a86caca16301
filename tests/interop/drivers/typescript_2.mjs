// Drives the client of the official TypeScript SDK 2.x. Its modes are `auto`, `legacy` and a revision, which is pinned.

import { Client, ProtocolError as Refused, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { drive, ProtocolError } from './session.mjs';

await drive(async ({ server, mode, asks, steps }) => {
    const negotiation = mode === 'auto' || mode === 'legacy' ? mode : { pin: mode };
    const capabilities = asks ? { elicitation: {} } : {};
    let hear;
    const changed = new Promise((resolve) => (hear = resolve));
    const listens = JSON.stringify(steps).includes('"do":"change"');
    const onChanged = (problem) => (problem ? complaints.push(String(problem)) : hear());
    const listChanged = listens ? { tools: { onChanged } } : undefined; // in the stateless era it opens a stream for this
    const options = { capabilities, listChanged, versionNegotiation: { mode: negotiation } };
    const client = new Client({ name: 'interop', version: '1' }, options);
    const answer = {};
    if (asks) client.setRequestHandler('elicitation/create', () => ({ ...answer }));
    const complaints = [];
    const logged = [];
    const [level] = steps.flatMap((step) => step.log ?? []);
    const meta = level && mode !== 'legacy' ? { 'io.modelcontextprotocol/logLevel': level } : undefined; // of each request
    client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params));
    client.onerror = (problem) => complaints.push(String(problem));
    await client.connect(server.url ? new StreamableHTTPClientTransport(new URL(server.url)) : new StdioClientTransport(server));
    return {
        complaints,
        answer,
        changed,
        logged,
        hearLog: async (level) => mode === 'legacy' && client.setLoggingLevel(level),
        tools: async () => (await client.listTools()).tools,
        call: (name, args, onprogress, signal, more) =>
            translated(client.callTool({ name, arguments: args, _meta: meta }, { onprogress, signal, ...more })),
        byHand: (params) => translated(client.callTool(params, { allowInputRequired: true })),
        ask: (name, params) => translated(client[name](params)),
        close: () => client.close(),
    };
});

async function translated(answer) {
    try {
        return await answer;
    } catch (problem) {
        throw problem instanceof Refused ? new ProtocolError(problem.code, problem.message) : problem;
    }
}
