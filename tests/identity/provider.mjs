// An authorization server: oidc-provider with the forms of its development interactions, configured by one JSON
// argument (`provider.py` says what is in it). Prints a JSON line when it listens, and one for each request that it
// has answered. Ends when its standard input ends.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider, errors } from 'oidc-provider';
import { giveAssertions, takeAssertions } from './assertions.mjs';

const told = JSON.parse(process.argv[2]);
const tell = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

const jwk = (alg, kind, options) => ({
  ...generateKeyPairSync(kind, options).privateKey.export({ format: 'jwk' }),
  alg,
  use: 'sig',
  kid: `${alg}-${randomBytes(4).toString('hex')}`,
});

const resourceOf = (name) => told.resources[name] ?? told.resources['*'];

const configuration = {
  clients: told.clients,
  jwks: {
    keys: [
      jwk('RS256', 'rsa', { modulusLength: 2048 }),
      jwk('ES256', 'ec', { namedCurve: 'P-256' }),
      jwk('EdDSA', 'ed25519', {}),
    ],
  },
  cookies: { keys: [randomBytes(16).toString('hex')] },
  scopes: ['openid', 'offline_access', ...told.scopes],
  claims: { openid: ['sub', ...Object.values(told.claims).flatMap(Object.keys)] },
  clientDefaults: { token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...told.claims[id] }) }),
  extraTokenClaims: (_, token) => told.claims[token.accountId],
  issueRefreshToken: (_, client) => told.refresh && client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: told.rotate,
  // oidc-provider's own way to fetch refuses addresses of loopback, at which tests publish documents
  fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined }),
  ttl: {
    AccessToken: told.seconds,
    ClientCredentials: told.seconds,
    RefreshToken: told.refresh_seconds,
    DeviceCode: 600,
    Grant: 3600,
    IdToken: 3600,
    Interaction: 3600,
    Session: 3600,
  },
  features: {
    clientCredentials: { enabled: true },
    ...(told.documents ? { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } } : {}),
    deviceFlow: { enabled: true },
    devInteractions: { enabled: true },
    introspection: { enabled: true },
    registration: { enabled: told.registration },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => told.default_resource ?? undefined,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, name) => {
        const found = resourceOf(name);
        if (found === undefined) throw new errors.InvalidTarget();
        const format = found.format ?? 'jwt';
        return {
          scope: found.scope ?? told.scopes.join(' '),
          audience: found.audience ?? name,
          accessTokenFormat: format,
          accessTokenTTL: told.seconds,
          ...(format === 'jwt' ? { jwt: { sign: { alg: found.alg ?? 'ES256' } } } : {}),
        };
      },
    },
  },
};

const server = createServer();
server.listen(told.port, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, configuration);
  const signs = configuration.jwks.keys.find((each) => each.alg === 'ES256');
  const { resourceIndicators } = configuration.features;
  if (told.assertions_for.length) giveAssertions(provider, told.assertions_for, signs);
  if (told.assertions_of.length) takeAssertions(provider, told.assertions_of, resourceIndicators);
  provider.use(async (ctx, next) => {
    await next();
    const { params, client } = ctx.oidc ?? {};
    tell({
      method: ctx.method,
      path: ctx.path,
      status: ctx.status,
      client: client?.clientId ?? null,
      grant: params?.grant_type ?? null,
      resource: params?.resource ?? null,
      scope: params?.scope ?? null,
      error: ctx.body?.error ?? null,
    });
  });
  server.on('request', provider.callback());
  tell({ issuer });
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
