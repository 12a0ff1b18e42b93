import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Inbox, InboxEntry, Stored } from '@countersign/core/ports'
import { createManualClock } from '@countersign/core/testing'
import { createReceiver, memoryInbox, type Receiver } from '@countersign/receiver-kit'
import { sampleReviewEvent } from '@countersign/receiver-kit/testing'
import fc from 'fast-check'
import { createBench, send, sharedSigner, start } from './support.ts'

/** An inbox whose stores wait to be told how they end. */
function heldInbox() {
  const inbox = memoryInbox()
  const waiting: { entry: InboxEntry; end: (fault?: Error) => Promise<void> }[] = []
  const held: Inbox = {
    ...inbox,
    store: (entry) =>
      new Promise<Stored>((resolve, reject) => {
        waiting.push({
          entry,
          end: async (fault) => {
            if (fault) reject(fault)
            else resolve(await inbox.store(entry))
            await new Promise(setImmediate)
          },
        })
      }),
  }
  return { inbox: held, waiting }
}

describe('the acknowledgement', () => {
  it('waits for the store', async () => {
    const { inbox, waiting } = heldInbox()
    const { clock, send: post, signer } = createBench({ inbox })
    let answered = false
    const answer = post(signer.sign(sampleReviewEvent())).then((result) => {
      answered = true
      return result
    })
    await clock.advance(7_999)
    assert.equal(answered, false)
    await waiting[0]?.end()
    assert.equal((await answer).status, 204)
    assert.equal(clock.waiting(), 0)
  })

  it('becomes a 503 at the deadline; the store that ends later is what the next try finds', async () => {
    const { inbox, waiting } = heldInbox()
    const { clock, send: post, signer, told, turns, drain } = createBench({ inbox })
    const message = signer.sign(sampleReviewEvent())
    const late = post(message)
    await clock.advance(8_000)
    assert.deepEqual(await late, { status: 503, body: { code: 'not_stored' } })
    assert.equal(told('receiver.store_slow').length, 1)
    await waiting[0]?.end()
    const again = post(message)
    await clock.advance(0)
    await waiting[1]?.end()
    assert.equal((await again).status, 204)
    assert.deepEqual(await drain(), { handled: 1, failed: 0 })
    assert.equal(turns.length, 1)
  })

  it('counts the time that reading the body took', async () => {
    const { clock, signer, receiver } = createBench()
    const { headers, body } = signer.sign(sampleReviewEvent())
    const arrivedAt = clock.monotonic()
    await clock.advance(8_000)
    assert.equal(
      (await receiver.endpoint.answer({ method: 'POST', headers, body }, arrivedAt)).status,
      503,
    )
  })

  for (const [how, store] of Object.entries({
    rejects: async () => Promise.reject(new Error('disk full: /var/secret/path')),
    throws: () => {
      throw new Error('disk full: /var/secret/path')
    },
  }))
    it(`is a 503 when the store ${how}, and the reason stays inside`, async () => {
      const { send: post, signer, told } = createBench({ inbox: { ...memoryInbox(), store } })
      assert.deepEqual(await post(signer.sign(sampleReviewEvent())), {
        status: 503,
        body: { code: 'not_stored' },
      })
      assert.match(String(told('receiver.store_failed')[0]?.detail), /disk full/)
    })

  it('is refused at once when too many stores hang', async () => {
    const { inbox, waiting } = heldInbox()
    const { clock, send: post, signer } = createBench({ inbox, maxStoring: 3 })
    const hanging = [1, 2, 3].map((at) => post(signer.sign(sampleReviewEvent({ id: `evt_${at}` }))))
    await clock.advance(8_000)
    assert.deepEqual(
      (await Promise.all(hanging)).map(({ status }) => status),
      [503, 503, 503],
    )
    assert.equal((await post(signer.sign(sampleReviewEvent({ id: 'evt_4' })))).status, 503)
    assert.equal(waiting.length, 3)
    await waiting[0]?.end()
    const fits = post(signer.sign(sampleReviewEvent({ id: 'evt_5' })))
    await clock.advance(0)
    await waiting[3]?.end()
    assert.equal((await fits).status, 204)
  })

  it('does not depend on an observer that throws', async () => {
    const observer = {
      event: () => {
        throw new Error('the log is full')
      },
    }
    const { send: post, signer } = createBench({ observer })
    assert.equal((await post(signer.sign(sampleReviewEvent()))).status, 204)
    assert.equal((await post(signer.sign(sampleReviewEvent()), 'PUT')).status, 405)
  })
})

/** What outlives the process: of each store, at some moment, either nothing or all. */
function crashingInbox(durable: Map<string, InboxEntry>, fate: Iterator<number>): Inbox {
  const inbox = memoryInbox()
  return {
    ...inbox,
    async store(entry) {
      const draw = fate.next().value ?? 0
      if (draw === 0) throw new Error('crashed before the commit')
      const told: Stored = durable.has(entry.id)
        ? { kind: 'duplicate', sameBody: true }
        : { kind: 'stored' }
      durable.set(entry.id, entry)
      if (draw === 1) throw new Error('crashed after the commit, before its answer')
      return told
    },
  }
}

type Make = (inbox: Inbox) => Receiver

/** A sender that tries until it hears 2xx: in the end all is stored, and nothing was acknowledged before. */
async function losesNothing(make: Make): Promise<void> {
  const signer = sharedSigner(() => start)
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
      async (numbers, fate) => {
        const durable = new Map<string, InboxEntry>()
        for (const number of numbers) {
          const message = signer.sign(sampleReviewEvent({ id: `evt_${number}` }))
          for (;;) {
            const { status } = await send(make(crashingInbox(durable, fate)), message)
            if (status >= 200 && status < 300) break
            assert.equal(status, 503)
          }
          assert.ok(durable.has(`evt_${number}`), 'acknowledged, not stored')
        }
      },
    ),
    { numRuns: 50 },
  )
}

describe('a crash between the store and the answer', () => {
  const signer = sharedSigner(() => start)
  const make: Make = (inbox) =>
    createReceiver({
      keys: [signer.key],
      inbox,
      clock: createManualClock(start),
      onEvent: () => {},
    })

  it('loses nothing and acknowledges nothing early', () => losesNothing(make))

  it('would be seen if the acknowledgement went first', () =>
    assert.rejects(
      () =>
        losesNothing((inbox) =>
          make({
            ...inbox,
            store: async (entry) => {
              inbox.store(entry).catch(() => undefined)
              return { kind: 'stored' }
            },
          }),
        ),
      ({ cause }: Error) => /acknowledged, not stored/.test(String(cause)),
    ))
})
