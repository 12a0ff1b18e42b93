import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { guardedFetch, identityProviders } from '@countersign/node'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import Provider from 'oidc-provider'
import { authority, httpsEndpoint } from './egress/endpoint.ts'

const redirectUri = 'https://portal.example.com/sign-in'
const clientId = 'countersign'
const clientSecret = 'a secret of the client'
const loopback = {
  ca: authority.cert,
  allowedSubnets: ['127.0.0.0/8', '::1/128'],
  resolve: async () => ['127.0.0.1'],
}
const texts = new Map([['acme.example', [['countersign=', 'ten_1'], ['v=spf1 -all']]]])
const providers = identityProviders({
  ...loopback,
  resolveTexts: async (domain) => {
    const found = texts.get(domain)
    if (found) return found
    throw Object.assign(new Error('no records'), {
      code: domain === 'broken' ? 'ESERVFAIL' : 'ENODATA',
    })
  },
})
const fetch = guardedFetch(loopback)

function secretsOf() {
  const fresh = () => randomBytes(32).toString('base64url')
  return { state: fresh(), nonce: fresh(), codeVerifier: fresh() }
}
type Secrets = ReturnType<typeof secretsOf>

/** An https server whose handler is known once its address is. */
async function served(t: TestContext, make: (issuer: string) => RequestListener) {
  let handler: RequestListener = (_, response) => void response.writeHead(503).end()
  const { port } = await httpsEndpoint(t, (request, response) => handler(request, response))
  const issuer = `https://localhost:${port}`
  handler = make(issuer)
  return { issuer, clientId, clientSecret }
}

interface Person {
  readonly sub: string
  readonly [claim: string]: unknown
}

/** A certified provider that signs a person in without asking them. */
function certified(t: TestContext, person: Person, inIdToken = true) {
  return served(t, (issuer) => {
    const provider = new Provider(issuer, {
      clients: [
        { client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] },
        { client_id: 'another', client_secret: clientSecret, redirect_uris: [redirectUri] },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      conformIdTokenClaims: !inIdToken,
      cookies: { keys: ['of the tests'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: async () => ({ accountId: person.sub, claims: async () => person }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: person.sub,
        })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
    })
    const handle = provider.callback()
    return (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void handle(request, response)
      void provider.interactionFinished(request, response, { login: { accountId: person.sub } })
    }
  })
}

/** Goes where the provider sends a browser, until it is sent back to the service; answers the query there. */
async function browse(url: string): Promise<string> {
  const cookies = new Map<string, string>()
  let at = url
  for (let hop = 0; hop < 6; hop++) {
    const cookie = Array.from(cookies, (pair) => pair.join('=')).join('; ')
    const answer = await fetch(at, { method: 'GET', headers: cookie === '' ? {} : { cookie } })
    for (const each of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = each.split(';', 1)[0]?.split(/=(.*)/s) ?? []
      cookies.set(name, value)
    }
    at = new URL(answer.headers.get('location') ?? assert.fail(await answer.text()), at).href
    if (at.startsWith(redirectUri)) return new URL(at).search
  }
  return assert.fail('expected to come back')
}

async function begun(client: Awaited<ReturnType<typeof served>>, secrets: Secrets) {
  const loginHint = 'ada@acme.example'
  const begun = await providers.begin({ client, redirectUri, secrets, loginHint })
  return begun.ok ? begun.url : assert.fail(begun.detail)
}

const ada = { sub: 'ada-1', email: 'ada@acme.example', email_verified: true, name: 'Ada' }
const identity = { subject: 'ada-1', email: ada.email, emailVerified: true, name: 'Ada' }

describe('identity providers', () => {
  for (const inIdToken of [true, false])
    it(`tell who signed in, by ${inIdToken ? 'the ID token' : 'the UserInfo endpoint'}, once`, async (t) => {
      const client = await certified(t, ada, inIdToken)
      const secrets = secretsOf()
      const url = await begun(client, secrets)
      assert.match(url, /code_challenge_method=S256/)
      assert.ok(!url.includes(secrets.codeVerifier))
      const query = await browse(url)
      const asked = { client, redirectUri, secrets, query }
      assert.deepEqual(await providers.complete(asked), { ok: true, identity })
      const again = await providers.complete(asked)
      assert.equal(again.ok ? 'ok' : again.fault, 'refused', 'a code is good once')
    })

  it('refuse the answer of another browser, client, provider or address', async (t) => {
    const client = await certified(t, ada)
    const other = await certified(t, { ...ada, sub: 'mallory' })
    const secrets = secretsOf()
    const query = await browse(await begun(client, secrets))
    const asked = { client, redirectUri, secrets, query }
    const foreign = await browse(await begun(other, secrets))
    const fresh = secretsOf()
    const wrong = {
      state: { ...asked, secrets: { ...secrets, state: fresh.state } },
      verifier: { ...asked, secrets: { ...secrets, codeVerifier: fresh.codeVerifier } },
      'no state': { ...asked, query: query.replace(/&?state=[^&]*/, '') },
      // The same state: only the issuer tells the two answers apart (RFC 9207).
      'mixed-up provider': { ...asked, query: foreign },
      'no issuer': { ...asked, query: query.replace(/&?iss=[^&]*/, '') },
      'another client': { ...asked, client: { ...client, clientId: 'another' } },
      'a wrong secret': { ...asked, client: { ...client, clientSecret: 'wrong' } },
      'another address': { ...asked, redirectUri: 'https://portal.example.com/other' },
      'an error': {
        ...asked,
        query: `?error=access_denied&state=${secrets.state}&iss=${client.issuer}`,
      },
      nothing: { ...asked, query: '' },
    }
    for (const [name, given] of Object.entries(wrong)) {
      const told = await providers.complete(given)
      assert.equal(told.ok ? 'ok' : told.fault, 'refused', name)
    }
  })

  it('refuse ID tokens that are not to be believed, and take a key that was rolled over', async (t) => {
    const pair = await generateKeyPair('RS256')
    const [published, unpublished] = [pair, await generateKeyPair('RS256')]
    const rolled = await generateKeyPair('ES256')
    let keys = [{ ...(await exportJWK(published.publicKey)), kid: 'one', alg: 'RS256' }]
    let token = async (_: JWTPayload) => ''
    const client = await served(t, (issuer) => {
      const document = {
        ...{ issuer, authorization_endpoint: `${issuer}/authorize` },
        ...{ token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` },
        id_token_signing_alg_values_supported: ['RS256', 'ES256', 'none'],
      }
      const answers: Readonly<Record<string, () => Promise<object>>> = {
        '/.well-known/openid-configuration': async () => document,
        '/keys': async () => ({ keys }),
        '/token': async () => {
          const now = Math.floor(Date.now() / 1000)
          const claims = { iss: issuer, sub: 'ada-1', aud: clientId, iat: now, exp: now + 300 }
          const { name, email, email_verified } = ada
          const id_token = await token({
            ...claims,
            nonce: secrets.nonce,
            name,
            email,
            email_verified,
          })
          return { access_token: 'opaque', token_type: 'bearer', id_token }
        },
      }
      return json(answers)
    })
    const secrets = secretsOf()
    const query = `?code=once&state=${secrets.state}`
    const complete = () => providers.complete({ client, redirectUri, secrets, query })
    const signed =
      (key: typeof pair.privateKey, header = { alg: 'RS256', kid: 'one' }) =>
      (claims: JWTPayload) =>
        new SignJWT(claims).setProtectedHeader(header).sign(key)
    const changed = (change: JWTPayload) => (claims: JWTPayload) =>
      signed(published.privateKey)({ ...claims, ...change })
    token = signed(published.privateKey)
    assert.deepEqual(await complete(), { ok: true, identity })

    const hour = 3_600
    const past = Math.floor(Date.now() / 1000) - hour
    const wrong: Readonly<Record<string, typeof token>> = {
      'alg none': async (claims) => new UnsecuredJWT(claims).encode(),
      'a key that is not published': signed(unpublished.privateKey),
      'a secret as the key': async (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(clientSecret.padEnd(32))),
      'another issuer': changed({ iss: 'https://other.example' }),
      'another audience': changed({ aud: 'another' }),
      'several audiences': changed({ aud: [clientId, 'another'], azp: 'another' }),
      expired: changed({ exp: past }),
      'another nonce': changed({ nonce: 'other' }),
      'no nonce': ({ nonce: _, ...claims }) => signed(published.privateKey)(claims),
      'several audiences, of which none is said to be meant': changed({
        aud: [clientId, 'another'],
      }),
      'meant for another client': changed({ azp: 'another' }),
      'not valid yet': changed({ nbf: past + 2 * hour }),
      'no end': ({ exp: _, ...claims }) => signed(published.privateKey)(claims),
      'no time of issue': ({ iat: _, ...claims }) => signed(published.privateKey)(claims),
      'damaged claims': async (claims) => {
        const [header, , signature] = (await signed(published.privateKey)(claims)).split('.')
        const payload = Buffer.from(JSON.stringify({ ...claims, sub: 'mallory' }))
        return [header, payload.toString('base64url'), signature].join('.')
      },
      'a key that it brings itself': async (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({
            ...{ alg: 'RS256', kid: 'one' },
            jwk: await exportJWK(unpublished.publicKey),
          })
          .sign(unpublished.privateKey),
      'no subject': ({ sub: _, ...claims }) => signed(published.privateKey)(claims),
      'no ID token': async () => '',
    }
    for (const [name, made] of Object.entries(wrong)) {
      token = made
      const told = await complete()
      assert.equal(told.ok ? 'ok' : told.fault, 'refused', name)
    }
    token = changed({ email_verified: 'true' as unknown as boolean })
    const unverified = await complete()
    assert.equal(unverified.ok && unverified.identity.emailVerified, false)

    keys = [{ ...(await exportJWK(rolled.publicKey)), kid: 'two', alg: 'ES256' }]
    token = signed(rolled.privateKey, { alg: 'ES256', kid: 'two' })
    assert.deepEqual(await complete(), { ok: true, identity })
    token = signed(published.privateKey)
    const before = await complete()
    assert.equal(before.ok ? 'ok' : before.fault, 'refused', 'a key that was taken away')
  })

  it('refuse what the UserInfo endpoint says of somebody else', async (t) => {
    const pair = await generateKeyPair('RS256')
    const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256' }]
    const secrets = secretsOf()
    let told: Readonly<Record<string, unknown>> = ada
    const client = await served(t, (issuer) =>
      json({
        '/.well-known/openid-configuration': async () => ({
          ...{ issuer, authorization_endpoint: `${issuer}/authorize` },
          ...{ token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` },
          userinfo_endpoint: `${issuer}/userinfo`,
        }),
        '/keys': async () => ({ keys }),
        '/token': async () => {
          const now = Math.floor(Date.now() / 1000)
          const { nonce } = secrets
          const claims = { iss: issuer, sub: ada.sub, aud: clientId, iat: now, exp: now + 300 }
          const id_token = await new SignJWT({ ...claims, nonce })
            .setProtectedHeader({ alg: 'RS256', kid: 'one' })
            .sign(pair.privateKey)
          return { access_token: 'opaque', token_type: 'bearer', id_token }
        },
        '/userinfo': async () => told,
      }),
    )
    const query = `?code=once&state=${secrets.state}`
    const complete = () => providers.complete({ client, redirectUri, secrets, query })
    assert.deepEqual(await complete(), { ok: true, identity })
    const { sub: _, ...nobody } = ada
    for (const other of [{ ...ada, sub: 'mallory' }, nobody]) {
      told = other
      const answer = await complete()
      assert.equal(answer.ok ? 'ok' : answer.fault, 'refused')
    }
  })

  it('send no browser, secret or code to an address that is not https or not public', async (t) => {
    const asked = { redirectUri, secrets: secretsOf(), loginHint: 'ada@acme.example' }
    const called: string[] = []
    const within = await served(t, () => (request, response) => {
      called.push(request.url ?? '')
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    let more: Readonly<Record<string, string>> = {}
    const client = await served(t, (issuer) =>
      json({
        '/.well-known/openid-configuration': async () => ({
          ...{ issuer, authorization_endpoint: `${issuer}/authorize` },
          ...{ token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys`, ...more },
        }),
      }),
    )
    const { port } = new URL(client.issuer)
    more = { authorization_endpoint: `http://localhost:${port}/authorize` }
    const begun = await providers.begin({ ...asked, client })
    assert.equal(begun.ok ? 'ok' : begun.fault, 'refused', 'where the browser would go')
    // Only the issuer's own host is public to this one.
    const guarded = identityProviders({
      ca: authority.cert,
      allowedSubnets: ['127.0.0.1/32'],
      resolve: async (host) => [host === 'within.example' ? '127.0.0.2' : '127.0.0.1'],
    })
    const query = `?code=once&state=${asked.secrets.state}`
    for (const endpoint of [
      `https://within.example:${new URL(within.issuer).port}/token`,
      `http://localhost:${port}/token`,
    ]) {
      more = { token_endpoint: endpoint }
      const told = await guarded.complete({ ...asked, client, query })
      assert.equal(told.ok, false, endpoint)
    }
    assert.deepEqual(called, [])
  })

  it('are reached by the rules of egress, and are who they say', async (t) => {
    const client = await certified(t, ada)
    const asked = { redirectUri, secrets: secretsOf(), loginHint: 'ada@acme.example' }
    const faultOf = async (issuer: string, by = providers) => {
      const told = await by.begin({ ...asked, client: { ...client, issuer } })
      return told.ok ? 'ok' : told.fault
    }
    const guarded = identityProviders({ ca: authority.cert, resolve: loopback.resolve })
    assert.equal(await faultOf(client.issuer, guarded), 'unreachable', 'no public address')
    assert.equal(await faultOf(client.issuer.replace('https:', 'http:')), 'refused', 'http')
    const liar = await served(t, () =>
      json({ '/.well-known/openid-configuration': async () => ({ issuer: client.issuer }) }),
    )
    assert.equal(await faultOf(liar.issuer), 'refused', 'the documents of another issuer')
    const large = await served(t, () => (_, response) => void response.end('x'.repeat(300_000)))
    assert.equal(await faultOf(large.issuer), 'unreachable', 'a large answer')
    const elsewhere = await served(t, () => (_, response) => {
      response
        .writeHead(302, { location: `${client.issuer}/.well-known/openid-configuration` })
        .end()
    })
    assert.equal(await faultOf(elsewhere.issuer), 'refused', 'a redirect')
  })

  it('tell the texts of a domain', async () => {
    assert.deepEqual(await providers.texts('acme.example'), ['countersign=ten_1', 'v=spf1 -all'])
    assert.deepEqual(await providers.texts('other.example'), [])
    await assert.rejects(providers.texts('broken'))
  })
})

function json(answers: Readonly<Record<string, () => Promise<object>>>): RequestListener {
  return async (request: IncomingMessage, response: ServerResponse) => {
    for await (const _ of request) {
      // Read to its end.
    }
    const answer = answers[request.url ?? '']
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(answer && JSON.stringify(await answer()))
  }
}
