import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plainCipher } from '@countersign/core/testing'
import { nativeCipher } from '@countersign/node'
import fc from 'fast-check'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))

describe('the native cipher', () => {
  // Test cases 14 and 16 of "The Galois/Counter Mode of Operation" (McGrew and Viega), annex B.
  it('is AES-256-GCM', () => {
    const cipher = nativeCipher()
    const zeros = { key: new Uint8Array(32), nonce: new Uint8Array(12) }
    const none = new Uint8Array()
    assert.deepEqual(
      cipher.encrypt({ ...zeros, plain: new Uint8Array(16), additional: none }),
      hex('cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919'),
    )
    assert.deepEqual(
      cipher.encrypt({
        key: hex('feffe9928665731c6d6a8f9467308308'.repeat(2)),
        nonce: hex('cafebabefacedbaddecaf888'),
        additional: hex('feedfacedeadbeeffeedfacedeadbeefabaddad2'),
        plain: hex(
          'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
        ),
      }),
      hex(
        '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b',
      ),
    )
  })

  const input = fc.record({
    key: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    nonce: fc.uint8Array({ minLength: 12, maxLength: 12 }),
    plain: fc.uint8Array({ maxLength: 200 }),
    additional: fc.uint8Array({ maxLength: 50 }),
    room: fc.nat({ max: 20 }),
  })

  for (const [name, cipher] of [
    ['native', nativeCipher()],
    ['double', plainCipher()],
  ] as const)
    it(`opens what it sealed, and nothing that was changed: ${name}`, () => {
      fc.assert(
        fc.property(input, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, at, by) => {
          const { room } = given
          const roomy = cipher.encrypt(given)
          assert.equal(roomy.length, room + given.plain.length + 16)
          const sealed = roomy.subarray(room)
          assert.deepEqual(cipher.decrypt({ ...given, sealed }), given.plain)
          const change = (bytes: Uint8Array) =>
            bytes.map((byte, index) => (index === at % bytes.length ? byte ^ by : byte))
          for (const changed of [
            { sealed: change(sealed) },
            { sealed, key: change(given.key) },
            { sealed, nonce: change(given.nonce) },
            { sealed, additional: Uint8Array.of(...given.additional, by) },
            { sealed: sealed.subarray(0, -1) },
            { sealed: sealed.subarray(0, at % 16) },
          ])
            assert.equal(cipher.decrypt({ ...given, ...changed }), null)
        }),
      )
    })
})
