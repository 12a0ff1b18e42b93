import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Actor, collections, logs, type MemberActor, unwrap } from '@countersign/core'
import { createLedger, type ListQuery, put } from '@countersign/core/ledger'
import { createManualClock, createMemoryStore, seededRandom } from '@countersign/core/testing'
import fc from 'fast-check'
import { type Application, applications } from '../../applications/records.ts'
import type { Store } from '../../base/ports/store.ts'
import { sessions } from '../../content/records.ts'
import type { SessionFilter } from '../../content/view.ts'
import { openGroups } from '../../kernel/facade.ts'
import type { KernelPorts } from '../../kernel/ports.ts'
import { type Member, members } from '../../organizations/access/records.ts'
import { type ReviewCase, reviewCases } from '../../review/records.ts'
import { listSessions } from '../../sessions/list-sessions.ts'
import type { PayloadDeps } from '../../sessions/read-content.ts'
import { newSession } from '../../sessions/session-state.ts'
import { start } from './world.ts'

const tenantId = 'ten_1'
const member: MemberActor = {
  kind: 'member',
  tenantId,
  memberId: 'mem_1',
  role: 'CustomerAdmin',
  permissions: [],
}

interface Given {
  readonly application: 'app_1' | 'app_2'
  /** Open and closed cases of the session. */
  readonly open: number
  readonly closed: number
}

const given: fc.Arbitrary<Given> = fc.record({
  application: fc.constantFrom('app_1', 'app_2'),
  open: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 2 })),
  closed: fc.nat(1),
})

/** A store with these sessions, each a minute after the one before, and what reads of it brought. */
async function stored(list: readonly Given[], hidden: readonly Given['application'][] = []) {
  const store = createMemoryStore({ collections, logs })
  const brought = { sessions: 0 }
  const counting: Store = {
    ...store,
    read: async (tenant, reads) => {
      const found = await store.read(tenant, reads)
      for (const [at, read] of reads.entries()) {
        const name = 'get' in read ? read.get : 'list' in read ? read.list : ''
        if (name === sessions.name) brought.sessions += found[at]?.rows.length ?? 0
      }
      return found
    },
  }
  let cases = 0
  const puts = list.flatMap(({ application, open, closed }, at) => {
    const owner = { tenantId, applicationId: application }
    const sessionId = `s-${at}`
    const key = { ...owner, sessionId }
    const startedAt = start + at * 60_000
    const begun = newSession(key, { origin: 'otlp', startedAt, now: startedAt })
    const caseRow = (state: ReviewCase['state']) => {
      const number = ++cases
      const reviewCaseId = `rc_${String(number).padStart(26, '0')}`
      const more = {
        dataSubjectId: null,
        checkpointId: `c-${number}`,
        assigneeId: null,
        reviewTier: 'standard',
      }
      return put(
        reviewCases,
        {
          ...{ expiresAt: start, overdueAt: null, duePlace: '', followUp: null, idleSince: null },
          ...key,
          ...more,
          reviewCaseId,
          state,
        } as ReviewCase,
        null,
      )
    }
    return [
      put(sessions, { ...begun, openCases: open, underReview: open > 0 ? 1 : 0 }, null),
      ...Array.from({ length: open }, () => caseRow('open')),
      ...Array.from({ length: closed }, () => caseRow('decided')),
    ]
  })
  const deleted = hidden.map((applicationId) => {
    const lifecycleState = 'pending_deletion'
    const row = { tenantId, applicationId, stage: 'production', lifecycleState } as Application
    return put(applications, row, null)
  })
  const { memberId, role } = member
  const standing = { role, granted: [], status: 'Active', emailKey: null } as const
  const reader = { tenantId, memberId, ...standing } as unknown as Member
  await store.commit({ tenant: null, puts: [...puts, ...deleted, put(members, reader, null)] })
  const ports = { store: counting, clock: createManualClock(start), random: seededRandom(1) }
  const tools = { ledger: createLedger(ports) } as unknown as KernelPorts & PayloadDeps
  const { sessions: opened } = openGroups({ sessions: [listSessions] }, tools, tools)
  const listed = (actor: Actor, filter: SessionFilter, query: ListQuery) =>
    opened.list(actor, { ...filter, ...partOf(query) })
  return { list: listed, brought }
}

/** A cursor of null begins a list. */
function partOf(query: ListQuery) {
  if ('page' in query) return query
  const { after, limit } = query
  return after === null ? { limit } : { after, limit }
}

async function gathered(
  list: Awaited<ReturnType<typeof stored>>['list'],
  filter: SessionFilter,
  query: ListQuery,
) {
  const { totalCount, pieces } = unwrap(await list(member, filter, query))
  const ids: string[] = []
  for (;;) {
    const next = await pieces.next()
    if (next.done) return { ids, totalCount, next: next.value }
    ids.push(...next.value.map(({ sessionId }) => sessionId))
  }
}

const filters = fc.record({
  openReview: fc.option(fc.boolean(), { nil: undefined }),
  sort: fc.constantFrom('startedAt' as const, '-startedAt' as const),
  applicationId: fc.option(fc.constant('app_1'), { nil: undefined }),
  hidden: fc.subarray<Given['application']>(['app_1', 'app_2']),
})

type List = Awaited<ReturnType<typeof stored>>['list']

/** Mutants are drawn alike in every run: whether chance finds one is no news. */
const forMutants = { seed: 1 }

async function agreesWithTheWholeList(
  change: (list: List) => List,
  drawn: object = {},
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(given, { maxLength: 130 }),
      filters,
      fc.oneof(fc.integer({ min: 2, max: 9 }), fc.integer({ min: 49, max: 60 })),
      async (all, { applicationId, openReview, hidden, sort }, size) => {
        const list = change((await stored(all, hidden)).list)
        const filter = {
          sort,
          ...(openReview !== undefined && { openReview }),
          ...(applicationId && { applicationId }),
        }
        const expected = all.flatMap(({ application, open }, at) => {
          if (openReview !== undefined && open > 0 !== openReview) return []
          if (applicationId && application !== applicationId) return []
          return hidden.includes(application) ? [] : `s-${at}`
        })
        if (sort === '-startedAt') expected.reverse()
        const paged: string[] = []
        for (let page = 1; page <= Math.ceil(expected.length / size) + 1; page++) {
          const part = await gathered(list, filter, { page, pageSize: size })
          assert.equal(part.totalCount, expected.length)
          assert.ok(part.ids.length <= size)
          paged.push(...part.ids)
        }
        assert.deepEqual(paged, expected)
        const walked: string[] = []
        for (let after: string | null = null; ; ) {
          const part = await gathered(list, filter, { after, limit: size })
          assert.ok(part.ids.length === size || part.next === null)
          walked.push(...part.ids)
          after = part.next
          if (after === null) break
        }
        assert.deepEqual(walked, expected)
      },
    ),
    { numRuns: 60, ...drawn },
  )
}

describe('sessions by their open review cases, without those of applications that are being deleted', () => {
  it('are those of the whole list that have one, or none, in pages and behind cursors', async () => {
    await agreesWithTheWholeList((list) => list)
    const mutants: readonly ((list: List) => List)[] = [
      (list) =>
        (actor, { openReview: _, ...filter }, query) =>
          list(actor, filter, query),
      (list) => (actor, filter, query) =>
        list(actor, filter, 'page' in query ? { ...query, page: 1 } : query),
      (list) => (actor, filter, query) =>
        list(actor, filter, 'limit' in query ? { ...query, limit: 1 } : query),
      (list) => (actor, filter, query) => list(actor, { ...filter, sort: '-startedAt' }, query),
    ]
    for (const [at, mutant] of mutants.entries())
      await assert.rejects(agreesWithTheWholeList(mutant, forMutants), `mutant ${at}`)
  })

  it('are found without reading the other sessions', async () => {
    const all = Array.from({ length: 600 }, (_, at) => ({
      application: 'app_1' as const,
      open: at % 200 === 0 ? 1 : 0,
      closed: 0,
    }))
    const { list, brought } = await stored(all)
    const open = await gathered(list, { openReview: true }, { page: 1, pageSize: 20 })
    assert.deepEqual(open.ids, ['s-400', 's-200', 's-0'])
    assert.ok(brought.sessions <= 6, `${brought.sessions} rows for 3 sessions`)
    brought.sessions = 0
    const none = await gathered(list, { openReview: false }, { page: 20, pageSize: 20 })
    assert.deepEqual([none.totalCount, none.ids.length, none.ids[0]], [597, 20, 's-218'])
    assert.ok(brought.sessions <= 40, `${brought.sessions} rows for a page of 20`)
  })
})
