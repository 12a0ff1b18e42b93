import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { type Primitives, portablePrimitives, SigningKeyError } from '@countersign/core/signing'
import { nativePrimitives } from '@countersign/node/crypto'

interface Wycheproof<Group, Test> {
  readonly testGroups: readonly (Group & { readonly tests: readonly Test[] })[]
}
interface Verdict {
  readonly tcId: number
  readonly msg: string
  readonly result: 'valid' | 'invalid'
}

const folder = new URL('../../../../../shared/vectors/', import.meta.url)
const options = existsSync(folder) ? {} : { skip: 'no vectors' }
const read = (path: string) => JSON.parse(readFileSync(new URL(path, folder), 'utf8'))
const unhex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))

const implementations: Record<string, Primitives> = {
  portable: portablePrimitives,
  native: nativePrimitives,
}

for (const [name, primitives] of Object.entries(implementations))
  describe(`${name} primitives`, () => {
    test('Wycheproof, Ed25519: 151 of 151 verdicts', options, () => {
      const {
        testGroups,
      }: Wycheproof<
        { readonly publicKey: { readonly pk: string } },
        Verdict & { readonly sig: string }
      > = read('ed25519/wycheproof.json')
      const verdicts = testGroups.flatMap(({ publicKey, tests }) => {
        const verify = primitives.ed25519Verifier(unhex(publicKey.pk))
        return tests.map(({ tcId, msg, sig, result }) => {
          const valid = verify('', unhex(msg), unhex(sig))
          assert.equal(valid ? 'valid' : 'invalid', result, `test ${tcId}`)
          return valid
        })
      })
      assert.equal(verdicts.length, 151)
      assert.equal(verdicts.filter(Boolean).length, 88)
    })

    test('Wycheproof, HMAC-SHA-256: 174 of 174 verdicts', options, () => {
      const {
        testGroups,
      }: Wycheproof<
        { readonly tagSize: number },
        Verdict & { readonly key: string; readonly tag: string }
      > = read('hmac/wycheproof-sha256.json')
      let count = 0
      for (const { tagSize, tests } of testGroups)
        for (const { tcId, key, msg, tag, result } of tests) {
          const mac = primitives.hmacSha256(unhex(key))('', unhex(msg), 'hex')
          const valid = mac.slice(0, tagSize / 4) === tag
          assert.equal(valid ? 'valid' : 'invalid', result, `test ${tcId}`)
          count++
        }
      assert.equal(count, 174)
    })

    test('small order: none of 196 signatures has a key that loads', options, () => {
      const vectors: readonly { vk_bytes: string; sig_bytes: string }[] = read(
        'ed25519/zip215-small-order.json',
      )
      for (const { vk_bytes } of vectors)
        assert.throws(() => primitives.ed25519Verifier(unhex(vk_bytes)), SigningKeyError, vk_bytes)
      assert.equal(vectors.length, 196)
    })
  })
