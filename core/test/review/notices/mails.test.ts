import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { collections, createService, logs, type MemberActor, unwrap } from '@countersign/core'
import type { Mail } from '@countersign/core/ports'
import {
  byNewKey,
  createManualClock,
  createMemoryStore,
  newApplication,
  newOrganization,
  plainPorts,
} from '@countersign/core/testing'
import { reviewMailMs } from '../../../kernel/ledger/limits.ts'
import { workItems } from '../../../kernel/work/records.ts'
import { reviewNotices } from '../../../review/notices/records.ts'

const portalUrl = 'https://portal.example'

/** A running service with an admin, a reviewer and an auditor without the permission. */
async function world(test: TestContext, { sends = true } = {}) {
  const clock = createManualClock(Date.UTC(2026, 10, 21))
  const store = createMemoryStore({ collections, logs })
  const mails: Mail[] = []
  const mailer = { send: async (mail: Mail) => void mails.push(mail) }
  const service = createService({
    ports: { ...plainPorts(), store, clock, ...(sends && { mailer }) },
    ...{ ingestUrl: 'https://ingest.example', portalUrl },
  })
  const { admin } = await newOrganization(service)
  const applicationId = await newApplication(service, admin)
  const member = async (name: string, permissions: MemberActor['permissions']) => {
    const role = 'CustomerAuditor' as const
    const email = `${name}@acme.example`
    const given = { name, email, password: 'correct horse battery', role, permissions }
    const { memberId } = unwrap(
      await service.members.create({ kind: 'system' }, { tenantId: admin.tenantId, ...given }),
    )
    return { ...admin, memberId, role, permissions }
  }
  const reviewer = await member('rita', ['Review Cases'])
  await member('otto', [])
  const application = await byNewKey(service, admin, applicationId)
  service.start()
  test.after(() => service.drain(0))
  let opened = 0
  const open = async (more: object = {}) => {
    opened++
    const { reviewCaseId } = unwrap(
      await service.reviewCases.open(application, {
        ...{ sessionId: 's', checkpointId: `c-${opened}`, idempotencyKey: `c-${opened}` },
        ...{ reasonCategory: 'high_risk_action', reviewTier: 'high' },
        ...{ presentation: { title: 'Pay Mrs. Miller' }, ...more },
      }),
    )
    await clock.advance(2_000)
    return reviewCaseId
  }
  /** Names of whom mails went to, and their subjects, since the last look. */
  const told = () =>
    mails
      .splice(0)
      .filter(({ subject }) => /case/.test(subject))
      .map(({ to, subject }) => `${to.split('@')[0]}: ${subject}`)
      .sort()
  return { clock, store, service, admin, reviewer, mails, open, told }
}

describe('mails about cases that wait', () => {
  it('go to those who may review, with ids and times alone', async (test) => {
    const { open, mails, told, admin } = await world(test)
    const reviewCaseId = await open()
    const rita = mails.find(({ to }) => to.startsWith('rita'))
    assert.equal(
      rita?.text,
      [
        'high, due 2026-11-21T04:00:00.000Z, expires 2026-11-22T00:00:00.000Z',
        `${portalUrl}/cases/${reviewCaseId}`,
        '',
        'You get one such mail in 15 minutes at most, for cases of the tiers high and urgent.',
        `Turn them off here: ${portalUrl}/me`,
      ].join('\n'),
    )
    const subjects = told()
    assert.equal(subjects.length, 2)
    assert.ok(subjects.every((each) => each.endsWith(': 1 case waits for a review')))
    await open({ reviewTier: 'standard' })
    await open({ requestedBy: admin.memberId, reviewTier: 'urgent' })
    assert.deepEqual(told(), [])
  })

  it('are one in 15 minutes, which tells of all that nobody has taken', async (test) => {
    const { open, told, clock, service, reviewer, store } = await world(test)
    await open()
    told()
    const [second] = [await open(), await open(), await open({ reviewTier: 'urgent' })]
    unwrap(await service.reviewCases.claim(reviewer, { reviewCaseId: second }))
    assert.deepEqual(told(), [])
    await clock.advance(reviewMailMs)
    const subjects = told()
    assert.equal(subjects.length, 2)
    assert.ok(subjects.every((each) => each.endsWith(': 3 cases wait for a review')))
    await clock.advance(2 * reviewMailMs)
    assert.deepEqual(told(), [])
    assert.ok(store.rows(workItems).every(({ row }) => row.kind !== 'reviewCase.notice'))
  })

  it('name no case that was claimed or cancelled before the mail could go out', async (test) => {
    const { open, told, clock, service, admin } = await world(test)
    await open()
    told()
    const reviewCaseId = await open()
    const { caseVersion } = unwrap(await service.reviewCases.read(admin, { reviewCaseId }))
    unwrap(
      await service.reviewCases.cancel(admin, {
        ...{ reviewCaseId, caseVersion, reasonCategory: 'end_user_cancelled' },
      }),
    )
    await clock.advance(2 * reviewMailMs)
    assert.deepEqual(told(), [])
  })

  it('are turned off and on by each member for themselves', async (test) => {
    const { open, told, clock, service, reviewer, admin } = await world(test)
    const { portal } = service
    assert.deepEqual(unwrap(await portal.readNotices(reviewer, {})), {
      ...{ reviewWaiting: true, sends: true },
    })
    const off = unwrap(await portal.setNotices(reviewer, { reviewWaiting: false }))
    assert.deepEqual(off, { reviewWaiting: false, sends: true })
    assert.equal(unwrap(await portal.readNotices(admin, {})).reviewWaiting, true)
    await open()
    assert.ok(told().every((each) => !each.startsWith('rita')))
    unwrap(await portal.setNotices(reviewer, { reviewWaiting: true }))
    await clock.advance(reviewMailMs)
    await open()
    assert.equal(told().length, 2)
  })

  it('are not owed without a mailer', async (test) => {
    const { open, store, service, reviewer } = await world(test, { sends: false })
    await open()
    assert.deepEqual(store.rows(reviewNotices), [])
    assert.equal(unwrap(await service.portal.readNotices(reviewer, {})).sends, false)
  })
})
