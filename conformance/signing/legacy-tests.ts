import { legacyHeaders, legacyKey, signLegacy, verifyLegacy } from '@countersign/core/signing'
import fc from 'fast-check'
import { expect, expectEqual } from '../assert.ts'
import { type Group, thrown } from './group.ts'

const utf8 = new TextEncoder()

export const legacyTests: Group = (it, { primitives, runs }) => {
  const key = legacyKey("It's a Secret to Everybody", primitives)
  const body = utf8.encode('Hello, World!')
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'

  it('the legacy header is GitHub’s format: its documented example, byte for byte', () => {
    expectEqual(signLegacy(key, body), signature, 'signature')
    const headers = { 'X-Service-Signature': signature }
    expectEqual(
      verifyLegacy({ headers, body, keys: [key] }),
      { ok: true, keyIndex: 0, next: false },
      'verdict',
    )
  })

  it('the key is the secret as given, in UTF-8, a whsec_ prefix included', () => {
    const secret = 'whsec_grüße-世界'
    const mac = primitives.hmacSha256(utf8.encode(secret))('', body, 'hex')
    expectEqual(signLegacy(legacyKey(secret, primitives), body), `sha256=${mac}`, 'signature')
  })

  it('no byte of the body can change', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (given, where, by) => {
          const headers = legacyHeaders({ body: given, key })
          const changed = given.slice()
          const at = where % given.length
          changed[at] = (changed[at] ?? 0) ^ by
          expect(verifyLegacy({ headers, body: given, keys: [key] }).ok, 'not verified')
          expect(!verifyLegacy({ headers, body: changed, keys: [key] }).ok, 'verified')
        },
      ),
      { numRuns: runs },
    )
  })

  it('while a secret rotates, its holder and the holder of the next one both verify', () => {
    const next = legacyKey('next', primitives)
    const headers = legacyHeaders({ body, key, nextKey: next })
    const told = (keys: readonly (typeof key)[]) => verifyLegacy({ headers, body, keys })
    expectEqual(told([key]), { ok: true, keyIndex: 0, next: false }, 'previous')
    expectEqual(told([next]), { ok: true, keyIndex: 0, next: true }, 'next')
    const other = legacyKey('other', primitives)
    expectEqual(told([other, next]), { ok: true, keyIndex: 1, next: true }, 'second key')
    expectEqual(code(headers, [other]), 'no_matching_signature', 'another secret')
    expectEqual(Object.keys(legacyHeaders({ body, key })), ['x-service-signature'], 'at rest')
  })

  it('anything but sha256= and 64 lower-case digits is refused', () => {
    const hex = signature.slice(7)
    const texts = [
      '',
      'sha256=',
      hex,
      `sha1=${hex}`,
      `SHA256=${hex}`,
      `sha256=${hex.toUpperCase()}`,
      `sha256=${hex.slice(2)}`,
      `sha256=${hex}00`,
      `sha256=${hex} `,
      `sha256=${hex}, sha256=${hex}`,
    ]
    for (const text of texts) {
      expectEqual(code({ 'x-service-signature': text }, [key]), 'malformed_signature', text)
      const beside = { 'x-service-signature': signature, 'x-service-signature-next': text }
      expectEqual(code(beside, [key]), 'malformed_signature', `${text} beside a good one`)
    }
  })

  it('a missing or repeated header is refused', () => {
    expectEqual(code({}, [key]), 'missing_header', 'none')
    expectEqual(
      code({ 'x-service-signature-next': signature }, [key]),
      'missing_header',
      'next alone',
    )
    const twice = { 'x-service-signature': [signature, signature] }
    expectEqual(code(twice, [key]), 'duplicate_header', 'twice')
    const nextTwice = { 'x-service-signature': signature, 'x-service-signature-next': ['a', 'b'] }
    expectEqual(code(nextTwice, [key]), 'duplicate_header', 'next twice')
  })

  it('a body that is not bytes, or no key at all, is the caller’s mistake', () => {
    const headers = { 'x-service-signature': signature }
    const parsed = { hello: 'world' } as unknown as Uint8Array
    thrown(TypeError, () => signLegacy(key, 'Hello' as unknown as Uint8Array), 'a string')
    thrown(TypeError, () => verifyLegacy({ headers, body: parsed, keys: [key] }), 'an object')
    thrown(TypeError, () => verifyLegacy({ headers, body, keys: [] }), 'no keys')
  })

  function code(
    headers: Readonly<Record<string, string | readonly string[]>>,
    keys: readonly (typeof key)[],
  ): string {
    const verdict = verifyLegacy({ headers, body, keys })
    return verdict.ok ? 'ok' : verdict.code
  }
}
