import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  authenticatorFlags,
  createSoftwareAuthenticator,
} from '@countersign/conformance/authenticator'
import type { NewCredential } from '@countersign/core/ports'
import { plainAuthenticators } from '@countersign/core/testing'
import { readAssertionKey, verifySignedBytes } from '@countersign/core/webauthn'
import { authenticators } from '@countersign/node'

const ceremony = {
  challenge: createHash('sha256').update('a challenge').digest('base64url'),
  rpId: 'portal.example',
  origin: 'https://portal.example',
}
const { challenge, rpId, origin } = ceremony
const expected = { challenge, rpId, origins: [origin], now: Date.UTC(2026, 10, 21) }
const { userPresent, userVerified, eligible } = authenticatorFlags
const flags = userPresent | userVerified
const made = (algorithm: 'EdDSA' | 'ES256' | 'RS256') =>
  createSoftwareAuthenticator({ algorithm, rpId, origin })
const numbers = { EdDSA: -8, ES256: -7, RS256: -257 } as const
const ports = { native: authenticators(), plain: plainAuthenticators() }

/** The registration with one byte of the attestation object changed. */
function damaged(credential: NewCredential, at: number): NewCredential {
  const bytes = Buffer.from(credential.response.attestationObject, 'base64url')
  bytes[at] = (bytes[at] ?? 0) ^ 0xff
  const response = { ...credential.response, attestationObject: bytes.toString('base64url') }
  return { ...credential, response }
}

describe('A registration of an authenticator', () => {
  for (const [name, port] of Object.entries(ports))
    for (const algorithm of ['EdDSA', 'ES256', 'RS256'] as const)
      it(`with ${algorithm} has the key that it signs with (${name})`, async () => {
        if (name === 'plain' && algorithm === 'RS256') return
        const authenticator = made(algorithm)
        const { id, response } = authenticator.register({
          challenge,
          signCount: 3,
          flags: flags | eligible,
        })
        const credential = { id, response }
        const { alg: _, ...publicKey } = authenticator.publicKey
        assert.deepEqual(await port.verifyRegistration({ credential, ...expected }), {
          credentialId: authenticator.credentialId,
          publicKey,
          algorithm: numbers[algorithm],
          aaguid: '00000000-0000-0000-0000-000000000000',
          attestedBy: null,
          backedUp: true,
          signCount: 3,
        })
      })

  for (const [name, port] of Object.entries(ports)) {
    const credential = made('EdDSA').register({ challenge })
    const other = {
      challenge: { challenge: 'AAAA' },
      rpId: { rpId: 'example' },
      origin: { origins: ['https://other.example'] },
    }
    for (const [what, change] of Object.entries(other))
      it(`for another ${what} is none (${name})`, async () => {
        const given = { credential, ...expected, ...change }
        assert.equal(await port.verifyRegistration(given), null)
      })
  }

  it('is none without the user, present and verified', async () => {
    for (const given of [userPresent, userVerified, 0]) {
      const credential = made('EdDSA').register({ challenge, flags: given })
      assert.equal(await ports.native.verifyRegistration({ credential, ...expected }), null)
    }
  })

  it('is none of an RSA key below 2048 bits', async () => {
    const short = createSoftwareAuthenticator({ algorithm: 'RS256', rpId, origin, rsaBits: 1_024 })
    const credential = short.register({ challenge })
    assert.equal(await ports.native.verifyRegistration({ credential, ...expected }), null)
  })

  it('is none under another id, damaged, or with a point off the curve', async () => {
    const credential = made('ES256').register({ challenge })
    const { length } = Buffer.from(credential.response.attestationObject, 'base64url')
    const verify = (each: NewCredential) =>
      ports.native.verifyRegistration({ credential: each, ...expected })
    assert.equal(await verify({ ...credential, id: 'AAAA' }), null)
    assert.equal(await verify(damaged(credential, length - 1)), null)
    assert.equal(await verify(damaged(credential, 5)), null)
    const response = { ...credential.response, attestationObject: '!' }
    assert.equal(await verify({ ...credential, response }), null)
  })
})

describe('A signature of an authenticator', () => {
  for (const algorithm of ['ES256', 'RS256'] as const)
    it(`by ${algorithm} verifies natively as by portable code, and damaged by neither`, async () => {
      const authenticator = made(algorithm)
      const { id, response } = authenticator.register({ challenge })
      const credential = { id, response }
      const registered = await ports.native.verifyRegistration({ credential, ...expected })
      assert.ok(registered && ports.native.verifySignature)
      const { publicKey } = registered
      const key = readAssertionKey(publicKey)
      assert.ok(key)
      const assertion = authenticator.assert({ challenge })
      const bytes = (text: string) => Buffer.from(text, 'base64url')
      const client = createHash('sha256').update(bytes(assertion.clientDataJSON)).digest()
      const signed = Buffer.concat([bytes(assertion.authenticatorData), client])
      const right = bytes(assertion.signature)
      const verdicts = (given: Uint8Array) => [
        ports.native.verifySignature?.({ publicKey, signed, signature: given }),
        verifySignedBytes({ key, signed, signature: given }),
      ]
      assert.deepEqual(verdicts(right), [true, true])
      for (const at of [0, 1, 4, right.length >> 1, right.length - 1]) {
        const wrong = Buffer.from(right)
        wrong[at] = (wrong[at] ?? 0) ^ 1
        assert.deepEqual(verdicts(wrong), [false, false])
      }
      assert.deepEqual(verdicts(new Uint8Array()), [false, false])
    })
})
