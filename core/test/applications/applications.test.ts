import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Actor, type Member, members } from '@countersign/core/access'
import { get, one, put, type Result } from '@countersign/core/ledger'
import { active, applicationOf, existing } from '../../applications/load.ts'
import { applications } from '../../applications/records.ts'
import type { LifecycleState } from '../../applications/view.ts'
import { applicationsPerTenant } from '../../kernel/ledger/limits.ts'
import {
  code,
  type Fixture,
  password,
  start,
  system,
  value,
} from '../organizations/access/fixture.ts'
import { move, stored, url, withApplication } from './fixture.ts'

const page = { page: 1, pageSize: 20 }

async function stranger(fixture: Fixture): Promise<Actor> {
  value(
    await fixture.access.createTenant(system, {
      name: 'Other',
      admin: { name: 'Eve', email: 'eve@other.example', password },
    }),
  )
  return fixture.actorOf('eve@other.example')
}

describe('applications', () => {
  it('are created by an admin and read by every member', async () => {
    const fixture = await withApplication()
    const { application } = fixture
    assert.deepEqual(application, {
      applicationId: application.applicationId,
      name: 'Claims',
      description: null,
      stage: 'development',
      lifecycleState: 'active',
      version: 1,
      createdAt: new Date(start).toISOString(),
      updatedAt: new Date(start).toISOString(),
      promotedAt: null,
      deletion: null,
      purgedAt: null,
      health: { status: 'unknown', since: '2026-01-01T00:00:00.000Z' },
      settings: null,
      outcomeCallback: null,
    })
    for (const actor of [fixture.adminActor, fixture.reviewerActor])
      assert.deepEqual(
        value(await fixture.applications.read(actor, { applicationId: application.applicationId })),
        application,
      )
    assert.equal(
      code(await fixture.applications.create(fixture.reviewerActor, { name: 'X' })),
      'forbidden',
    )
    assert.equal((await fixture.audited()).at(-1)?.action, 'application.created')
  })

  it('counts deleted applications towards the most of an organization', async () => {
    const fixture = await withApplication()
    const { store, tenantId, applications: cases, adminActor } = fixture
    const row = await stored(fixture, fixture.application.applicationId)
    const puts = Array.from({ length: applicationsPerTenant - 2 }, (_, at) =>
      put(applications, { ...row, applicationId: `app_${at}`, lifecycleState: 'purged' }, null),
    )
    await store.commit({ tenant: tenantId, puts })
    value(await cases.create(adminActor, { name: 'The last' }))
    assert.equal(code(await cases.create(adminActor, { name: 'Too many' })), 'application_limit')
  })

  it('are listed by their stage, in pages of what has it', async () => {
    const fixture = await withApplication()
    const before = async (stage: 'development' | 'staging' | 'production', page = 1) =>
      value(await fixture.applications.list(fixture.adminActor, { page, pageSize: 2, stage }))
    const already = (await before('development')).totalCount
    const stages = ['staging', 'production', 'staging', 'development', 'staging'] as const
    for (const [at, stage] of stages.entries())
      value(await fixture.applications.create(fixture.adminActor, { name: `App ${at}`, stage }))
    for (const stage of ['development', 'staging', 'production'] as const) {
      const expected = stages.filter((each) => each === stage).length
      const [first, second] = [await before(stage), await before(stage, 2)]
      assert.equal(first.totalCount, expected + (stage === 'development' ? already : 0))
      assert.equal(first.applications.length + second.applications.length, first.totalCount)
      for (const each of [...first.applications, ...second.applications])
        assert.equal(each.stage, stage)
    }
    const wrong = { page: 1, pageSize: 2, stage: 'test' as never }
    assert.equal(
      code(await fixture.applications.list(fixture.adminActor, wrong)),
      'invalid_request',
    )
  })

  it('are listed in pages, without those that are being deleted', async () => {
    const fixture = await withApplication()
    for (let made = 0; made < 4; made++)
      value(await fixture.applications.create(fixture.adminActor, { name: `App ${made}` }))
    await move(fixture, fixture.application.applicationId, { lifecycleState: 'pending_deletion' })
    const listed = async (number: number) =>
      value(await fixture.applications.list(fixture.reviewerActor, { page: number, pageSize: 3 }))
    const first = await listed(1)
    const second = await listed(2)
    assert.deepEqual(
      [...first.applications, ...second.applications].map(({ name }) => name).sort(),
      ['App 0', 'App 1', 'App 2', 'App 3'],
    )
    assert.deepEqual([first.totalCount, first.hasMore, second.hasMore], [4, true, false])
    assert.equal(
      value(
        await fixture.applications.read(fixture.adminActor, {
          applicationId: fixture.application.applicationId,
        }),
      ).lifecycleState,
      'pending_deletion',
    )
  })

  it('of another tenant do not exist', async () => {
    const fixture = await withApplication()
    const eve = await stranger(fixture)
    const { applicationId } = fixture.application
    const callback = { url, enabled: true }
    const calls: readonly ((id: string) => Promise<Result<unknown>>)[] = [
      (id) => fixture.applications.read(eve, { applicationId: id }),
      (id) => fixture.applications.update(eve, { applicationId: id, name: 'x' }),
      (id) => fixture.applications.setOutcomeCallback(eve, { applicationId: id, ...callback }),
      (id) => fixture.applications.removeOutcomeCallback(eve, { applicationId: id }),
      (id) => fixture.applications.rotateCallbackSecret(eve, { applicationId: id }),
      (id) => fixture.applicationKeys.list(eve, { applicationId: id }),
      (id) => fixture.applicationKeys.create(eve, { applicationId: id, label: 'x' }),
      (id) => fixture.applicationKeys.revoke(eve, { applicationId: id, keyId: 'key_x' }),
    ]
    for (const call of calls) assert.deepEqual(await call(applicationId), await call('app_unknown'))
    assert.equal(value(await fixture.applications.list(eve, page)).totalCount, 0)
  })

  it('take data only while they are active', async () => {
    const fixture = await withApplication()
    const { applicationId } = fixture.application
    const expected: Readonly<Record<LifecycleState, string>> = {
      active: 'ok',
      pending_deletion: 'application_gone',
      purging: 'application_gone',
      purged: 'application_gone',
    }
    for (const lifecycleState of Object.keys(expected) as LifecycleState[]) {
      await move(fixture, applicationId, { lifecycleState })
      const [found] = await fixture.store.read(fixture.tenantId, [
        applicationOf(fixture.tenantId, applicationId),
      ])
      assert.equal(code(active(found)), expected[lifecycleState])
      assert.equal(code(existing(found)), 'ok')
    }
    assert.equal(code(active({ rows: [], total: null })), 'not_found')
  })

  it('have a name on one line', async () => {
    const fixture = await withApplication()
    for (const name of ['', '  ', 'a\u0000b', 'a\nb', 'x'.repeat(201), '\ud800'])
      assert.equal(
        code(await fixture.applications.create(fixture.adminActor, { name })),
        'invalid_request',
      )
  })
})

describe('a member who was suspended or demoted after signing in', () => {
  const changes: readonly (readonly [Partial<Member>, string])[] = [
    [{ status: 'Suspended' }, 'authentication_required'],
    [{ role: 'CustomerAuditor' }, 'forbidden'],
  ]
  for (const [change, refusal] of changes)
    it(`writes nothing: ${refusal}`, async () => {
      const fixture = await withApplication()
      const { store, tenantId, adminActor, applications, applicationKeys: keys } = fixture
      const { applicationId } = fixture.application
      const { keyId } = value(await keys.create(adminActor, { applicationId, label: 'x' }))
      value(
        await applications.setOutcomeCallback(adminActor, { applicationId, url, enabled: true }),
      )
      const [found] = await store.read(tenantId, [get(members, [tenantId, adminActor.memberId])])
      const was = one(members, found)
      assert.ok(was)
      await store.commit({ tenant: tenantId, puts: [put(members, { ...was.row, ...change }, was)] })
      const before = await fixture.audited()
      for (const call of [
        applications.create(adminActor, { name: 'X' }),
        applications.update(adminActor, { applicationId, name: 'Y' }),
        applications.setOutcomeCallback(adminActor, { applicationId, url, enabled: true }),
        applications.removeOutcomeCallback(adminActor, { applicationId }),
        applications.rotateCallbackSecret(adminActor, { applicationId }),
        keys.create(adminActor, { applicationId, label: 'y' }),
        keys.revoke(adminActor, { applicationId, keyId }),
      ])
        assert.equal(code(await call), refusal)
      assert.deepEqual(await fixture.audited(), before)
    })
})
