import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type AuthenticatorAlgorithm,
  assertionDamages,
  authenticatorFlags,
  freshPrivateKey,
} from '@countersign/conformance/authenticator'
import {
  assertionChecks,
  challengeOf,
  readAssertionKey,
  verifyAssertion,
  verifySignedBytes,
} from '@countersign/core/webauthn'
import { signedCase } from './signed-case.ts'

const algorithms: readonly AuthenticatorAlgorithm[] = ['EdDSA', 'ES256', 'RS256']
const { userPresent, userVerified, eligible, backedUp, extended } = authenticatorFlags
const present = userPresent | userVerified

for (const algorithm of algorithms)
  describe(`an assertion by ${algorithm}`, () => {
    const signed = signedCase(algorithm)
    const { authenticator, statement, given } = signed

    it('verifies as it was signed', () => {
      assert.deepEqual(verifyAssertion(given), { ok: true })
    })

    it('may say that it is synced, and have extensions, where nothing else is asked', () => {
      const challenge = challengeOf(statement)
      const parts = [
        { flags: present | eligible | backedUp },
        { flags: present | extended, extensions: Uint8Array.of(0xa0) },
        { client: { crossOrigin: false, later: 'member' } },
      ]
      for (const each of parts) {
        const made = authenticator.assert({ challenge, ...each })
        const verdict = verifyAssertion({ ...given, signature: { statement, ...made } })
        assert.deepEqual(verdict, { ok: true }, JSON.stringify(each))
      }
    })

    it('is refused for each damage, by the check that the damage breaks', () => {
      const found = Object.entries(assertionDamages).map(([name, damage]) => {
        const damaged = damage(signed)
        if (!damaged) return [name, null]
        const verdict = verifyAssertion(damaged.given)
        assert.equal(verdict.ok ? 'ok' : verdict.check, damaged.check, name)
        return [name, damaged.check]
      })
      const broken = new Set(found.map(([, check]) => check))
      assert.deepEqual(
        assertionChecks.filter((check) => !broken.has(check)),
        [],
      )
    })

    it('is refused where members are missing or no text', () => {
      for (const member of Object.keys(given.signature).filter((name) => name !== 'statement'))
        for (const value of [undefined, null, 1, '', ['x']]) {
          const signature = { ...given.signature, [member]: value }
          const verdict = verifyAssertion({ ...given, signature })
          assert.equal(!verdict.ok && verdict.check, 'form', `${member} ${value}`)
        }
      const verdicts = [null, 'text', []].map((signature) =>
        verifyAssertion({ ...given, signature: signature as never }),
      )
      assert.deepEqual(
        verdicts.map((verdict) => !verdict.ok && verdict.check),
        ['form', 'form', 'form'],
      )
    })

    it('is refused where bytes are other text than base64url', () => {
      for (const [member, check] of [
        ['clientDataJSON', 'client_data'],
        ['authenticatorData', 'authenticator_data'],
        ['signature', 'signature'],
      ] as const)
        for (const change of [
          (text: string) => `${text}=`,
          (text: string) => `+${text.slice(1)}`,
        ]) {
          const signature = { ...given.signature, [member]: change(given.signature[member]) }
          const verdict = verifyAssertion({ ...given, signature })
          assert.equal(!verdict.ok && verdict.check, check)
        }
    })
  })

describe('a signature by ES256', () => {
  const privateKey = createPrivateKey(freshPrivateKey('ES256'))
  const key = readAssertionKey(createPublicKey(privateKey).export({ format: 'jwk' }))
  assert.ok(key)
  const message = new TextEncoder().encode('a message')
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const joined = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const [r, s] = [joined.subarray(0, 32), joined.subarray(32)].map((half) =>
    BigInt(`0x${half.toString('hex')}`),
  ) as [bigint, bigint]
  const verifies = (signature: Uint8Array) => verifySignedBytes({ key, signed: message, signature })

  it('may have its S in either half of the order', () => {
    assert.deepEqual(
      [s, order - s].map((each) => verifies(der(r, each))),
      [true, true],
    )
  })

  it('is refused in any other encoding than DER', () => {
    const right = der(r, s)
    const padded = Buffer.concat([Buffer.of(0x02, right[3] ?? 0), right.subarray(4)])
    const wrong: Record<string, Uint8Array> = {
      'its two numbers alone': joined,
      'a length of two bytes': Buffer.concat([Buffer.of(0x30, 0x81), right.subarray(1)]),
      'a zero in front': longer(r, s),
      'another tag': Buffer.concat([Buffer.of(0x31), right.subarray(1)]),
      'no sequence': padded,
      'R zero': der(0n, s),
      'S zero': der(r, 0n),
      'S above the order': der(r, s + order),
      'R above the order': der(r + order, s),
    }
    for (const [name, signature] of Object.entries(wrong))
      assert.equal(verifies(signature), false, name)
  })
})

describe('the key of a credential', () => {
  it('of RSA has 2048 bits or more, and no exponent that signs by itself', () => {
    const jwkOf = (bits: number, first = 0x80) => {
      const n = Buffer.alloc(bits / 8, 0xab)
      n[0] = first
      return { kty: 'RSA', n: n.toString('base64url'), e: 'AQAB' }
    }
    const kindOf = (jwk: object) => readAssertionKey(jwk)?.algorithm ?? null
    assert.deepEqual(
      [2_048, 4_096, 8_192].map((bits) => kindOf(jwkOf(bits))),
      ['RS256', 'RS256', 'RS256'],
    )
    assert.deepEqual(
      [1_024, 2_040, 8_200].map((bits) => kindOf(jwkOf(bits))),
      [null, null, null],
    )
    assert.deepEqual([kindOf(jwkOf(2_048, 0x7f)), kindOf(jwkOf(2_056, 0))], [null, null])
    for (const e of ['AQ', 'AAE', '', 'AAAAAAAB', 'Ag', 'Aw==', 3])
      assert.equal(kindOf({ ...jwkOf(2_048), e }), null, String(e))
    assert.equal(kindOf({ ...jwkOf(2_048), e: 'Aw' }), 'RS256')
  })

  it('that is no point verifies nothing', () => {
    const { given } = signedCase('ES256')
    const { publicKey } = given.credential as { publicKey: Record<string, string> }
    const credential = { ...given.credential, publicKey: { ...publicKey, y: publicKey.x } }
    const verdict = verifyAssertion({ ...given, credential })
    assert.equal(!verdict.ok && verdict.check, 'signature')
    const point = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }
    const ed = signedCase('EdDSA').given
    const weak = { ...ed, credential: { ...ed.credential, publicKey: point } }
    const verdictOfWeak = verifyAssertion(weak)
    assert.equal(!verdictOfWeak.ok && verdictOfWeak.check, 'signature')
  })
})

function der(...numbers: readonly bigint[]): Buffer {
  const parts = numbers.map((number) => {
    const digits = number.toString(16)
    const bytes = Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex')
    return integer((bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes)
  })
  return sequence(parts)
}

function longer(r: bigint, s: bigint): Buffer {
  const [first, second] = [r, s].map((each) =>
    Buffer.from(each.toString(16).padStart(64, '0'), 'hex'),
  )
  assert.ok(first && second)
  return sequence([first, second].map((each) => integer(Buffer.concat([Buffer.of(0, 0), each]))))
}

function integer(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.of(2, bytes.length), bytes])
}

function sequence(parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(0x30, content.length), content])
}
