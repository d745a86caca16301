// Drives an official TypeScript client, 1.x or 2.x, from the URL of a server alone; the same jobs and reports as
// python.py. `major` in the job says which client is beside this script.

import { text } from 'node:stream/consumers';

const job = JSON.parse(await text(process.stdin));
const newer = job.major === 2;
const { Client } = newer
    ? await import('@modelcontextprotocol/client')
    : await import('@modelcontextprotocol/sdk/client/index.js');
const { CrossAppAccessProvider, StreamableHTTPClientTransport, UnauthorizedError, discoverAndRequestJwtAuthGrant } = newer
    ? await import('@modelcontextprotocol/client')
    : {
          ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
          ...(await import('@modelcontextprotocol/sdk/client/auth.js')),
      };

const kept = job.client ? { client: { client_id: job.client, issuer: job.issuer } } : {};
const scopes = [];
let back = '';
// Get an identity assertion at the identity provider of the company.
const assertion = async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
    const { idp, token, id, secret } = job.company;
    const clients = { clientId: id, clientSecret: secret };
    const asked = { audience: authorizationServerUrl, resource: resourceUrl, scope, ...clients };
    return (await discoverAndRequestJwtAuthGrant({ idpUrl: idp, idToken: token, fetchFn, ...asked })).jwtAuthGrant;
};
const authProvider = job.company ? new CrossAppAccessProvider({
    assertion,
    clientId: job.company.id,
    clientSecret: job.company.secret,
    expectedIssuer: job.issuer,
}) : {
    ...(job.document ? { clientMetadataUrl: job.document } : {}),
    redirectUrl: 'http://127.0.0.1:4444/callback',
    clientMetadata: {
        redirect_uris: ['http://127.0.0.1:4444/callback'],
        client_name: 'tests',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: job.refresh ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    saveDiscoveryState: (state) => void (kept.discovery = state),
    discoveryState: () => kept.discovery,
    redirectToAuthorization: async (url) => {
        scopes.push(url.searchParams.get('scope') ?? '');
        const opened = await fetch(job.browser, { method: 'POST', body: url.href });
        if (!opened.ok) throw new Error(await opened.text());
        back = await opened.text();
    },
};

const options = newer && job.mode ? { versionNegotiation: { mode: job.mode } } : undefined;
let client;
let transport;
const logsIn = async (act) => {
    try {
        return await act();
    } catch (problem) {
        if (!(problem instanceof UnauthorizedError) && problem?.cause instanceof UnauthorizedError === false) throw problem;
        const told = new URL(back).searchParams;
        await transport.finishAuth(newer ? told : told.get('code'));
        return await act();
    }
};

await logsIn(async () => {
    client = new Client({ name: 'tests', version: '1' }, options);
    transport = new StreamableHTTPClientTransport(new URL(job.url), { authProvider });
    await client.connect(transport);
});
const listed = (await client.listTools()).tools.map((each) => each.name);
const results = [];
for (const [name, args] of job.calls) {
    const result = await logsIn(() => client.callTool({ name, arguments: args }));
    results.push(result.content[0].text);
}
await client.close();
console.log(JSON.stringify({ listed, results, scopes, granted: (await authProvider.tokens()).scope }));
