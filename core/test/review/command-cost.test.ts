import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections, createService, logs, unwrap } from '@countersign/core'
import type { ChangeSet } from '@countersign/core/ports'
import {
  createManualClock,
  createMemoryStore,
  newApplication,
  newOrganization,
  plainPorts,
} from '@countersign/core/testing'

async function world() {
  const clock = createManualClock(Date.UTC(2026, 10, 21))
  const inner = createMemoryStore({ collections, logs })
  const cost = { reads: 0, commits: 0 }
  let lastSet: ChangeSet | undefined
  const service = createService({
    ports: {
      ...plainPorts(),
      store: {
        ...inner,
        read: (...asked) => {
          cost.reads++
          return inner.read(...asked)
        },
        commit: (set) => {
          cost.commits++
          lastSet = set
          return inner.commit(set)
        },
      },
      clock,
    },
    ingestUrl: 'https://ingest.example',
  })
  const { admin: ada } = await newOrganization(service)
  const applicationId = await newApplication(service, ada)
  const { value: key } = unwrap(
    await service.applicationKeys.create(ada, { applicationId, label: 'first' }),
  )
  const authenticate = async () => unwrap(await service.access.authenticateApplication(key))
  const open = async (checkpointId: string, more: object = {}) =>
    service.reviewCases.open(await authenticate(), {
      sessionId: 'session',
      checkpointId,
      reasonCategory: 'high_risk_action',
      presentation: { action: 'pay' },
      requestedBy: ada.memberId,
      idempotencyKey: checkpointId,
      ...more,
    })
  /** What a call cost, authentication included. */
  const costOf = async (call: () => Promise<unknown>) => {
    const before = { ...cost }
    await call()
    return { reads: cost.reads - before.reads, commits: cost.commits - before.commits }
  }
  return { clock, service, authenticate, open, costOf, checked: () => lastSet?.checks ?? [] }
}

describe('what an opening costs', () => {
  it('three reads and one commit, authentication and the count of its session included', async () => {
    const { open, costOf } = await world()
    unwrap(await open('first'))
    const two = { reads: 2, commits: 1 }
    const three = { reads: 3, commits: 1 }
    assert.deepEqual(await costOf(async () => unwrap(await open('second'))), three)
    // Another key at an open checkpoint finds the case and leaves its receipt.
    assert.deepEqual(
      await costOf(async () => unwrap(await open('second', { idempotencyKey: 'other' }))),
      two,
    )
  })

  it('two reads and no commit for a repeat, and for a refusal; one for a malformed input', async () => {
    const { open, costOf } = await world()
    unwrap(await open('first'))
    const two = { reads: 2, commits: 0 }
    assert.deepEqual(await costOf(async () => unwrap(await open('first'))), two)
    assert.deepEqual(await costOf(() => open('first', { presentation: { other: true } })), two)
    assert.deepEqual(await costOf(() => open('second', { requestedBy: 'mem_unknown' })), two)
    const one = { reads: 1, commits: 0 }
    assert.deepEqual(await costOf(() => open('second', { idempotencyKey: '\0' })), one)
  })

  it('a key that is new to the process costs one read more, once', async () => {
    const { open, costOf } = await world()
    assert.deepEqual(await costOf(() => open('first')), { reads: 4, commits: 1 })
  })

  it('a lapsed case at the checkpoint expires in the same commit', async () => {
    const { clock, service, authenticate, open, costOf } = await world()
    const { reviewCaseId } = unwrap(await open('first'))
    clock.jump(8 * 24 * 60 * 60_000)
    const cost = await costOf(async () => {
      const next = unwrap(await open('first', { idempotencyKey: 'later' }))
      assert.notEqual(next.reviewCaseId, reviewCaseId)
    })
    assert.equal(cost.commits, 1)
    const first = await service.reviewCases.read(await authenticate(), { reviewCaseId })
    assert.equal(unwrap(first).state, 'expired')
  })
})

describe('what a command of an application costs', () => {
  it('one read, which finds its surroundings too, one of its session, and each check once', async () => {
    const { service, authenticate, open, costOf, checked } = await world()
    const { reviewCaseId } = unwrap(await open('first'))
    const actor = await authenticate()
    const cancel = () =>
      service.reviewCases.cancel(actor, { reviewCaseId, reasonCategory: 'parent_workflow_ended' })
    assert.deepEqual(await costOf(async () => unwrap(await cancel())), { reads: 2, commits: 1 })
    const keys = checked().map(({ in: name, key }) => JSON.stringify([name, ...key]))
    assert.equal(new Set(keys).size, keys.length)
    assert.deepEqual(
      checked().map(({ in: name }) => name),
      ['routings', 'applicationKeys', 'applications', 'sessions'],
    )
  })
})
