import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import type { CallbackAttemptView } from '@countersign/core'
import type { ExchangeResult } from '@countersign/core/ports'
import { answered, failed } from '@countersign/core/testing'
import fc from 'fast-check'
import { type Application, applications } from '../../applications/records.ts'
import { members } from '../../organizations/access/records.ts'
import { messages } from '../../outbox/records.ts'
import { callbackIdOf } from '../../review/callback/callback-id.ts'
import { withoutContent } from '../../review/erase-case.ts'
import { type ReviewCase, reviewCases } from '../../review/records.ts'
import { admin, ann, app, type Bench, createBench, hour, refused, seenOf, value } from './bench.ts'

const url = 'https://app.test/outcome'
const day = 24 * hour
/** All members of an attempt: none has a body or headers. */
const shown = [
  ...['attempt', 'attemptId', 'bodySha256', 'callbackId', 'error', 'latencyMs', 'outcome'],
  ...['responseStatus', 'startedAt', 'trigger'],
]
/** In the bodies that are sent and answered, and in no list of attempts. */
const canary = 'CANARY'

async function decideOne(bench: Bench): Promise<string> {
  const { reviewCaseId } = await bench.open({ resumeToken: canary })
  const review = value(await bench.cases.claim(ann, { reviewCaseId }))
  const presentationDigest = review.presentationDigest ?? ''
  const decision = { decision: 'response_submitted', response: { text: canary } } as const
  value(
    await bench.cases.decide(ann, {
      reviewCaseId,
      ...seenOf(review),
      presentationDigest,
      ...decision,
    }),
  )
  return reviewCaseId
}

/** The list, read behind a cursor in parts of `limit`, from its beginning to its end. */
async function listed(
  bench: Bench,
  id: string,
  limit = 100,
  after?: string,
): Promise<readonly CallbackAttemptView[]> {
  const query = { limit, ...(after !== undefined && { after }) }
  const { pieces } = value(
    await bench.cases.listCallbackAttempts(ann, { reviewCaseId: id, ...query }),
  )
  const rows: CallbackAttemptView[] = []
  let read = await pieces.next()
  for (; !read.done; read = await pieces.next()) rows.push(...read.value)
  assert.ok(rows.length <= limit)
  return read.value === null ? rows : [...rows, ...(await listed(bench, id, limit, read.value))]
}

const digestOf = (body: Uint8Array) => createHash('sha256').update(body).digest('hex')
const answers: Readonly<Record<string, ExchangeResult>> = {
  received: answered(204, { body: canary }),
  refused: answered(503, { body: canary }),
  broken: failed('timeout'),
}
const ends: Readonly<Record<string, readonly unknown[]>> = {
  received: ['delivered', 204, true],
  refused: ['failed', 503, false],
  broken: ['failed', null, false],
}

/** Bodies that came to the application for a case. */
const sentFor = ({ transport }: Bench, id: string) =>
  transport.exchanges
    .filter((exchange) => exchange.url === url)
    .map(({ body }) => ({ body, outcome: JSON.parse(new TextDecoder().decode(body)) }))
    .filter(({ outcome }) => outcome.reviewCaseId === id)

/** A case whose callback was tried twice and then received. */
async function receivedOne(): Promise<{ readonly bench: Bench; readonly id: string }> {
  const bench = await createBench({ callback: true, dispatch: true })
  bench.transport.follow((exchange) =>
    exchange.url !== url ? answered(200) : sent++ < 2 ? answered(503) : answered(200),
  )
  let sent = 0
  bench.dispatcher.start()
  const id = await decideOne(bench)
  await bench.clock.advance(2 * hour)
  assert.equal(bench.stored(id).callback.state, 'received')
  return { bench, id }
}

describe('the attempts of an outcome callback', () => {
  it('are those of its case alone, newest first, with the digest of what was sent, over all replays', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('received', 'refused', 'broken'), { maxLength: 20 }),
        fc.integer({ min: 1, max: 20 }),
        async (script, limit) => {
          const bench = await createBench({ callback: true, dispatch: true })
          const { clock, dispatcher, transport, cases, stored } = bench
          const came = new Map<string, string[]>()
          transport.follow(({ url: to, body }) => {
            if (to !== url) return answered(200)
            const { reviewCaseId } = JSON.parse(new TextDecoder().decode(body))
            const own = came.get(reviewCaseId) ?? []
            const next = script[own.length] ?? 'received'
            came.set(reviewCaseId, [...own, next])
            return answers[next] ?? answered(200)
          })
          dispatcher.start()
          const ids = [await decideOne(bench), await decideOne(bench)]
          for (let rounds = 0; rounds < 3; rounds++) {
            await clock.advance(30 * hour)
            for (const id of ids)
              if (stored(id).callback.state === 'failed')
                value(await cases.replayCallback(admin, { reviewCaseId: id }))
          }
          await clock.advance(5_000)
          for (const id of ids) {
            const rows = await listed(bench, id, limit)
            assert.deepEqual(
              rows.map((row) => [row.outcome, row.responseStatus, row.error === null]),
              (came.get(id) ?? []).map((end) => ends[end]).reverse(),
            )
            const bodies = sentFor(bench, id).map(({ body }) => digestOf(body))
            assert.deepEqual(
              rows.map(({ bodySha256 }) => bodySha256),
              bodies,
            )
            const times = rows.map(({ attemptId }) => attemptId)
            assert.deepEqual(times, times.toSorted().reverse())
            for (const { callbackId } of rows) assert.equal(callbackId, callbackIdOf(stored(id)))
            assert.equal(JSON.stringify(rows).includes(canary), false)
            for (const row of rows) assert.deepEqual(Object.keys(row).sort(), shown)
          }
          await dispatcher.drain(0)
        },
      ),
      { numRuns: 12 },
    ))

  it('are none while the case is open, nor where it owes no callback', async () => {
    const bench = await createBench()
    const { reviewCaseId } = await bench.open()
    assert.deepEqual(await listed(bench, reviewCaseId), [])
    assert.deepEqual(await listed(bench, await decideOne(bench)), [])
  })

  it('are listed for seven days each, as they are kept', async () => {
    const { bench, id } = await receivedOne()
    const all = await listed(bench, id)
    assert.equal(all.length, 3)
    for (let left = all.length; left > 0; left--) {
      const oldest = Date.parse(all[left - 1]?.startedAt ?? '')
      await bench.clock.advance(oldest + 7 * day - 1 - bench.clock.now())
      assert.deepEqual(await listed(bench, id), all.slice(0, left))
      await bench.clock.advance(1)
      assert.deepEqual(await listed(bench, id), all.slice(0, left - 1))
    }
    await bench.dispatcher.drain(0)
  })

  it('stay without a digest once the callback is gone, or its content is erased', async () => {
    const without = (rows: Awaited<ReturnType<typeof listed>>) =>
      rows.map((row) => ({ ...row, bodySha256: null }))
    const gone = await receivedOne()
    const all = await listed(gone.bench, gone.id)
    const { store } = gone.bench
    const message = store.rows(messages).find(({ row }) => row.type === 'review.outcome')
    assert.ok(message)
    const key = [message.row.messageId] as const
    const removes = [{ in: messages.name, key, version: message.version }]
    await store.commit({ tenant: null, removes })
    assert.deepEqual(await listed(gone.bench, gone.id), without(all))

    // Alike while its message is still there: it goes in a commit of its own.
    const erased = await receivedOne()
    const before = await listed(erased.bench, erased.id)
    const isCase = ({ reviewCaseId }: ReviewCase) => reviewCaseId === erased.id
    const id = callbackIdOf(erased.bench.stored(erased.id))
    await erased.bench.change(reviewCases, isCase, withoutContent)
    assert.equal(callbackIdOf(erased.bench.stored(erased.id)), id)
    assert.deepEqual(await listed(erased.bench, erased.id), without(before))
    for (const { bench } of [gone, erased]) await bench.dispatcher.drain(0)
  })

  it('are read while the application is being deleted, as its case is', async () => {
    const { bench, id } = await receivedOne()
    const all = await listed(bench, id)
    for (const lifecycleState of ['pending_deletion', 'purging'] as const) {
      const own = ({ applicationId }: Application) => applicationId === app.applicationId
      await bench.change(applications, own, () => ({ lifecycleState }))
      assert.deepEqual(await listed(bench, id), all)
    }
    await bench.dispatcher.drain(0)
  })

  it('end with the right to read them, also between two pieces', async () => {
    const { bench, id } = await receivedOne()
    const query = { limit: 2 }
    const { pieces } = value(
      await bench.cases.listCallbackAttempts(ann, { reviewCaseId: id, ...query }),
    )
    const isAnn = ({ memberId }: { memberId: string }) => memberId === ann.memberId
    await bench.change(members, isAnn, () => ({ status: 'Suspended' as const }))
    await assert.rejects(pieces.next(), { name: 'RefusedError' })
    assert.equal(
      refused(await bench.cases.listCallbackAttempts(ann, { reviewCaseId: id, ...query })).code,
      'authentication_required',
    )
    await bench.dispatcher.drain(0)
  })

  it('are refused in a part that makes no sense', async () => {
    const bench = await createBench()
    const { reviewCaseId } = await bench.open()
    for (const query of [
      { page: 0, pageSize: 20 },
      { page: 1, pageSize: 101 },
      { after: '', limit: 1 },
    ]) {
      const found = await bench.cases.listCallbackAttempts(ann, { reviewCaseId, ...query })
      assert.equal(refused(found).code, 'invalid_request')
    }
  })
})
