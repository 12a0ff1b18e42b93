import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import fc from 'fast-check'
import type { Found, Store } from '../../base/ports/store.ts'
import { bundlePath, bundles } from '../../content/payload-records.ts'
import { sessions, steps } from '../../content/records.ts'
import type { NormalSpan } from '../../content/span.ts'
import { sessionFlags } from '../../policies/flags/records.ts'
import { policyDemands } from '../../policies/records.ts'
import { reviewCases } from '../../review/records.ts'
import { createWorld, send, span, spanOf, start, traceOf, type World } from './world.ts'

/** Spans of a few sessions and traces, of which some name their session and some do not. */
const exported = fc
  .array(
    fc.record({
      trace: fc.nat(2),
      named: fc.boolean(),
      effect: fc.constantFrom(null, null, 'deny', 'require_review'),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) =>
    list.map(
      ({ trace, named, effect }, at): NormalSpan =>
        span({
          traceId: traceOf(trace + 1),
          spanId: spanOf(at + 1),
          parentSpanId: at === 0 ? null : spanOf(1),
          sessionId: named ? `session-${trace}` : null,
          startedAt: start + at,
          input: at % 3 === 0 ? `text ${at}` : null,
          checkpointId: 'checkpoint',
          policyResult: effect && {
            ruleId: `rule-${at % 2}`,
            effect,
            reasonCategory: null,
            reviewTier: null,
          },
        }),
    ),
  )

/** Indexes of spans that are sent together; a span may be in several, and all are sent at once. */
const sendings = fc.array(fc.array(fc.nat(11), { minLength: 1, maxLength: 6 }), { maxLength: 6 })

/** Sends all spans at once in overlapping parts, then checks that each is stored once and all sums agree. */
async function sendAll(
  world: World,
  spans: readonly NormalSpan[],
  parts: readonly (readonly number[])[],
): Promise<void> {
  const outcomes = await Promise.all(
    [...parts.map((part) => part.flatMap((at) => spans[at] ?? [])), spans].map((part) =>
      send(world, ...part),
    ),
  )
  for (const outcome of outcomes) unwrap(outcome)
  await world.pass(10)
  const stored = world.rows(steps)
  assert.deepEqual(
    stored.map(({ stepId }) => stepId).sort(),
    spans.map(({ traceId, spanId }) => `${traceId}-${spanId}`).sort(),
  )
  const known = world.rows(sessions)
  for (const session of known)
    assert.equal(
      session.tally.steps,
      stored.filter(({ sessionId }) => sessionId === session.sessionId).length,
      `the sum of ${session.sessionId}`,
    )
  // The spans of one trace lie in one session, which is the named one where any span names it.
  for (const { traceId } of spans) {
    const named = spans.some((each) => each.traceId === traceId && each.sessionId !== null)
    const expected = named ? `session-${Number(`0x${traceId}`) - 1}` : traceId
    for (const step of stored.filter(({ stepId }) => stepId.startsWith(traceId)))
      assert.equal(step.sessionId, expected)
  }
  checkMarks(world)
  const usage = unwrap(await world.service.ingest.usage(world.key, {}))
  assert.equal(usage.sessionsUsed, known.length, 'sessions that count')
  const contents = stored.flatMap(({ payloads }) => payloads)
  const rows = new Set(world.rows(bundles).map(({ bundleId }) => bundleId))
  assert.ok(contents.every(({ bundleId }) => rows.has(bundleId)))
}

/** What policies hung on a session lies where its steps lie, and its sums agree. */
function checkMarks(world: World): void {
  const known = new Map(world.rows(sessions).map((session) => [session.sessionId, session]))
  const open = world.rows(sessionFlags).filter(({ state }) => state === 'open')
  for (const { sessionId, openFlags, tally } of known.values()) {
    assert.equal(open.filter((flag) => flag.sessionId === sessionId).length, openFlags)
    assert.equal(openFlags > 0, tally.deny > 0, 'denials leave a flag')
    const cases = world.rows(reviewCases).filter((each) => each.sessionId === sessionId)
    const standing = cases.filter(({ state }) => state === 'open')
    assert.equal(standing.length, tally.requireReview > 0 ? 1 : 0, 'one case at the checkpoint')
    const demands = world.rows(policyDemands).filter((each) => each.sessionId === sessionId)
    assert.ok(demands.every(({ reviewCaseId }) => reviewCaseId === standing[0]?.reviewCaseId))
    const asking = world
      .rows(steps)
      .filter((step) => step.sessionId === sessionId)
      .flatMap(({ policyResults }) => policyResults)
      .filter(({ effect }) => effect === 'require_review')
    assert.deepEqual(
      [...new Set(asking.map(({ ruleId }) => ruleId))].sort(),
      demands.map(({ ruleId }) => ruleId).sort(),
    )
  }
  for (const collection of [sessionFlags, reviewCases, policyDemands])
    for (const { sessionId } of world.rows(collection as typeof sessionFlags))
      assert.ok(known.has(sessionId), `${collection.name} of ${sessionId}`)
}

const runs = { numRuns: 25 }

/** A store whose answers are changed before anyone sees them. */
function seeing(change: (store: Store) => Partial<Store>): (store: Store) => Store {
  return (store) => ({ ...store, ...change(store) })
}

/** Broken variants, each of which the property must find. */
const broken: Readonly<Record<string, (store: Store) => Store>> = {
  'reads no step, and replaces what is there': seeing((store) => ({
    read: async (tenant, reads) => {
      const found = await store.read(tenant, reads)
      return found.map((each, at): Found => {
        const read = reads[at]
        return read && 'get' in read && read.get === 'steps' ? { rows: [], total: null } : each
      })
    },
    commit: async (set) => {
      const found = await store.read(
        set.tenant,
        (set.puts ?? [])
          .filter(({ in: name }) => name === 'steps')
          .map(({ row }) => {
            const { tenantId, applicationId, scope, stepId } = row as Record<string, string>
            return { get: 'steps', key: [tenantId, applicationId, scope, stepId] as never }
          }),
      )
      let at = 0
      const puts = (set.puts ?? []).map((each) => {
        if (each.in !== 'steps') return each
        return { ...each, was: found[at++]?.rows[0] ?? null }
      })
      return store.commit({ ...set, ...(set.puts && { puts }) })
    },
  })),
  'forgets the traces': seeing((store) => ({
    commit: (set) =>
      store.commit({
        ...set,
        ...(set.puts && { puts: set.puts.filter(({ in: name }) => name !== 'traces') }),
      }),
  })),
  'leaves flags behind': seeing((store) => ({
    read: async (tenant, reads) => {
      const found = await store.read(tenant, reads)
      return found.map((each, at): Found => {
        const read = reads[at]
        const all = read && 'list' in read && read.list === 'sessionFlags' && read.take > 1
        return all ? { rows: [], total: null } : each
      })
    },
  })),
  'forgets what requires a case that moves': seeing((store) => ({
    commit: (set) =>
      store.commit({
        ...set,
        ...(set.removes?.length &&
          set.puts && { puts: set.puts.filter(({ in: name }) => name !== 'policyDemands') }),
      }),
  })),
  'counts no dissolved session off': seeing((store) => ({
    commit: (set) => {
      const { adds = [], ...rest } = set
      return store.commit({ ...rest, adds: adds.filter(({ delta }) => delta > 0) })
    },
  })),
}

describe('spans that are sent at once, again and in parts', () => {
  it('are stored once, in the one session of their trace', async () => {
    await fc.assert(
      fc.asyncProperty(exported, sendings, async (spans, parts) =>
        sendAll(await createWorld(), spans, parts),
      ),
      runs,
    )
  })

  for (const [name, wrap] of Object.entries(broken))
    it(`find a store that ${name}`, async () => {
      const checked = await fc.check(
        fc.asyncProperty(exported, sendings, async (spans, parts) =>
          sendAll(await createWorld({ wrap }), spans, parts),
        ),
        // Drawn alike in every run: whether chance finds it is no news.
        { numRuns: 200, seed: 1, endOnFailure: true },
      )
      assert.ok(checked.failed, 'expected the property to fail')
    })
})

describe('a bundle without a row', () => {
  it('is removed once it is a day old; one that is referred to stays', async () => {
    const world = await createWorld()
    unwrap(await send(world, span({ input: 'kept' })))
    const [row] = world.rows(bundles)
    assert.ok(row)
    const orphan = bundlePath({ ...row, bundleId: `${row.bundleId.slice(0, -1)}0` })
    await world.blobs.put([{ path: orphan, bytes: new Uint8Array(3) }])
    await world.pass(1)
    const paths = async () =>
      (await world.blobs.list({ prefix: '', after: null, take: 9 })).map(({ path }) => path)
    assert.equal((await paths()).length, 2)
    await world.pass(25 * 3_600_000)
    assert.deepEqual(await paths(), [bundlePath(row)])
  })
})
