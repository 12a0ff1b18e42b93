import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Ledger } from '../../../kernel/ledger/ledger.ts'
import { workItems } from '../../../kernel/work/records.ts'
import { failedTries } from '../../../organizations/access/records.ts'
import { createLoginFailures } from '../../../organizations/logins/login-audit.ts'
import { createManualClock } from '../../../testing/index.ts'
import { code, createFixture, password, value } from './fixture.ts'
import { interleave } from './member-races.ts'

const minute = 60_000
const address = '192.0.2.1'

type Fixture = Awaited<ReturnType<typeof createFixture>>

const told = async ({ audited }: Fixture, action: string) =>
  (await audited()).filter((entry) => entry.action === action)

describe('the audit log', () => {
  it('has each login that was granted, with whether the device was known', async () => {
    const fixture = await createFixture()
    const { access, admin, login } = fixture
    const { device } = value(await login(admin.email))
    value(await access.login({ email: admin.email, password, address, device: device.token }))
    assert.deepEqual(
      (await told(fixture, 'member.logged_in')).map(({ actor, subject, detail }) => [
        actor,
        subject,
        detail,
      ]),
      ['new', 'known'].map((known) => [
        `member:${admin.memberId}`,
        admin.memberId,
        { device: known },
      ]),
    )
  })

  it('counts on after a write that took long and failed', async () => {
    const clock = createManualClock(0)
    const written: (() => void)[] = []
    const ledger = {
      execute: () =>
        new Promise((_, reject) => {
          written.push(() => reject(new Error('the store is busy')))
        }),
    } as unknown as Ledger
    const failures = createLoginFailures({ ledger, clock })
    const member = { tenantId: 'ten_1', memberId: 'mem_1' }
    failures.record(member)
    await clock.advance(3_000)
    written[0]?.()
    // What the failed write counted is written again, and what came since with it.
    for (let n = 0; n < 20; n++) failures.record(member)
    await new Promise(setImmediate)
    await clock.advance(1_000)
    assert.equal(written.length, 2)
  })

  it('has failed logins of a member once in 15 minutes, with their count', async () => {
    const fixture = await createFixture()
    const { service, access, admin, reviewer, clock, runner, actorOf, store } = fixture
    const ada = await actorOf(admin.email)
    value(await service.members.deactivate(ada, { memberId: reviewer.memberId, confirm: true }))
    let from = 0
    const fail = (email: string) =>
      access.login({ email, password: 'wrong', address: `192.0.${++from}.1` })
    for (let n = 0; n < 4; n++) await fail(admin.email)
    await fail(reviewer.email)
    await fail('nobody@acme.example')
    await clock.advance(14 * minute)
    await fail(admin.email)
    await clock.advance(1_000)
    await runner.tick()
    assert.deepEqual(await told(fixture, 'member.login_failed'), [])
    await clock.advance(minute)
    while ((await runner.tick()) > 0);
    const entries = await told(fixture, 'member.login_failed')
    assert.deepEqual(
      new Set(entries.map(({ actor, subject, detail }) => `${actor} ${subject} ${detail.count}`)),
      new Set([`system ${admin.memberId} 5`, `system ${reviewer.memberId} 1`]),
    )
    assert.equal(entries.length, 2)
    assert.equal(store.rows(workItems).length, 0)
  })

  it('costs one write a second and member, however many logins fail', async () => {
    const fixture = await createFixture()
    const { admin, access, clock } = fixture
    let commits = 0
    fixture.break((point, operation) => {
      if (point !== 'before' || operation.kind !== 'commit') return
      // What the throttle keeps is not the audit's.
      if (!operation.set.puts?.some((each) => each.in === failedTries.name)) commits++
    })
    for (let n = 0; n < 4; n++)
      await access.login({ email: admin.email, password: 'wrong', address: `192.0.${n}.1` })
    await clock.advance(1)
    assert.equal(commits, 1)
    await clock.advance(1_000)
    assert.equal(commits, 2)
    await clock.advance(5_000)
    assert.equal(commits, 2)
    await access.login({ email: 'nobody@acme.example', password: 'wrong', address })
    await clock.advance(5_000)
    assert.equal(commits, 2)
  })

  it('has no login of a member who is deactivated meanwhile, who gets no session', () =>
    fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const fixture = await createFixture()
        const { service, admin, reviewer, actorOf, login } = fixture
        const ada = await actorOf(admin.email)
        interleave(fixture, scheduler)
        const [granted] = await scheduler.waitFor(
          Promise.all([
            login(reviewer.email),
            service.members.deactivate(ada, { memberId: reviewer.memberId, confirm: true }),
          ]),
        )
        fixture.break(() => {})
        const actions = (await fixture.audited())
          .filter(({ subject }) => subject === reviewer.memberId)
          .map(({ action }) => action)
        const [last] = actions.slice(-1)
        assert.equal(last, 'member.deactivated')
        assert.equal(actions.includes('member.logged_in'), granted.ok, code(granted))
      }),
      { numRuns: 30 },
    ))
})
