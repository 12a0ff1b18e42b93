import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { privateKey, sharedSecretKey } from '../../../proof/signing/keys.ts'
import { portablePrimitives } from '../../../proof/signing/portable.ts'
import { signedHeaders, signedHeadersAside } from '../../../proof/signing/sign.ts'

const seed = new Uint8Array(32).fill(3)
const thread = {
  ed25519Signer: (of: Uint8Array) => {
    const sign = portablePrimitives.ed25519Signer(of)
    return async (prefix: string, bytes: Uint8Array) => sign(prefix, bytes)
  },
}
const here = privateKey(seed, portablePrimitives)
const aside = privateKey(seed, portablePrimitives, thread)
const shared = sharedSecretKey(new Uint8Array(32).fill(4), portablePrimitives)

test('signed on another thread the headers are the same, in the order of the keys', async () => {
  const body = fc.uint8Array({ maxLength: 200 })
  await fc.assert(
    fc.asyncProperty(body, fc.integer({ min: 1, max: 2 ** 31 }), async (bytes, timestamp) => {
      const message = { id: 'evt_1', timestamp, body: bytes }
      const signed = signedHeadersAside({ ...message, keys: [aside, shared, here] })
      assert.ok(signed instanceof Promise)
      assert.deepEqual(await signed, signedHeaders({ ...message, keys: [here, shared, here] }))
      const at = signedHeadersAside({ ...message, keys: [shared, here] })
      assert.deepEqual(at, signedHeaders({ ...message, keys: [shared, here] }))
    }),
    { numRuns: 20 },
  )
})

test('what no receiver would accept is refused before a thread is asked', () => {
  const keys = [aside]
  assert.throws(
    () => signedHeadersAside({ id: 'a.b', timestamp: 1, body: new Uint8Array(), keys }),
    TypeError,
  )
})
