import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newApplication, newOrganization } from '@countersign/core/testing'
import { kindsOf } from '../../kernel/callers.ts'
import { put } from '../../kernel/ledger/reads.ts'
import type { Result } from '../../kernel/ledger/refusal.ts'
import { type Purge, purges } from '../../removal/lifecycle/records.ts'
import { groups } from '../../rooms.ts'
import { createWorld, staff, start, value, type World } from '../keys/requests/world.ts'

type Step = () => Promise<Result<unknown>>
/** Prepares a step of staff on the organization of the world. */
type Prepare = (world: World) => Promise<Step>

const reason = 'asked by mail'

async function submitted({ requests, ada, applicationId }: World): Promise<string> {
  const input = { action: 'issue-customer-key', applicationId, reason }
  return value(await requests.submit(ada, input)).id
}

const evidence = {
  ticket: '4712',
  identity: { method: 'video call', verifiedBy: 'security', verifiedAt: start },
  authorizationForm: { sha256: '0'.repeat(64), signedBy: 'Ada Lovelace', signedAt: start },
}

/** A purge that was given up, of each organization; the id of the world's. */
async function poisoned({ store, tenantId, applicationId }: World): Promise<string> {
  const row: Purge = {
    ...{ tenantId, applicationId, messageId: 'msg_own', state: 'poisoned', attempts: 5 },
    ...{ firstFailedAt: start, lastError: 'a broken disk', startedAt: start },
    progress: {
      ...{ phase: 'blobs', part: 0, after: null, blobs: [] },
      counts: { sessions: 0, blobs: 0, salts: 0 },
    },
  }
  const other = { ...row, tenantId: 'ten_other', messageId: 'msg_other' }
  const puts = [put(purges, row, null), put(purges, other, null)]
  await store.commit({ tenant: null, puts })
  return row.messageId
}

const steps: Readonly<Record<string, Prepare>> = {
  'keyRequests.approve': async (world) => {
    const requestId = await submitted(world)
    return () => world.requests.approve(staff, { requestId })
  },
  'keyRequests.reject': async (world) => {
    const requestId = await submitted(world)
    return () => world.requests.reject(staff, { requestId, reason })
  },
  'keyRequests.execute': async (world) => {
    const requestId = await submitted(world)
    value(await world.requests.approve(staff, { requestId }))
    return () => world.requests.execute(staff, { requestId })
  },
  'customerKeys.setRate': async ({ customerKeys, ada, applicationId }) => {
    const { keyId } = value(await customerKeys.issue(ada, { applicationId }))
    return () => customerKeys.setRate(staff, { keyId, ratePerMinute: 7 })
  },
  'tenants.suspend': async ({ service, tenantId }) => {
    return () => service.tenants.suspend(staff, { tenantId, reason })
  },
  'tenants.resume': async ({ service, tenantId }) => {
    value(await service.tenants.suspend(staff, { tenantId, reason }))
    return () => service.tenants.resume(staff, { tenantId, reason })
  },
  'tenants.setPlan': async ({ service, tenantId }) => {
    return () => service.tenants.setPlan(staff, { tenantId, plan: 'Team' })
  },
  'tenants.requestDeletion': async ({ service, tenantId }) => {
    return () => service.tenants.requestDeletion(staff, { tenantId, ...evidence })
  },
  'tenants.cancelDeletion': async ({ service, tenantId }) => {
    value(await service.tenants.requestDeletion(staff, { tenantId, ...evidence }))
    return () => service.tenants.cancelDeletion(staff, { tenantId })
  },
  'purgePoison.requeue': async (world) => {
    const messageId = await poisoned(world)
    return () => world.service.purgePoison.requeue(staff, { messageId, note: reason })
  },
  'purgePoison.resolve': async (world) => {
    const messageId = await poisoned(world)
    return () => world.service.purgePoison.resolve(staff, { messageId, note: reason })
  },
  'auth.issuePasswordReset': async ({ service }) => {
    return () => service.auth.issuePasswordReset(staff, { email: 'ada@acme.example' })
  },
}

/** The organization in whose scope each call of the store is made from now on; null: in that of all. */
function scopesOf({ store }: World) {
  const scopes = { reads: [] as (string | null)[], commits: [] as (string | null)[] }
  const { read, commit } = store
  store.read = (tenant, reads) => {
    scopes.reads.push(tenant)
    return read(tenant, reads)
  }
  store.commit = (set) => {
    scopes.commits.push(set.tenant)
    return commit(set)
  }
  return scopes
}

describe('a step of staff', () => {
  it('is each command that staff may call', () => {
    const named = Object.values(groups)
      .flat()
      .filter(({ kind, by }) => kind === 'command' && kindsOf(by).includes('staff'))
      .map(({ name }) => name)
    assert.deepEqual(Object.keys(steps).sort(), named.sort())
  })

  for (const [name, prepare] of Object.entries(steps))
    it(`writes in the scope of one organization, and reads others only to find it: ${name}`, async () => {
      const world = await createWorld()
      const other = await newOrganization(world.service, { email: 'cyd@other.example' })
      await newApplication(world.service, other.admin)
      const step = await prepare(world)
      const { reads, commits } = scopesOf(world)
      value(await step())
      assert.deepEqual(commits, [world.tenantId])
      // At most the read that finds whose the thing is.
      const wide = reads.filter((tenant) => tenant === null).length
      assert.ok(wide <= 1 && reads.at(0) === (wide === 1 ? null : world.tenantId), `${reads}`)
      assert.ok(
        reads.slice(wide).every((tenant) => tenant === world.tenantId),
        `${reads}`,
      )
    })
})
