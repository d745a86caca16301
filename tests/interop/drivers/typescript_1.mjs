// Drives the client of the official TypeScript SDK 1.x, which knows one way to open a session: `initialize`.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema, LoggingMessageNotificationSchema, McpError, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { drive, ProtocolError } from './session.mjs';

await drive(async ({ server, asks }) => {
    const client = new Client({ name: 'interop', version: '1' }, { capabilities: asks ? { elicitation: {} } : {} });
    const answer = {};
    if (asks) client.setRequestHandler(ElicitRequestSchema, () => ({ ...answer }));
    const changed = new Promise((heard) => client.setNotificationHandler(ToolListChangedNotificationSchema, heard));
    const complaints = [];
    const logged = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params));
    client.onerror = (problem) => complaints.push(String(problem));
    await client.connect(server.url ? new StreamableHTTPClientTransport(new URL(server.url)) : new StdioClientTransport(server));
    return {
        complaints,
        answer,
        changed,
        logged,
        hearLog: (level) => client.setLoggingLevel(level),
        tools: async () => (await client.listTools()).tools,
        call: (name, args, onprogress, signal, more) =>
            translated(client.callTool({ name, arguments: args }, undefined, { onprogress, signal, ...more })),
        begin: async (name, args) => {
            const said = client.experimental.tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, { task: {} });
            const { value } = await said.next();
            await said.return();
            if (value.type === 'error') throw value.error instanceof McpError ? new ProtocolError(value.error.code, value.error.message) : value.error;
            return value.task ?? { answered: value };
        },
        look: async (task) => {
            const found = await translated(client.experimental.tasks.getTask(task));
            if (['working', 'cancelled'].includes(found.status)) return found;
            return { ...found, result: await translated(client.experimental.tasks.getTaskResult(task, CallToolResultSchema)) };
        },
        cancel: (task) => translated(client.experimental.tasks.cancelTask(task)),
        ask: (name, params) => translated(client[name](params)),
        close: () => client.close(),
    };
});

async function translated(answer) {
    try {
        return await answer;
    } catch (problem) {
        throw problem instanceof McpError ? new ProtocolError(problem.code, problem.message) : problem;
    }
}
