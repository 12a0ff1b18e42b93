import assert from 'node:assert/strict'
import {
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  verify as opensslVerify,
} from 'node:crypto'
import { describe, test } from 'node:test'
import {
  keyPairOf,
  loadSigningKey,
  portablePrimitives,
  SigningKeyError,
  signedHeaders,
} from '@countersign/core/signing'
import { nativePrimitives } from '@countersign/node/crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import fc from 'fast-check'

const seed = fc.uint8Array({ minLength: 32, maxLength: 32 })
const bytes = fc.uint8Array({ maxLength: 300 })
const { Point } = ed25519
const torsion = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a')

/** What a key of these bytes says of a signature, or the code with which it does not load. */
function verdicts(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): unknown[] {
  return [portablePrimitives, nativePrimitives].map((primitives) => {
    try {
      return primitives.ed25519Verifier(publicKey)('', message, signature)
    } catch (error) {
      if (error instanceof SigningKeyError) return error.code
      throw error
    }
  })
}

describe('the native primitives and the portable ones', () => {
  test('make the same keys, signatures and MACs', () => {
    fc.assert(
      fc.property(seed, bytes, (key, message) => {
        const [a, b] = [portablePrimitives, nativePrimitives].map((primitives) => [
          Uint8Array.from(primitives.sha256(message)),
          Uint8Array.from(primitives.ed25519PublicKey(key)),
          Uint8Array.from(primitives.ed25519Signer(key)('id.1.', message)),
          primitives.hmacSha256(key)('id.1.', message, 'base64'),
        ])
        assert.deepEqual(a, b)
      }),
    )
  })

  test('take the same keys: random bytes, small y, y near p', () => {
    const nearP = fc
      .tuple(fc.integer({ min: 0xd0, max: 0xff }), fc.constantFrom(0x7f, 0xff))
      .map(([low, high]) => Uint8Array.from([low, ...Array(30).fill(0xff), high]))
    const small = fc
      .tuple(fc.nat(64), fc.constantFrom(0, 0x80))
      .map(([low, high]) => Uint8Array.from([low, ...Array(30).fill(0), high]))
    const signature = new Uint8Array(64)
    fc.assert(
      fc.property(fc.oneof(seed, nearP, small), (key) => {
        const [a, b] = verdicts(key, Uint8Array.of(), signature)
        assert.equal(a, b)
      }),
      { numRuns: 300 },
    )
  })

  test('give the same verdict on any change of key, message or signature', () => {
    const change = fc.tuple(fc.constantFrom(0, 1, 2), fc.nat(), fc.integer({ min: 1, max: 255 }))
    fc.assert(
      fc.property(
        seed,
        fc.uint8Array({ minLength: 1, maxLength: 50 }),
        fc.option(change),
        (key, message, edit) => {
          const given = [
            Uint8Array.from(nativePrimitives.ed25519PublicKey(key)),
            message.slice(),
            Uint8Array.from(nativePrimitives.ed25519Signer(key)('', message)),
          ] as const
          if (edit) {
            const [which, where, by] = edit
            const target = given[which]
            const at = where % target.length
            target[at] = (target[at] ?? 0) ^ by
          }
          const [a, b] = verdicts(...given)
          assert.equal(a, b)
          if (!edit) assert.equal(a, true)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('give the same verdict on signers that play with points of mixed order', () => {
    const scalar = fc.bigInt({ min: 1n, max: Point.Fn.ORDER - 1n })
    let held = 0
    let apart = 0
    fc.assert(
      fc.property(scalar, scalar, fc.nat(7), fc.nat(7), bytes, (a, r, ofKey, ofR, message) => {
        const publicKey = Point.BASE.multiply(a)
          .add(torsion.multiplyUnsafe(BigInt(ofKey)))
          .toBytes()
        const R = Point.BASE.multiply(r)
          .add(torsion.multiplyUnsafe(BigInt(ofR)))
          .toBytes()
        const S = Point.Fn.create(r + challenge(R, publicKey, message) * a)
        const signature = Uint8Array.from([...R, ...Point.Fn.toBytes(S)])
        const [portable, native] = verdicts(publicKey, message, signature)
        assert.equal(portable, native)
        if (portable === true) held++
        // With the cofactor each of these would hold: that is what the two must not differ in.
        else if (ed25519.verify(signature, message, publicKey, { zip215: false })) apart++
      }),
      { numRuns: 100 },
    )
    assert.ok(held > 0 && apart > 0, `${held} held, ${apart} held with the cofactor alone`)
  })

  test('the MAC is createHmac’s at every size around that of the shared buffer', () => {
    const mac = nativePrimitives.hmacSha256(Buffer.alloc(32, 7))
    for (const size of [0, 1, 55, 56, 63, 64, 65, 16_315, 16_316, 16_317, 16_384, 100_000]) {
      const body = Buffer.alloc(size, size)
      const expected = createHmac('sha256', Buffer.alloc(32, 7)).update('id.1').update(body)
      assert.equal(mac('id.1', body, 'hex'), expected.digest('hex'), `${size} bytes`)
    }
  })
})

test('what we sign under v1a verifies with node:crypto alone', () => {
  const { privateKey, publicKey } = keyPairOf(Buffer.alloc(32, 9), nativePrimitives)
  const body = Buffer.from('{"type":"review.case.created"}')
  const headers = signedHeaders({
    id: 'evt_1',
    timestamp: 1_800_000_000,
    body,
    keys: [loadSigningKey(privateKey, nativePrimitives)],
  })
  const x = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const signature = Buffer.from(headers['webhook-signature']?.replace('v1a,', '') ?? '', 'base64')
  const content = Buffer.concat([Buffer.from('evt_1.1800000000.'), body])
  assert.equal(opensslVerify(null, content, key, signature), true)
  const other = generateKeyPairSync('ed25519').publicKey
  assert.equal(opensslVerify(null, content, other, signature), false)
})

function challenge(R: Uint8Array, publicKey: Uint8Array, message: Uint8Array): bigint {
  const digest = new Uint8Array(
    createHash('sha512').update(R).update(publicKey).update(message).digest(),
  )
  return Point.Fn.create(bytesToNumberLE(digest))
}
