// What every driver in JavaScript does; the same jobs and reports as session.py. No dependencies.

import { text } from 'node:stream/consumers';

/** Method → the function that official clients have for it. */
const FUNCTIONS = {
    'resources/list': 'listResources',
    'resources/templates/list': 'listResourceTemplates',
    'resources/read': 'readResource',
    'prompts/list': 'listPrompts',
    'prompts/get': 'getPrompt',
    'completion/complete': 'complete',
};

/** The client says that the server answered with an error. */
export class ProtocolError extends Error {
    constructor(code, message) {
        super(message);
        this.code = code;
    }
}

/**
 * Carry out the job on stdin with the client that `connect(job)` makes, and print the report. A client has tools(),
 * call(tool, arguments, progress or undefined, signal or undefined, further options or undefined), byHand(params) for a call whose question is not
 * answered by the client itself, ask(name of its function, params), begin(tool, arguments), look(task) and cancel(task) for tasks, close(), complaints, which grow while it works, answer, whose action the user takes, and
 * changed, a promise that is kept once the client has heard that the list of tools changed.
 */
export async function drive(connect) {
    const job = JSON.parse(await text(process.stdin));
    const client = await connect(job);
    const steps = [];
    for (const step of job.steps) {
        const begun = steps.findLast((each) => each.task?.taskId)?.task.taskId;
        steps.push(await outcome(client, { ...step, task: step.task ?? begun }));
    }
    await client.close();
    console.log(JSON.stringify({ steps, complaints: client.complaints }));
}

async function outcome(client, step) {
    try {
        if (step.do === 'list') return { tools: await client.tools() };
        if (step.do === 'call') return await called(client, step);
        if (step.do === 'begin') return { task: await client.begin(step.tool, step.arguments) };
        if (['look', 'cancel', 'finish'].includes(step.do)) return { task: await ofTask(client, step.do, step.task) };
        if (step.do === 'abandon') return await abandoned(client, step);
        if (step.do === 'ask') return { answer: await client.ask(FUNCTIONS[step.method], step.params) };
        if (step.do === 'confirm') return await confirmed(client, step);
        if (step.do === 'many') return await many(client, step);
        if (step.do === 'change') return await afterChange(client, step);
        return { together: await Promise.all(step.steps.map((each) => outcome(client, each))) };
    } catch (problem) {
        if (!(problem instanceof ProtocolError)) return { failed: String(problem) };
        return { error: { code: problem.code, message: problem.message } };
    }
}

async function called(client, step) {
    const progress = [];
    Object.assign(client.answer, { action: step.answer, content: step.content ?? {} });
    const hear = step.progress ? (heard) => progress.push(heard) : undefined;
    const more = step.timeout ? { timeout: step.timeout, resetTimeoutOnProgress: true } : undefined;
    if (step.log) await client.hearLog(step.log);
    const result = await client.call(step.tool, step.arguments, hear, undefined, more);
    return { result, progress, ...(step.log ? { log: client.logged } : {}) };
}

async function many(client, step) {
    // Calls that end at once, each of which asks for progress, by several callers, until there are enough or time is up.
    const end = Date.now() + step.seconds * 1000;
    const failed = [];
    let made = 0, heard = 0;
    async function caller() {
        while (made < step.count && Date.now() < end) {
            made += 1;
            try {
                await client.call(step.tool, step.arguments, () => (heard += 1));
            } catch (problem) {
                failed.push(String(problem));
            }
        }
    }
    await Promise.all(Array.from({ length: step.callers }, caller));
    return { made, heard, failed };
}

async function ofTask(client, what, task) {
    if (what === 'cancel') {
        await client.cancel(task);
        return {};
    }
    let found = await client.look(task);
    while (what === 'finish' && found.status === 'working') found = await client.look(task);
    return found;
}

async function confirmed(client, step) {
    const asked = await client.byHand({ name: step.tool, arguments: step.arguments });
    const again = [];
    for (const each of step.again) {
        const { requestState: state } = asked;
        const last = state.at(-1) === '0' ? '1' : '0';
        const inputResponses = each.answer ? { confirm: { action: each.answer } } : undefined;
        const requestState = each.tamper ? state.slice(0, -1) + last : state;
        const call = { name: step.tool, arguments: each.arguments ?? step.arguments, inputResponses, requestState };
        try {
            again.push({ result: await client.byHand(call) });
        } catch (problem) {
            if (!(problem instanceof ProtocolError)) throw problem;
            again.push({ error: { code: problem.code, message: problem.message } });
        }
    }
    return { asked, again };
}

async function afterChange(client, step) {
    await happened(step.control, 'changed');
    await client.changed;
    const then = [];
    for (const each of step.then) then.push(await outcome(client, each));
    return { then };
}

async function abandoned(client, step) {
    // A call counts as begun once the API has it and the client has heard of progress.
    const controller = new AbortController();
    let hear;
    const heard = new Promise((resolve) => (hear = resolve));
    const call = client.call(step.tool, step.arguments, hear, controller.signal);
    const ended = call.then(() => 'answered', () => 'aborted');
    await happened(step.control, 'called');
    await heard;
    controller.abort();
    if ((await ended) !== 'aborted') throw new Error('the call was answered');
    await happened(step.control, 'closed');
    return { abandoned: true };
}

/** Come back once the upstream says that it has. */
async function happened(control, event) {
    const answer = await fetch(`${control}/${event}`);
    if (!answer.ok) throw new Error(`${event}: ${answer.status}`);
}
