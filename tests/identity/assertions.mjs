// The two grants of enterprise-managed authorization, for oidc-provider. An identity provider gives an identity
// assertion (ID-JAG) for an ID token, and an authorization server gives an access token for an assertion. Both verify the
// signature of what they get with the keys of its issuer.

import { randomUUID } from 'node:crypto';
import { SignJWT, createRemoteJWKSet, decodeJwt, importJWK, jwtVerify } from 'jose';
import { errors } from 'oidc-provider';

const GRANT = 'urn:ietf:params:oauth:grant-type';
const TOKEN = 'urn:ietf:params:oauth:token-type';
const SECONDS = 300;

// The claims of a token that one of these issuers has signed.
const verified = async (token, issuers, options) => {
  try {
    const issuer = issuers.find((each) => each === decodeJwt(token).iss);
    if (issuer === undefined) throw new Error('the token is of another issuer');
    const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri));
    return (await jwtVerify(token, keys, { issuer, ...options })).payload;
  } catch (problem) {
    throw new errors.InvalidGrant(problem.message);
  }
};

// Give assertions for ID tokens of these users, signed with the private JWK `key`.
export const giveAssertions = (provider, users, key) => {
  const exchange = async (ctx) => {
    const { client, params } = ctx.oidc;
    if (params.requested_token_type !== `${TOKEN}:id-jag` || params.subject_token_type !== `${TOKEN}:id_token`) {
      throw new errors.InvalidRequest('only assertions for ID tokens are given');
    }
    const { sub } = await verified(params.subject_token, [provider.issuer], { audience: client.clientId });
    if (!users.includes(sub)) throw new errors.AccessDenied();
    const { audience, resource, scope } = params;
    const assertion = new SignJWT({ client_id: client.clientId, resource, scope })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'oauth-id-jag+jwt' })
      .setIssuer(provider.issuer)
      .setSubject(sub)
      .setAudience(audience)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime(`${SECONDS}s`);
    ctx.body = {
      access_token: await assertion.sign(await importJWK(key)),
      issued_token_type: `${TOKEN}:id-jag`,
      token_type: 'N_A',
      expires_in: SECONDS,
      scope,
    };
  };
  const parameters = ['audience', 'requested_token_type', 'resource', 'scope', 'subject_token', 'subject_token_type'];
  provider.registerGrantType(`${GRANT}:token-exchange`, exchange, parameters);
};

// Give access tokens for assertions of these identity providers, each assertion once.
export const takeAssertions = (provider, issuers, { getResourceServerInfo }) => {
  const used = new Set();
  const redeem = async (ctx) => {
    const { client, params } = ctx.oidc;
    const claims = await verified(params.assertion, issuers, {
      audience: provider.issuer,
      typ: 'oauth-id-jag+jwt',
      requiredClaims: ['sub', 'client_id', 'resource', 'jti', 'iat', 'exp'],
    });
    if (claims.client_id !== client.clientId) throw new errors.InvalidGrant('the assertion is of another client');
    if (used.has(claims.jti)) throw new errors.InvalidGrant('the assertion was used before');
    used.add(claims.jti);
    if ((params.resource ?? claims.resource) !== claims.resource) throw new errors.InvalidTarget();
    const info = await getResourceServerInfo(ctx, claims.resource);
    const grant = new provider.Grant({ accountId: claims.sub, clientId: client.clientId });
    grant.addResourceScope(claims.resource, claims.scope ?? '');
    const token = new provider.AccessToken({
      accountId: claims.sub,
      client,
      grantId: await grant.save(),
      gty: 'jwt_bearer',
      resourceServer: new provider.ResourceServer(claims.resource, info),
    });
    token.scope = grant.getResourceScopeFiltered(claims.resource, info.scope.split(' '));
    const access = await token.save();
    ctx.body = { access_token: access, token_type: 'Bearer', expires_in: token.expiration, scope: token.scope };
  };
  provider.registerGrantType(`${GRANT}:jwt-bearer`, redeem, ['assertion', 'resource', 'scope']);
};
