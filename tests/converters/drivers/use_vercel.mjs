// Drives the AI SDK of Vercel: `ai` with `@ai-sdk/mcp`, whole runs whose model is a mock that calls one tool.
// The same jobs and reports as job.py.

import { text } from 'node:stream/consumers';

import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { generateText } from 'ai';
import { MockLanguageModelV4 as Model } from 'ai/test';

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finishReason = { unified: 'tool-calls' };

async function used(job) {
    const client = await createMCPClient({ transport: new StdioTransport(job.server) });
    const offered = {};
    const call = { type: 'tool-call', toolCallId: '1', toolName: job.tool, input: JSON.stringify(job.arguments) };
    const doGenerate = async ({ tools }) => {
        for (const tool of tools) offered[tool.name] = Object.keys(tool.inputSchema.properties ?? {}).sort();
        return { content: [call], finishReason, usage, warnings: [] };
    };
    try {
        const tools = await client.tools();
        const { content } = await generateText({ model: new Model({ doGenerate }), tools, prompt: 'Call the tool.' });
        const { output, error } = content.find((part) => part.type === 'tool-result' || part.type === 'tool-error');
        return { tools: offered, answer: error ? String(error) : JSON.stringify(output) };
    } finally {
        await client.close();
    }
}

const reports = [];
for (const job of JSON.parse(await text(process.stdin))) {
    reports.push(await used(job).catch((problem) => ({ failed: String(problem) })));
}
console.log(JSON.stringify(reports));
