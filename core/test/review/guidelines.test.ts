import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections, createService, logs, unwrap } from '@countersign/core'
import {
  createManualClock,
  createMemoryStore,
  newApplication,
  newOrganization,
  plainPorts,
} from '@countersign/core/testing'
import { reviewerGuidelines } from '../../review/guidelines.ts'

const start = Date.UTC(2026, 10, 21)

async function world() {
  const clock = createManualClock(start)
  const store = createMemoryStore({ collections, logs })
  const service = createService({
    ports: { ...plainPorts(), store, clock },
    ingestUrl: 'https://ingest.example',
  })
  const { admin } = await newOrganization(service)
  const applicationId = await newApplication(service, admin)
  const auditor = { ...admin, role: 'CustomerAuditor', permissions: [] } as const
  const { reviewerGuidelines: group } = service
  const set = (guidelines: string | null, of = applicationId) =>
    group.set(admin, { applicationId: of, guidelines })
  const read = async () => unwrap(await group.read(auditor, { applicationId }))
  return { clock, store, service, admin, auditor, applicationId, set, read }
}

const codeOf = (result: { ok: true } | { ok: false; refusal: { code: string } }) =>
  result.ok ? null : result.refusal.code

describe('guidelines of reviewers', () => {
  it('are set by admins, read by members, and sealed at rest', async () => {
    const { clock, store, service, admin, auditor, applicationId, set, read } = await world()
    assert.deepEqual(await read(), { guidelines: null, updatedAt: null, updatedBy: null })
    const guidelines = 'Compare the account\nwith the invoice.'
    const saved = unwrap(await set(guidelines))
    const at = new Date(start).toISOString()
    assert.deepEqual(saved, { guidelines, updatedAt: at, updatedBy: admin.memberId })
    assert.deepEqual(await read(), saved)
    const [stored] = store.rows(reviewerGuidelines)
    assert.ok(stored && !JSON.stringify(stored.row).includes('invoice'))
    await clock.advance(1_000)
    // The same again is no change.
    assert.deepEqual(unwrap(await set(guidelines)), saved)
    assert.equal(unwrap(await set(null)).guidelines, null)
    assert.equal((await read()).updatedAt, new Date(start + 1_000).toISOString())
    const { entries } = unwrap(
      await service.auditLog.list(admin, { action: 'reviewer_guidelines.set' }),
    ) as {
      entries: readonly { readonly subject: string; readonly detail: object }[]
    }
    assert.deepEqual(
      entries.map(({ subject, detail }) => [subject, detail]),
      [true, false].map((removed) => [applicationId, { removed }]),
    )
    const by = await service.reviewerGuidelines.set(auditor, { applicationId, guidelines })
    assert.equal(codeOf(by), 'forbidden')
  })

  it('hold 10,000 characters, of an application that is there and not being deleted', async () => {
    const { service, admin, applicationId, set, read } = await world()
    assert.equal(codeOf(await set('x'.repeat(10_001))), 'invalid_request')
    unwrap(await set('x'.repeat(10_000)))
    assert.equal(codeOf(await set('x', `app_${'0'.repeat(26)}`)), 'not_found')
    unwrap(await service.applications.requestDeletion(admin, { applicationId }))
    assert.equal(codeOf(await set('y')), 'application_gone')
    assert.equal((await read()).guidelines?.length, 10_000)
  })
})
