import {
  encodeBase64,
  formatPublicKey,
  formatSharedSecret,
  keyPairOf,
  legacyKey,
  loadSigningKey,
  loadVerifyKey,
  parseKey,
  SigningKeyError,
} from '@countersign/core/signing'
import fc from 'fast-check'
import { expect, expectEqual } from '../assert.ts'
import { type Group, thrown } from './group.ts'
import { smallOrderKeys, standardWebhooks, unhex } from './vectors.ts'

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })

export const keyTests: Group = (it, { primitives, runs }) => {
  const mistakes: readonly (readonly [text: unknown, code: string, hint: RegExp])[] = [
    [undefined, 'not_text', /undefined/],
    [null, 'not_text', /null/],
    [new Uint8Array(32), 'not_text', /object/],
    ['', 'unknown_prefix', /empty/],
    ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'unknown_prefix', /raw secret/],
    ['WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'unknown_prefix', /whsec_/],
    ['-----BEGIN PUBLIC KEY-----', 'unknown_prefix', /PEM/],
    ['{"kty":"OKP"}', 'unknown_prefix', /JWK/],
    [`${standardWebhooks.secret}\n`, 'white_space', /line break/],
    [` ${standardWebhooks.secret}`, 'white_space', /white space/],
    ['whsec_', 'invalid_length', /24 to 64 bytes, got 0/],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS', 'invalid_base64', /padding/],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_', 'invalid_base64', /URL-safe/],
    ['whsec_MfKQ9r8GKYqr TwjUPD8ILPZIo2LaLaSw', 'invalid_base64', /re-encoding/],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAB==', 'invalid_base64', /re-encoding/],
    ['whsec_whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'invalid_base64', /URL-safe/],
  ]
  for (const [text, code, hint] of mistakes)
    it(`the key ${JSON.stringify(text)?.slice(0, 24)} is refused: ${code}`, () => {
      const error = keyError(() => parseKey(text as string))
      expectEqual(error.code, code, 'code')
      expect(hint.test(error.message), `expected a hint at ${hint}, got: ${error.message}`)
    })

  it('each prefix takes its own lengths', () => {
    for (let length = 0; length <= 100; length++) {
      const payload = encodeBase64(new Uint8Array(length).fill(9))
      const takes = {
        whsec_: length >= 24 && length <= 64,
        whsk_: length === 32 || length === 64,
        whpk_: length === 32,
      }
      for (const [prefix, holds] of Object.entries(takes)) {
        if (holds) parseKey(prefix + payload)
        else
          expectEqual(
            keyError(() => parseKey(prefix + payload)).code,
            'invalid_length',
            `${prefix} of ${length} bytes`,
          )
      }
    }
  })

  it('what is formatted parses to the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), bytes32, (secret, seed) => {
        expectEqual(
          parseKey(formatSharedSecret(secret)),
          { kind: 'shared_secret', secret },
          'whsec_',
        )
        const pair = keyPairOf(seed, primitives)
        const publicKey = Uint8Array.from(primitives.ed25519PublicKey(seed))
        expectEqual(parseKey(pair.privateKey), { kind: 'private_key', seed, publicKey }, 'whsk_')
        expectEqual(parseKey(pair.publicKey), { kind: 'public_key', publicKey }, 'whpk_')
      }),
      { numRuns: runs },
    )
  })

  it('a whsk_ key is also its bare seed, and its halves must belong together', () => {
    fc.assert(
      fc.property(bytes32, fc.nat(255), (seed, bit) => {
        const whole = parseKey(keyPairOf(seed, primitives).privateKey)
        if (whole.kind !== 'private_key' || !whole.publicKey) throw new Error('no public half')
        const bare = loadSigningKey(`whsk_${encodeBase64(seed)}`, primitives)
        expect(bare.scheme === 'v1a', 'not an Ed25519 key')
        expectEqual(Uint8Array.from(bare.publicKey), whole.publicKey, 'public key of the bare seed')
        const half = whole.publicKey.slice()
        half[bit >> 3] = (half[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const damaged = `whsk_${encodeBase64(Uint8Array.of(...seed, ...half))}`
        expectEqual(
          keyError(() => loadSigningKey(damaged, primitives)).code,
          'halves_differ',
          'code',
        )
      }),
      { numRuns: runs },
    )
  })

  it('the wrong flavour is named', () => {
    const { privateKey, publicKey } = standardWebhooks
    const verifying = keyError(() => loadVerifyKey(privateKey, primitives))
    expectEqual(verifying.code, 'wrong_kind', 'verifying with a private key')
    expect(/whpk_/.test(verifying.message), verifying.message)
    const signing = keyError(() => loadSigningKey(publicKey, primitives))
    expectEqual(signing.code, 'wrong_kind', 'signing with a public key')
    expect(/whsk_/.test(signing.message), signing.message)
  })

  it('a public key under which anything verifies does not load', () => {
    for (const key of smallOrderKeys)
      keyError(() => loadVerifyKey(formatPublicKey(unhex(key)), primitives))
  })

  it('no error repeats the key', () => {
    const text = fc.oneof(
      fc.string({ minLength: 12 }),
      fc.base64String({ minLength: 12 }).map((payload) => `whsec_${payload}`),
      fc.base64String({ minLength: 12 }).map((payload) => `whsk_${payload}`),
    )
    fc.assert(
      fc.property(text, (key) => {
        try {
          loadSigningKey(key, primitives)
        } catch (error) {
          expect(error instanceof SigningKeyError, `expected a SigningKeyError, got ${error}`)
          const payload = key.replace(/^wh[a-z]+_/, '')
          expect(!error.message.includes(payload), `the message repeats the key: ${error.message}`)
        }
      }),
      { numRuns: runs },
    )
  })

  it('a secret of the legacy family is any text but the empty one', () => {
    for (const secret of [
      '',
      undefined as unknown as string,
      7 as unknown as string,
      'a\ud800',
      '\udc00',
    ])
      expectEqual(
        keyError(() => legacyKey(secret, primitives)).code,
        'invalid_secret',
        JSON.stringify(secret) ?? 'undefined',
      )
    legacyKey('x', primitives)
    legacyKey('🔑', primitives)
  })
}

function keyError(run: () => unknown): SigningKeyError {
  return thrown(SigningKeyError, run, 'loading the key')
}
