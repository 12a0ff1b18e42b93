import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections, logs, recordRestore } from '@countersign/core'
import type { Collection, Store } from '@countersign/core/ports'
import { createMemoryStore } from '@countersign/core/testing'
import fc from 'fast-check'
import { type Application, applications } from '../applications/records.ts'
import { put } from '../kernel/ledger/reads.ts'
import { type Member, members, type Tenant, tenants } from '../organizations/access/records.ts'
import { type ReviewCase, reviewCases } from '../review/records.ts'

const tenant = (tenantId: string): Tenant => ({
  tenantId,
  name: tenantId,
  contactEmail: 'office@example.com',
  status: 'active',
  createdAt: 1,
  updatedAt: 1,
})

const member = (tenantId: string, memberId: string, sessionVersion: number) =>
  ({
    tenantId,
    memberId,
    emailKey: `${tenantId}-${memberId}`,
    status: 'Active',
    sessionVersion,
  }) as Member

const reviewCase = (
  state: 'open' | 'decided',
  { caseVersion, eventSequence }: { caseVersion: number; eventSequence: number },
) => {
  const reviewCaseId = `rc_${state}`
  return {
    reviewCaseId,
    tenantId: 't0',
    applicationId: 'app',
    sessionId: reviewCaseId,
    checkpointId: 'c',
    state,
    dataSubjectId: null,
    assigneeId: null,
    reviewTier: 'standard',
    overdueAt: null,
    duePlace: 'place',
    followUp: null,
    idleSince: null,
    expiresAt: 2_000_000,
    caseVersion,
    eventSequence,
    presentation: { action: 'pay' },
    history: [],
  } as unknown as ReviewCase
}

function storeOf(counts: readonly number[]) {
  const store = createMemoryStore({ collections, logs })
  const puts = counts.flatMap((count, at) => [
    put(tenants, tenant(`t${at}`), null),
    ...Array.from({ length: count }, (_, number) =>
      put(members, member(`t${at}`, `m${number}`, number), null),
    ),
  ])
  return { store, puts }
}

const at = { keptUntil: 1_000_000, now: 1_500_000 }
/** What passed, and a minute for clocks that are off. */
const by = 500_000 + 60_000

describe('a store that was put back', () => {
  it('has each counter raised once, however many rows share the first column of a key', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 130 }), { minLength: 1, maxLength: 4 }),
        async (counts) => {
          const { store, puts } = storeOf(counts)
          await store.commit({ tenant: null, puts })
          const before = new Map(
            store.rows(members).map(({ row }) => [row.emailKey, row.sessionVersion]),
          )
          const { raisedBy, rows } = await recordRestore(store, at)
          assert.equal(raisedBy, by)
          assert.equal(rows.members, before.size)
          for (const { row } of store.rows(members))
            assert.equal(row.sessionVersion, (before.get(row.emailKey) ?? 0) + by, row.memberId)
        },
      ),
      { numRuns: 15 },
    )
  })

  it('has versions past what a step a millisecond could have told, and the rest as it was', async () => {
    const { store, puts } = storeOf([1])
    const row = reviewCase('open', { caseVersion: 3, eventSequence: 7 })
    // Of a version that counted none.
    const application = {
      tenantId: 't0',
      applicationId: 'a',
      stage: 'production',
      lifecycleState: 'active',
    }
    const more = [put(reviewCases, row, null), put(applications, application as Application, null)]
    await store.commit({ tenant: null, puts: [...puts, ...more] })
    await recordRestore(store, at)
    const [found] = store.rows(reviewCases)
    assert.deepEqual(found?.row, { ...row, caseVersion: 3 + by, eventSequence: 7 + by })
    assert.equal(store.rows(applications)[0]?.row.version, by)
    const passed = at.now - at.keptUntil
    assert.ok((found?.row.eventSequence ?? 0) > 7 + passed)
  })

  it('has the versions of ended cases as they were sealed, and raises the sequence of their events', async () => {
    const { store } = storeOf([])
    const row = reviewCase('decided', { caseVersion: 3, eventSequence: 7 })
    await store.commit({ tenant: null, puts: [put(reviewCases, row, null)] })
    await recordRestore(store, at)
    const [found] = store.rows(reviewCases)
    assert.deepEqual(found?.row, { ...row, eventSequence: 7 + by })
  })

  it('is recorded in the audit log of each organization', async () => {
    const { store, puts } = storeOf([0, 0])
    await store.commit({ tenant: null, puts })
    await recordRestore(store, at)
    for (const tenantId of ['t0', 't1']) {
      const [log] = await store.read(tenantId, [
        { log: 'audit', partition: tenantId, after: 0, take: 9 },
      ])
      const entries = (log?.rows ?? []).map(({ row }) =>
        JSON.parse(new TextDecoder().decode((row as { entry: Uint8Array }).entry)),
      )
      assert.deepEqual(
        entries.map(({ action, detail }) => [action, detail.raisedBy]),
        [['store.restored', by]],
      )
    }
  })

  it('may not change meanwhile', async () => {
    const { store, puts } = storeOf([1])
    await store.commit({ tenant: null, puts })
    const busy: Store = {
      ...store,
      commit: async (set) => ({
        committed: false,
        conflicts: [{ kind: 'version', in: set.puts?.[0]?.in ?? '', key: ['t0'], now: 9 }],
      }),
    }
    await assert.rejects(recordRestore(busy, at), /changed while versions were raised/)
  })

  it('raises what is compared over time: sessions, applications, case versions, event sequences', () => {
    const raised = (collections as unknown as readonly Collection[]).flatMap(
      ({ name, restore }) => restore?.raise.map((column) => `${name}.${column}`) ?? [],
    )
    assert.deepEqual(raised, [
      'members.sessionVersion',
      'applications.version',
      'reviewCases.caseVersion',
      'reviewCases.eventSequence',
    ])
  })
})
