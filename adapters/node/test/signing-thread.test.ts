import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { nativePrimitives, signingThread } from '@countersign/node'
import fc from 'fast-check'
import type { SigningBatch } from '../signing-thread.ts'

const seed = fc.uint8Array({ minLength: 32, maxLength: 32 })
const message = fc.tuple(
  fc.nat({ max: 2 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
  fc.uint8Array({ maxLength: 400 }),
)

describe('the thread that signs', () => {
  it('makes the signatures that this one makes, whatever is asked together', async () => {
    const thread = signingThread()
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(seed, seed, seed),
        fc.array(message, { minLength: 1, maxLength: 20 }),
        async (seeds, messages) => {
          const here = seeds.map((one) => nativePrimitives.ed25519Signer(one))
          const there = seeds.map((one) => thread.ed25519Signer(one))
          const signed = await Promise.all(
            messages.map(([key, prefix, bytes]) => there[key]?.(prefix, bytes)),
          )
          assert.deepEqual(
            signed.map((one) => Buffer.from(one ?? []).toString('hex')),
            messages.map(([key, prefix, bytes]) =>
              Buffer.from(here[key]?.(prefix, bytes) ?? []).toString('hex'),
            ),
          )
        },
      ),
      { numRuns: 50 },
    )
    await thread.close()
  })

  it('leaves nobody waiting when it is closed, and signs here from then on', async () => {
    const thread = signingThread()
    const [key, bytes] = [new Uint8Array(32).fill(7), new Uint8Array(9)]
    const sign = thread.ed25519Signer(key)
    const asked = [sign('a.', bytes), sign('b.', bytes)]
    await thread.close()
    const here = nativePrimitives.ed25519Signer(key)
    for (const [at, prefix] of ['a.', 'b.'].entries())
      assert.deepEqual(Buffer.from((await asked[at]) ?? []), Buffer.from(here(prefix, bytes)))
    assert.deepEqual(Buffer.from(await sign('c.', bytes)), Buffer.from(here('c.', bytes)))
  })

  it('tells that it ended by itself, and not that it was closed', async () => {
    const made = once(process, 'worker') as Promise<Worker[]>
    const told: string[] = []
    const heard: unknown[] = []
    const thread = signingThread({
      onEnded: ({ message }) => told.push(message),
      observer: { event: (...event) => heard.push(event) },
    })
    const sign = thread.ed25519Signer(new Uint8Array(32).fill(7))
    const asked = sign('a.', new Uint8Array(9))
    const [worker] = await made
    // An answer on its way would let go of the process, and its end would not be waited for.
    worker?.on('message', () => worker.ref())
    await worker?.terminate()
    assert.equal((await asked).length, 64)
    assert.equal(told.length, 1)
    const facts = { thread: 'signing', error: told[0] }
    assert.deepEqual(heard, [['thread.restarted', facts]])
    // The key that was made before is known to the thread that is started again.
    const again = once(process, 'worker')
    const here = nativePrimitives.ed25519Signer(new Uint8Array(32).fill(7))
    const signed = await sign('b.', new Uint8Array(9))
    assert.deepEqual(Buffer.from(signed), Buffer.from(here('b.', new Uint8Array(9))))
    await again
    await thread.close()

    const other = signingThread({ onEnded: ({ message }) => told.push(message) })
    await other.close()
    assert.equal(told.length, 1)
  })

  it('keeps no key that came and went within one batch', async () => {
    const worker = new Worker(new URL('../signing-worker.js', import.meta.url))
    const seeds: SigningBatch['seeds'] = [[1, new Uint8Array(32).fill(7)]]
    const batch = { bytes: new Uint8Array(9), ends: [9], keys: [1], seeds, forget: [1] }
    worker.postMessage(batch)
    const [signature] = await once(worker, 'message')
    const here = nativePrimitives.ed25519Signer(new Uint8Array(32).fill(7))
    assert.deepEqual(Buffer.from(signature), Buffer.from(here('', batch.bytes)))
    worker.postMessage({ ...batch, seeds: [], forget: [] })
    await assert.rejects(once(worker, 'message'), /no key 1/)
  })
})
