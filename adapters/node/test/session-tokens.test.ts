import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { sessionTokens } from '@countersign/node'
import fc from 'fast-check'

const secret = new Uint8Array(32).fill(7)
const issuer = 'https://portal.example'
const tokens = sessionTokens({ secret, issuer })
const issuedAt = 1_800_000_000
const claims = {
  memberId: 'mem_1',
  tenantId: 'ten_1',
  sessionVersion: 3,
  tokenId: 'abc',
  issuedAt,
  expiresAt: issuedAt + 86_400,
}
const now = issuedAt * 1000 + 5
const payload = {
  iss: issuer,
  aud: issuer,
  sub: 'mem_1',
  tid: 'ten_1',
  jti: 'abc',
  sv: 3,
  iat: issuedAt,
  exp: issuedAt + 86_400,
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token of any header and payload, with a good HMAC. */
function forge(header: object, body: object, key: Uint8Array = secret, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(body)}`
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`
}

describe('session tokens', () => {
  it('carry the claims of the decisions, and verify', async () => {
    const token = await tokens.issue(claims)
    const [header = '', body = ''] = token.split('.')
    assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), {
      alg: 'HS256',
      typ: 'JWT',
    })
    assert.deepEqual(JSON.parse(Buffer.from(body, 'base64url').toString()), payload)
    assert.deepEqual(await tokens.verify(token, now), claims)
    for (const means of [{ authenticatorId: 'aut_1' }, { providerAt: issuedAt - 60 }]) {
      const other = await tokens.issue({ ...claims, ...means })
      assert.deepEqual(await tokens.verify(other, now), { ...claims, ...means })
    }
    assert.deepEqual(await tokens.verify(forge({ alg: 'HS256', typ: 'JWT' }, payload), now), claims)
  })

  it('of a device have a type and an audience of their own, and pass for no session', async () => {
    const device = { deviceId: 'dev', subject: 'sub', issuedAt, expiresAt: issuedAt + 60 }
    const token = await tokens.issueDevice(device)
    assert.deepEqual(await tokens.verifyDevice(token, now), device)
    assert.equal(await tokens.verifyDevice(token, device.expiresAt * 1000), null)
    assert.equal(await tokens.verify(token, now), null)
    assert.equal(await tokens.verifyDevice(await tokens.issue(claims), now), null)
    // Either of the two keeps the kinds apart.
    const typed = { alg: 'HS256', typ: 'device+jwt' }
    assert.equal(await tokens.verifyDevice(forge(typed, payload), now), null)
    assert.equal(await tokens.verify(forge(typed, payload), now), null)
    const aimed = { ...payload, aud: `${issuer}#device` }
    assert.equal(await tokens.verifyDevice(forge({ alg: 'HS256', typ: 'JWT' }, aimed), now), null)
    assert.equal(await tokens.verify(forge({ alg: 'HS256', typ: 'JWT' }, aimed), now), null)
    const other = sessionTokens({ secret: new Uint8Array(32).fill(8), issuer })
    assert.equal(await other.verifyDevice(token, now), null)
  })

  it('end with the last second', async () => {
    const token = await tokens.issue(claims)
    const end = claims.expiresAt * 1000
    assert.deepEqual(await tokens.verify(token, end - 1), claims)
    assert.equal(await tokens.verify(token, end), null)
    assert.equal(await tokens.verify(token, end + 1000), null)
  })

  it('that choose how they are verified are none', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const unsigned = `${encode({ alg: 'none', typ: 'JWT' })}.${encode(payload)}.`
    const rsa = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(payload)}`
    const pem = publicKey.export({ type: 'spki', format: 'pem' })
    const wrong = [
      unsigned,
      `${unsigned}x`,
      `${rsa}.${sign('sha256', Buffer.from(rsa), privateKey).toString('base64url')}`,
      forge({ alg: 'HS256', typ: 'JWT' }, payload, Buffer.from(pem)),
      forge({ alg: 'HS512', typ: 'JWT' }, payload, secret, 'sha512'),
      forge({ alg: 'HS384', typ: 'JWT' }, payload, secret, 'sha384'),
      forge({ alg: 'HS256', typ: 'JWT', kid: '../../../dev/null' }, payload, new Uint8Array(32)),
      forge(
        {
          alg: 'HS256',
          typ: 'JWT',
          jwk: { kty: 'oct', k: Buffer.alloc(32, 9).toString('base64url') },
        },
        payload,
        new Uint8Array(32).fill(9),
      ),
      forge({ alg: 'HS256', typ: 'JWT', crit: ['x'], x: 1 }, payload),
      forge({ alg: 'HS256', typ: 'at+jwt' }, payload),
      forge({ alg: 'HS256' }, payload),
    ]
    for (const token of wrong) assert.equal(await tokens.verify(token, now), null, token)
  })

  it('of another secret, issuer or audience are none', async () => {
    const other = [
      sessionTokens({ secret: new Uint8Array(32).fill(8), issuer }),
      sessionTokens({ secret, issuer: 'https://other.example' }),
      sessionTokens({ secret, issuer, audience: 'https://other.example' }),
    ]
    for (const issuing of other)
      assert.equal(await tokens.verify(await issuing.issue(claims), now), null)
  })

  it('that lack a claim or have it of another type are none', async () => {
    const header = { alg: 'HS256', typ: 'JWT' }
    for (const name of Object.keys(payload)) {
      for (const value of [undefined, null, {}, [], true, 1.5])
        assert.equal(
          await tokens.verify(forge(header, { ...payload, [name]: value }), now),
          null,
          `${name}: ${JSON.stringify(value)}`,
        )
    }
    for (const changed of [{ sv: '3' }, { sub: 3 }, { exp: `${payload.exp}` }])
      assert.equal(await tokens.verify(forge(header, { ...payload, ...changed }), now), null)
  })

  it('changed anywhere are none, and no text makes verify throw', async () => {
    const token = await tokens.issue(claims)
    const change = fc.record({ at: fc.nat(token.length - 1), to: fc.constantFrom(...'aZ9-_.= é') })
    await fc.assert(
      fc.asyncProperty(change, async ({ at, to }) => {
        fc.pre(token[at] !== to)
        const changed = token.slice(0, at) + to + token.slice(at + 1)
        // The last character of the HMAC has four bits that base64url ignores.
        fc.pre(at !== token.length - 1)
        assert.equal(await tokens.verify(changed, now), null)
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        assert.equal(await tokens.verify(text, now), null)
      }),
    )
  })

  it('need a secret of 32 bytes', () => {
    assert.throws(() => sessionTokens({ secret: new Uint8Array(31), issuer }), /at least 32 bytes/)
  })
})
