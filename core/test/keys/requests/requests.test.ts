import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections } from '@countersign/core'
import { createRetention, createRunner } from '@countersign/core/internal'
import { createLedger, put } from '@countersign/core/ledger'
import { type Collection, silentObserver } from '@countersign/core/ports'
import { newOrganization, seededRandom } from '@countersign/core/testing'
import fc from 'fast-check'
import { applications } from '../../../applications/records.ts'
import { owingOn } from '../../owing.ts'
import { revealAtOnce } from './reveal-race.ts'
import { code, createWorld, hour, secretOf, staff, start, value } from './world.ts'

const reason = 'a new backend'
const page = { page: 1, pageSize: 20 }

describe('a key request', () => {
  it('is submitted by an admin, read by members, and audited without its reason', async () => {
    const { requests, ada, auditor, applicationId, audited } = await createWorld()
    const input = { applicationId, reason: ` ${reason} ` }
    const request = value(await requests.submit(ada, { action: 'issue-customer-key', ...input }))
    assert.deepEqual(request, {
      id: request.id,
      action: 'issue-customer-key',
      applicationId,
      type: 'primary ingest',
      keyId: null,
      status: 'submitted',
      requestedBy: ada.memberId,
      requestedAt: new Date(start).toISOString(),
      executedBy: null,
      executedAt: null,
      reason,
      staffReason: null,
      result: null,
    })
    assert.match(request.id, /^req_[0-9a-z]{26}$/)
    assert.deepEqual(value(await requests.read(auditor, { requestId: request.id })), request)
    assert.deepEqual(value(await requests.list(auditor, page)).keyRequests, [request])
    assert.equal(
      code(await requests.submit(auditor, { action: 'issue-customer-key', ...input })),
      'forbidden',
    )
    const entry = audited().at(-1)
    assert.equal(entry?.action, 'key_request.submitted')
    assert.equal(JSON.stringify(entry).includes(reason), false)
  })

  it('is refused for what it lacks, has too much, or names wrongly', async () => {
    const { requests, customerKeys, ada, applicationId } = await createWorld()
    const { keyId } = value(await customerKeys.issue(ada, { applicationId }))
    const asked: readonly (readonly [string, object, string])[] = [
      ['issue-keys', { reason }, 'not_found'],
      ['issue-customer-key', { reason }, 'invalid_request'],
      ['issue-customer-key', { applicationId, reason: ' ' }, 'invalid_request'],
      ['issue-customer-key', { applicationId, type: 'secondary', reason }, 'invalid_request'],
      ['issue-customer-key', { applicationId, keyId, reason }, 'invalid_request'],
      ['issue-secondary-key', { applicationId, type: 'management', reason }, 'invalid_request'],
      ['issue-secondary-key', { applicationId: 'app_0', reason }, 'not_found'],
      ['revoke-key', { keyId: 'key_0', reason }, 'not_found'],
      ['revoke-key', { applicationId, keyId, reason }, 'invalid_request'],
      ['rotate-tenant-key', { applicationId, reason }, 'invalid_request'],
    ]
    for (const [action, input, expected] of asked)
      assert.equal(
        code(await requests.submit(ada, { action, ...(input as { reason: string }) })),
        expected,
        `${action} ${JSON.stringify(input)}`,
      )
    value(await customerKeys.revoke(ada, { keyId }))
    const late = await requests.submit(ada, { action: 'revoke-key', keyId, reason })
    assert.equal(code(late), 'invalid_transition')
  })

  it('is listed for 90 days once it ended, and as long as it is open', async () => {
    const { requests, ada, applicationId, store, clock } = await createWorld()
    const submit = (action: string) => requests.submit(ada, { action, applicationId, reason })
    const ended = value(await submit('issue-customer-key'))
    const open = value(await submit('issue-secondary-key'))
    value(await requests.reject(staff, { requestId: ended.id }))
    const ledger = createLedger({ store, clock, random: seededRandom(5) })
    const work = createRunner({
      ledger,
      clock,
      handlers: [createRetention(collections as readonly unknown[] as readonly Collection[])],
      observer: silentObserver,
      owing: owingOn(ledger),
      options: { owner: 'retention' },
    })
    const listed = async () => value(await requests.list(ada, page)).keyRequests.map(({ id }) => id)
    await work.tick()
    clock.jump(90 * 24 * hour)
    await work.tick()
    assert.deepEqual(new Set(await listed()), new Set([open.id, ended.id]))
    for (let look = 0; look < 2; look++) {
      clock.jump(hour)
      await work.tick()
    }
    assert.deepEqual(await listed(), [open.id])
  })

  it('is one at a time for the same, however many are submitted at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const world = await createWorld()
        const { requests, ada, bea, applicationId } = world
        world.interleave(scheduler)
        const submit = (by: typeof ada) =>
          requests.submit(by, { action: 'issue-secondary-key', applicationId, reason })
        const answers = await scheduler.waitFor(
          Promise.all([submit(ada), submit(bea), submit(ada)]),
        )
        assert.deepEqual(answers.map(code).sort(), ['ok', 'request_pending', 'request_pending'])
      }),
      { numRuns: 40 },
    )
  })

  it('may be submitted again once the one before ended, and for another type meanwhile', async () => {
    const { requests, ada, applicationId } = await createWorld()
    const submit = (type: 'primary ingest' | 'management') =>
      requests.submit(ada, { action: 'issue-customer-key', applicationId, type, reason })
    const { id } = value(await submit('management'))
    value(await submit('primary ingest'))
    assert.equal(code(await submit('management')), 'request_pending')
    value(await requests.cancel(ada, { requestId: id }))
    value(await submit('management'))
  })

  it('is cancelled by an admin until it is approved, and again the same', async () => {
    const { requests, ada, bea, applicationId } = await createWorld()
    const submit = () =>
      requests.submit(ada, { action: 'issue-secondary-key', applicationId, reason })
    const first = value(await submit())
    const cancelled = value(await requests.cancel(bea, { requestId: first.id }))
    assert.equal(cancelled.status, 'cancelled')
    assert.deepEqual(value(await requests.cancel(bea, { requestId: first.id })), cancelled)
    assert.equal(code(await requests.approve(staff, { requestId: first.id })), 'invalid_transition')
    const second = value(await submit())
    value(await requests.approve(staff, { requestId: second.id }))
    assert.equal(code(await requests.cancel(ada, { requestId: second.id })), 'invalid_transition')
    assert.equal(code(await requests.cancel(ada, { requestId: 'req_0' })), 'not_found')
  })

  for (const way of ['deactivated', 'demoted'] as const)
    it(`is withdrawn with its admin who is ${way}, until it is executed`, async () => {
      const { requests, service, ada, bea, applicationId, audited } = await createWorld()
      const ask = async (by: typeof ada, type: 'primary ingest' | 'management') =>
        value(
          await requests.submit(by, { action: 'issue-customer-key', applicationId, type, reason }),
        ).id
      const submitted = await ask(ada, 'primary ingest')
      const approved = value(
        await requests.submit(ada, { action: 'issue-secondary-key', applicationId, reason }),
      ).id
      value(await requests.approve(staff, { requestId: approved }))
      const of = await ask(bea, 'management')
      value(
        way === 'deactivated'
          ? await service.members.deactivate(bea, { memberId: ada.memberId, confirm: true })
          : await service.members.setRole(bea, {
              memberId: ada.memberId,
              role: 'CustomerAuditor',
              permissions: [],
            }),
      )
      const statusOf = async (id: string) =>
        value(await requests.read(bea, { requestId: id })).status
      assert.deepEqual(await Promise.all([submitted, approved, of].map(statusOf)), [
        'cancelled',
        'cancelled',
        'submitted',
      ])
      assert.equal(
        code(await requests.execute(staff, { requestId: approved })),
        'invalid_transition',
      )
      const ended = audited().filter(({ action }) => action === 'key_request.cancelled')
      assert.deepEqual(
        ended.map(({ actor }) => actor),
        Array(2).fill(`member:${bea.memberId}`),
      )
      // The same can be asked for again.
      await ask(bea, 'primary ingest')
    })

  it('made while its admin is deactivated is refused or withdrawn, in every order', () =>
    fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const world = await createWorld()
        const { requests, service, ada, bea, applicationId } = world
        world.interleave(scheduler)
        const both = Promise.all([
          requests.submit(ada, { action: 'issue-secondary-key', applicationId, reason }),
          service.members.deactivate(bea, { memberId: ada.memberId, confirm: true }),
        ])
        await scheduler.waitFor(both)
        const [asked, off] = await both
        value(off)
        if (!asked.ok) return assert.equal(code(asked), 'authentication_required')
        assert.equal(world.stored(asked.value.id)?.status, 'cancelled')
      }),
      { numRuns: 30 },
    ))

  it('is nobody’s but its organization’s and staff’s', async () => {
    const world = await createWorld()
    const { requests, ada } = world
    const id = await world.promised()
    const given = { name: 'Other', email: 'eve@other.example' }
    const { admin: eve } = await newOrganization(world.service, given)
    for (const act of [requests.read, requests.cancel, requests.reveal])
      assert.equal(code(await act(eve, { requestId: id })), 'not_found')
    assert.deepEqual(value(await requests.list(eve, page)).keyRequests, [])
    for (const act of [requests.approve, requests.execute, requests.reject])
      assert.equal(code(await act(ada, { requestId: id })), 'forbidden')
    assert.equal(code(await requests.listForStaff(ada, page)), 'forbidden')
    const [shown] = value(
      await requests.listForStaff(staff, { status: 'executed', ...page }),
    ).keyRequests
    assert.deepEqual([shown?.id, shown?.tenantId], [id, world.tenantId])
    assert.deepEqual(
      value(await requests.listForStaff(staff, { status: 'failed', ...page })).keyRequests,
      [],
    )
  })
})

describe('the value of a requested key', () => {
  it('is made when its requester reveals it: before, there is no key', async () => {
    const world = await createWorld()
    const { requests, access, ada, bea, applicationId, audited } = world
    const id = await world.promised()
    assert.deepEqual(world.keys(), [])
    const { result } = value(await requests.read(ada, { requestId: id }))
    assert.deepEqual(
      [result?.revealUntil, result?.revealedAt, result?.failure],
      [new Date(start + 24 * hour).toISOString(), null, null],
    )
    assert.equal(code(await requests.reveal(bea, { requestId: id })), 'forbidden')
    const shown = value(await requests.reveal(ada, { requestId: id }))
    assert.deepEqual(
      [shown.keyId, shown.type, shown.applicationId, shown.createdBy],
      [result?.keyId, 'primary ingest', applicationId, `member:${ada.memberId}`],
    )
    const key = value(await access.authenticateCustomerKey(secretOf(shown.value)))
    assert.equal(key.keyId, shown.keyId)
    assert.equal(JSON.stringify(world.stored(id)).includes(secretOf(shown.value)), false)
    assert.deepEqual(
      audited()
        .slice(-4)
        .map(({ action, actor }) => `${actor} ${action}`),
      [
        `member:${ada.memberId} key_request.submitted`,
        'staff:ops key_request.approved',
        'staff:ops key_request.executed',
        `member:${ada.memberId} customer_key.issued`,
      ],
    )
    assert.equal(code(await requests.reveal(ada, { requestId: id })), 'reveal_expired')
    assert.equal(
      value(await requests.read(ada, { requestId: id })).result?.revealedAt,
      shown.createdAt,
    )
  })

  // 1,000 schedules are in reveal-race.long.test.ts.
  it('is one value, however often it is revealed at once', () => revealAtOnce(40))

  it('can be revealed for 24 hours, and not while there are ten keys', async () => {
    const world = await createWorld()
    const { requests, customerKeys, clock, ada, applicationId } = world
    const id = await world.promised()
    const issued = []
    for (let at = 0; at < 10; at++)
      issued.push(value(await customerKeys.issue(ada, { applicationId })))
    assert.equal(code(await requests.reveal(ada, { requestId: id })), 'too_many_keys')
    value(await customerKeys.revoke(ada, { keyId: issued[0]?.keyId ?? '' }))
    await clock.advance(24 * hour - 1)
    value(await requests.reveal(ada, { requestId: id }))
    value(await customerKeys.revoke(ada, { keyId: issued[1]?.keyId ?? '' }))
    const late = await world.promised()
    await clock.advance(24 * hour)
    assert.equal(code(await requests.reveal(ada, { requestId: late })), 'reveal_expired')
    assert.equal(world.keys().length, 11)
  })

  it('is none before the execution, of a rejected request, and of one that issues nothing', async () => {
    const { requests, customerKeys, ada, applicationId } = await createWorld()
    const { keyId } = value(await customerKeys.issue(ada, { applicationId }))
    const submit = async (action: string, input: object) =>
      value(await requests.submit(ada, { action, ...input, reason })).id
    const issue = await submit('issue-secondary-key', { applicationId })
    assert.equal(code(await requests.reveal(ada, { requestId: issue })), 'invalid_transition')
    const rejected = value(
      await requests.reject(staff, { requestId: issue, reason: 'use your own' }),
    )
    assert.deepEqual([rejected.status, rejected.staffReason], ['rejected', 'use your own'])
    assert.equal(code(await requests.reveal(ada, { requestId: issue })), 'invalid_transition')
    const revoke = await submit('revoke-key', { keyId })
    value(await requests.approve(staff, { requestId: revoke }))
    value(await requests.execute(staff, { requestId: revoke }))
    assert.equal(code(await requests.reveal(ada, { requestId: revoke })), 'invalid_transition')
  })
})

describe('the execution of a key request', () => {
  it('revokes the key at once', async () => {
    const { requests, access, customerKeys, ada, applicationId, audited } = await createWorld()
    const key = value(await customerKeys.issue(ada, { applicationId }))
    const secret = secretOf(key.value)
    const { id } = value(
      await requests.submit(ada, { action: 'revoke-key', keyId: key.keyId, reason }),
    )
    assert.equal(code(await requests.execute(staff, { requestId: id })), 'invalid_transition')
    value(await requests.approve(staff, { requestId: id }))
    assert.equal(code(await access.authenticateCustomerKey(secret)), 'ok')
    const executed = value(await requests.execute(staff, { requestId: id, reason: 'done' }))
    assert.deepEqual(
      [executed.status, executed.executedBy, executed.result?.keyId, executed.staffReason],
      ['executed', 'staff:ops', key.keyId, 'done'],
    )
    assert.equal(code(await access.authenticateCustomerKey(secret)), 'authentication_required')
    assert.deepEqual(
      audited()
        .slice(-2)
        .map(({ action, actor }) => `${actor} ${action}`),
      ['staff:ops customer_key.revoked', 'staff:ops key_request.executed'],
    )
    assert.deepEqual(value(await requests.execute(staff, { requestId: id })), executed)
  })

  it('happens once, however many of the staff execute at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.constantFrom('issue-secondary-key', 'revoke-key'),
        async (scheduler, action) => {
          const world = await createWorld()
          const { requests, customerKeys, ada, applicationId } = world
          const { keyId } = value(await customerKeys.issue(ada, { applicationId }))
          const subject = action === 'revoke-key' ? { keyId } : { applicationId }
          const { id } = value(await requests.submit(ada, { action, ...subject, reason }))
          value(await requests.approve(staff, { requestId: id }))
          const before = world.audited().length
          world.interleave(scheduler)
          const answers = await scheduler.waitFor(
            Promise.all([
              requests.execute(staff, { requestId: id }),
              requests.execute(staff, { requestId: id }),
            ]),
          )
          const [one, other] = answers.map(value)
          assert.deepEqual(one, other)
          assert.equal(world.audited().length - before, action === 'revoke-key' ? 2 : 1)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('fails for what can’t be done, and can be repeated', async () => {
    const world = await createWorld()
    const { requests, customerKeys, ada, applicationId } = world
    const keys = []
    for (let at = 0; at < 10; at++)
      keys.push(value(await customerKeys.issue(ada, { applicationId })))
    const submit = () =>
      requests.submit(ada, { action: 'issue-secondary-key', applicationId, reason })
    const { id } = value(await submit())
    value(await requests.approve(staff, { requestId: id }))
    const failed = value(await requests.execute(staff, { requestId: id }))
    assert.deepEqual(
      [failed.status, failed.result?.failure?.code, failed.executedAt],
      ['failed', 'too_many_keys', null],
    )
    const again = value(await submit())
    value(await customerKeys.revoke(ada, { keyId: keys[0]?.keyId ?? '' }))
    assert.equal(code(await requests.execute(staff, { requestId: id })), 'request_pending')
    value(await requests.cancel(ada, { requestId: again.id }))
    const executed = value(await requests.execute(staff, { requestId: id }))
    assert.deepEqual([executed.status, executed.result?.failure], ['executed', null])
    value(await requests.reveal(ada, { requestId: id }))
  })

  it('fails once the deletion of the application began, and no value is revealed then', async () => {
    const world = await createWorld()
    const { requests, store, ada, tenantId, applicationId } = world
    const promised = await world.promised()
    const input = { applicationId, reason }
    const { id } = value(await requests.submit(ada, { action: 'issue-secondary-key', ...input }))
    value(await requests.approve(staff, { requestId: id }))
    const [was] = store.rows(applications)
    assert.ok(was)
    const row = { ...was.row, lifecycleState: 'pending_deletion' } as const
    await store.commit({ tenant: tenantId, puts: [put(applications, row, was)] })
    const { status, result } = value(await requests.execute(staff, { requestId: id }))
    assert.deepEqual([status, result?.failure?.code], ['failed', 'application_gone'])
    assert.equal(code(await requests.reveal(ada, { requestId: promised })), 'application_gone')
    assert.equal(
      code(await requests.submit(ada, { action: 'issue-secondary-key', ...input })),
      'application_gone',
    )
  })
})
