import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { ListQuery } from '@countersign/core/ledger'
import { newApplication, provisionKey } from '@countersign/core/testing'
import type { SessionFilter } from '../../content/view.ts'
import { createWorld, send, span, spanOf, start, traceOf, type World } from './world.ts'

const firstPage = { page: 1, pageSize: 20 } as const

/** A cursor of null begins a list. */
function partOf(query: ListQuery) {
  if ('page' in query) return query
  const { after, limit } = query
  return after === null ? { limit } : { after, limit }
}

async function list(world: World, filter: SessionFilter, query: ListQuery = firstPage) {
  const { totalCount, pieces } = unwrap(
    await world.service.sessions.list(world.admin, { ...filter, ...partOf(query) }),
  )
  const ids: string[] = []
  for (;;) {
    const next = await pieces.next()
    if (next.done) return { ids, totalCount, next: next.value }
    ids.push(...next.value.map(({ sessionId }) => sessionId))
  }
}

/** Six sessions, an hour apart: 1 failed and complete, 2 flagged, 3 with a case, 4 and 5 of a subject. */
async function filled(): Promise<World> {
  const world = await createWorld()
  const own = { ruleId: 'r', reasonCategory: null, reviewTier: null } as const
  const spans = Array.from({ length: 6 }, (_, at) =>
    span({
      traceId: traceOf(at + 1),
      spanId: spanOf(at + 1),
      sessionId: `s-${at}`,
      startedAt: start + at * 3_600_000,
      endedAt: start + at * 3_600_000 + 1,
      status: at === 1 ? 'error' : 'ok',
      parentSpanId: at === 1 ? null : spanOf(99),
      dataSubjectId: at > 3 ? 'ada' : null,
      policyResult:
        at === 2
          ? { ...own, effect: 'deny' }
          : at === 3
            ? { ...own, effect: 'require_review' }
            : null,
    }),
  )
  unwrap(await send(world, ...spans))
  await world.pass(60_000)
  return world
}

describe('the list of sessions', () => {
  it('shows what a filter leaves, by start, and counts it', async () => {
    const world = await filled()
    const all = ['s-5', 's-4', 's-3', 's-2', 's-1', 's-0']
    const { service, admin } = world
    const lookup = { dataSubjectId: 'ada' }
    const { dataSubjectId } = unwrap(await service.subjects.lookup(admin, lookup))
    for (const [filter, expected] of [
      [{}, all],
      [{ sort: 'startedAt' }, all.toReversed()],
      [{ applicationId: world.owner.applicationId }, all],
      [{ applicationId: 'app_other' }, []],
      [{ status: 'failed' }, ['s-1']],
      [{ status: 'running' }, all.filter((id) => id !== 's-1')],
      [{ origin: 'submission' }, []],
      [{ from: start + 3_600_000, until: start + 3 * 3_600_000 }, ['s-2', 's-1']],
      [{ flagged: true }, ['s-2']],
      [{ flagged: false, status: 'running' }, ['s-5', 's-4', 's-3', 's-0']],
      [{ openReview: true }, ['s-3']],
      [{ openReview: false }, all.filter((id) => id !== 's-3')],
      [{ dataSubjectId }, ['s-5', 's-4']],
    ] as const) {
      const found = await list(world, filter)
      assert.deepEqual(found.ids, expected, JSON.stringify(filter))
      assert.equal(found.totalCount, expected.length, JSON.stringify(filter))
    }
  })

  it('is found by a pseudonym alone: ids of persons stand in no address', async () => {
    const { service, admin } = await filled()
    for (const dataSubjectId of ['ada', 'sub_ada', `sub_${'0'.repeat(27)}`]) {
      const listed = await service.sessions.list(admin, { dataSubjectId, page: 1, pageSize: 10 })
      assert.equal(listed.ok ? null : listed.refusal.code, 'invalid_request')
    }
  })

  it('is the same in pages and behind cursors, with a filter that no column tells too', async () => {
    const world = await filled()
    for (const filter of [{}, { openReview: false }] as const) {
      const { ids } = await list(world, filter)
      const paged: string[] = []
      for (const page of [1, 2, 3])
        paged.push(...(await list(world, filter, { page, pageSize: 2 })).ids)
      assert.deepEqual(paged, ids)
      const walked: string[] = []
      for (let after: string | null = null; ; ) {
        const part = await list(world, filter, { after, limit: 2 })
        walked.push(...part.ids)
        after = part.next
        if (after === null) break
      }
      assert.deepEqual(walked, ids)
    }
  })
})

describe('the id of a session', () => {
  it('of two applications must come with one of them', async () => {
    const world = await createWorld()
    const { service, admin, owner } = world
    const applicationId = await newApplication(service, admin, 'Other')
    const theirs = { tenantId: owner.tenantId, applicationId }
    const { key: other } = await provisionKey(service, theirs, 'secondary')
    unwrap(await send(world, span()))
    unwrap(await service.ingest.acceptSpans(other, { spans: [span()], rejected: {} }))
    const either = await service.sessions.read(admin, { sessionId: 'session-1' })
    assert.equal(either.ok ? 'ok' : either.refusal.code, 'ambiguous_session')
    const named = unwrap(
      await service.sessions.read(admin, { sessionId: 'session-1', applicationId }),
    )
    assert.equal(named.applicationId, applicationId)
    const unknown = await service.sessions.read(admin, { sessionId: 'session-2' })
    assert.equal(unknown.ok ? 'ok' : unknown.refusal.code, 'not_found')
  })
})
