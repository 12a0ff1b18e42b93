import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { members, passwordResets } from '@countersign/core/access'
import type { Mail } from '@countersign/core/ports'
import { workItems } from '../../../kernel/work/records.ts'
import { code, createFixture, password, system, value } from './fixture.ts'

const hour = 3_600_000
const next = 'another long password'
const address = '192.0.2.1'

/** A fixture with a mailer, and the acts of somebody who forgot their password. */
async function open() {
  const mails: Mail[] = []
  const mailer = { send: async (mail: Mail) => void mails.push(mail) }
  const fixture = await createFixture({ mailer })
  const { access, runner, admin } = fixture
  const ask = async (email = admin.email, from = address) =>
    code(await access.requestPasswordReset({ email, address: from }))
  const work = async () => {
    while ((await runner.tick()) > 0);
  }
  /** The token of the mail that was sent last. */
  const token = () => /\/reset#([0-9a-f]{64})$/m.exec(mails.at(-1)?.text ?? '')?.[1] ?? ''
  const accept = async (given: string, chosen = next, from = address) =>
    code(await access.acceptPasswordReset({ token: given, password: chosen, address: from }))
  const sent = async (email?: string) => {
    await ask(email)
    await work()
    return token()
  }
  return { ...fixture, mails, ask, work, token, accept, sent }
}

describe('a reset of a password', () => {
  it('is mailed with a link whose token is stored as its hash, good once, and ends all sign-ins', async () => {
    const { access, admin, login, mails, sent, accept, store, tenantId } = await open()
    const session = value(await login(admin.email)).token
    const token = await sent(` ${admin.email.toUpperCase()} `)
    assert.deepEqual(
      mails.map(({ to, subject }) => [to, subject]),
      [[admin.email, 'Choose another password']],
    )
    assert.match(mails[0]?.text ?? '', /^https:\/\/portal\.example\/reset#[0-9a-f]{64}$/m)
    const rows = JSON.stringify([store.rows(passwordResets), store.rows(workItems)])
    assert.ok(!rows.includes(token))
    assert.equal(code(await access.authenticateMember(session)), 'ok')
    const done = value(await access.acceptPasswordReset({ token, password: next, address }))
    assert.deepEqual([done.member.memberId, done.tenantId], [admin.memberId, tenantId])
    assert.equal(code(await access.authenticateMember(session)), 'authentication_required')
    assert.equal(code(await login(admin.email)), 'invalid_credentials')
    assert.equal(code(await access.login({ email: admin.email, password: next, address })), 'ok')
    assert.equal(await accept(token, 'a third long password'), 'not_found')
  })

  it('is good for an hour, and only as it was sent last', async () => {
    const { clock, sent, accept } = await open()
    const first = await sent()
    const second = await sent()
    assert.notEqual(first, second)
    assert.equal(await accept(first), 'not_found')
    await clock.advance(hour)
    assert.equal(await accept(second), 'not_found')
    const third = await sent()
    clock.jump(hour - 1)
    assert.equal(await accept(third), 'ok')
  })

  it('is asked for with the same answer, reads and writes, whoever has the address', async () => {
    const { service, ask, store, counts, reviewer, actorOf, admin, tenantId } = await open()
    const ada = await actorOf(admin.email)
    value(await service.members.deactivate(ada, { memberId: reviewer.memberId, confirm: true }))
    const traced = async (email: string) => {
      const before = [store.rows(workItems).length, counts.reads]
      const answer = await ask(email)
      return [
        answer,
        store.rows(workItems).length - (before[0] ?? 0),
        counts.reads - (before[1] ?? 0),
      ]
    }
    const known = await traced(admin.email)
    assert.deepEqual(known, ['ok', 1, 0])
    assert.deepEqual(await traced('nobody@acme.example'), known)
    assert.deepEqual(await traced(reviewer.email), known)
    value(await service.tenants.suspend(system, { tenantId, reason: 'x' }))
    assert.deepEqual(await traced('late@acme.example'), known)
    assert.deepEqual(await traced(''), ['invalid_request', 0, 0])
    for (const impossible of ['no address', 'a\0@b.example', '\ud800@b.example'])
      assert.equal((await traced(impossible))[0], 'ok')
  })

  it('is mailed to none who is suspended, pending, unknown, or of a suspended organization', async () => {
    const fixture = await open()
    const { service, ask, work, mails, reviewer, actorOf, admin, tenantId, store } = fixture
    const ada = await actorOf(admin.email)
    value(await service.invitations.create(ada, { email: 'eve@acme.example' }))
    await work()
    mails.length = 0
    value(await service.members.deactivate(ada, { memberId: reviewer.memberId, confirm: true }))
    for (const email of [reviewer.email, 'eve@acme.example', 'nobody@acme.example'])
      await ask(email)
    value(await service.tenants.suspend(system, { tenantId, reason: 'x' }))
    await ask(admin.email)
    await work()
    assert.deepEqual(mails, [])
    assert.equal(store.rows(passwordResets).length, 0)
  })

  it('is mailed three times an hour to an address, also after a restart', async () => {
    const { ask, work, mails, clock, access, store, ledger } = await open()
    for (let n = 0; n < 5; n++) {
      assert.equal(await ask(), 'ok')
      await work()
    }
    assert.equal(mails.length, 3)
    // What a process that has counted nothing would write.
    const [item] = [{ kind: 'passwordReset', ref: 'x', tenantId: null, applicationId: null }]
    const { emailKey } = { emailKey: 'ada@acme.example' }
    await ledger.execute(null, async ({ now }) => ({
      kind: 'commit',
      set: {
        puts: [
          {
            in: 'workItems',
            row: { ...item, due: now, state: { emailKey }, claims: 0 },
            was: null,
          },
        ],
      },
      value: null,
    }))
    await work()
    assert.equal(mails.length, 3)
    assert.equal(store.rows(workItems).length, 0)
    await clock.advance(hour)
    await ask()
    await work()
    assert.equal(mails.length, 4)
    assert.equal(code(await access.requestPasswordReset({ email: 'x', address })), 'ok')
  })

  it('writes nothing for the requests of one network beyond 20 an hour', async () => {
    const { ask, store, work, clock } = await open()
    for (let n = 0; n < 30; n++) assert.equal(await ask(`n${n}@acme.example`, '2001:db8::1'), 'ok')
    assert.equal(store.rows(workItems).length, 20)
    await ask('other@acme.example', '192.0.2.77')
    assert.equal(store.rows(workItems).length, 21)
    await clock.advance(hour)
    await work()
    await ask('n29@acme.example', '2001:db8::2')
    assert.equal(store.rows(workItems).length, 1)
  })

  it('delays no login, however often it is asked for or its token is guessed', async () => {
    const { ask, accept, login, admin } = await open()
    for (let n = 0; n < 40; n++) await ask()
    const guesses = []
    for (let n = 0; n < 7; n++) guesses.push(await accept(`${n}`.repeat(64)))
    assert.deepEqual(guesses.slice(4), ['not_found', 'too_many_attempts', 'too_many_attempts'])
    assert.equal(code(await login(admin.email)), 'ok')
  })

  it('can be accepted while logins are delayed', async () => {
    const { access, sent, accept, admin } = await open()
    const token = await sent()
    for (let n = 0; n < 8; n++)
      await access.login({ email: admin.email, password: 'wrong', address })
    const late = await access.login({ email: admin.email, password, address })
    assert.equal(code(late), 'too_many_attempts')
    assert.equal(await accept(token), 'ok')
  })

  it('is void once the member changed otherwise: role, status, password, a logout everywhere', async () => {
    for (const way of ['role', 'status', 'password', 'logout'] as const) {
      const { service, access, sent, accept, admin, reviewer, actorOf } = await open()
      const ada = await actorOf(admin.email)
      const rob = await actorOf(reviewer.email)
      const token = await sent(reviewer.email)
      if (way === 'role')
        value(
          await service.members.setRole(ada, {
            memberId: reviewer.memberId,
            role: 'CustomerAdmin',
            permissions: [],
          }),
        )
      if (way === 'password')
        value(await access.changePassword(rob, { current: password, next, address }))
      if (way === 'logout') value(await access.logout(rob, { everywhere: true }))
      if (way === 'status') {
        value(await service.members.deactivate(ada, { memberId: reviewer.memberId, confirm: true }))
        assert.equal(await accept(token), 'not_found')
        value(await service.members.reactivate(ada, { memberId: reviewer.memberId }))
      }
      assert.equal(await accept(token), 'not_found', way)
    }
  })

  it('refuses a password that may not be chosen, and leaves the token good', async () => {
    const { sent, accept } = await open()
    const token = await sent()
    assert.equal(await accept(token, 'short'), 'invalid_request')
    assert.equal(await accept(token), 'ok')
  })

  it('is for nobody of a suspended organization', async () => {
    const { service, sent, accept, tenantId } = await open()
    const token = await sent()
    value(await service.tenants.suspend(system, { tenantId, reason: 'x' }))
    assert.equal(await accept(token), 'account_suspended')
    value(await service.tenants.resume(system, { tenantId, reason: 'x' }))
    assert.equal(await accept(token), 'ok')
  })

  it('is audited when it is mailed and when it is accepted', async () => {
    const { sent, accept, audited, admin } = await open()
    await accept(await sent())
    const told = (await audited()).slice(-2)
    assert.deepEqual(
      told.map(({ action, actor, subject }) => [action, actor, subject]),
      [
        ['member.password_reset_requested', 'system', admin.memberId],
        ['member.password_reset', `member:${admin.memberId}`, admin.memberId],
      ],
    )
  })

  it('is made by staff or the system as a link, also without a mailer', async () => {
    const { access, admin, actorOf, audited, store } = await createFixture()
    assert.equal(code(await access.requestPasswordReset({ email: admin.email, address })), 'ok')
    assert.equal(store.rows(workItems).length, 0)
    const issue = (email: string) =>
      access.issuePasswordReset({ kind: 'staff', name: 'ops' }, { email })
    const { resetUrl } = value(await issue(admin.email))
    const token = new URL(resetUrl).hash.slice(1)
    const accepted = await access.acceptPasswordReset({ token, password: next, address })
    assert.equal(code(accepted), 'ok')
    assert.equal(code(await issue('nobody@acme.example')), 'not_found')
    const asked = (await audited()).find(({ action }) => action.endsWith('reset_requested'))
    assert.equal(asked?.actor, 'staff:ops')
    const login = await access.login({ email: admin.email, password: next, address })
    const ada = value(await access.authenticateMember(value(login).token))
    const refused = await access.issuePasswordReset(ada, { email: admin.email })
    assert.equal(code(refused), 'forbidden')
    await assert.rejects(actorOf(admin.email))
    assert.equal(store.rows(members).length, 2)
  })
})
