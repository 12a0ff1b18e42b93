import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { code, createFixture, password, value } from './fixture.ts'

const next = 'another long password'
const address = '192.0.2.1'

describe('a change of the own password', () => {
  it('ends other sign-ins, issues one in place of the caller’s, and is audited', async () => {
    const { access, admin, login, actorOf, audited } = await createFixture()
    const elsewhere = value(await login(admin.email)).token
    const actor = await actorOf(admin.email)
    const changed = value(await access.changePassword(actor, { current: password, next, address }))
    assert.equal(code(await access.authenticateMember(elsewhere)), 'authentication_required')
    assert.equal(code(await access.authenticateMember(changed.token)), 'ok')
    assert.equal(code(await login(admin.email)), 'invalid_credentials')
    const again = await access.login({ email: admin.email, password: next, address })
    assert.equal(code(again), 'ok')
    // The login comes last.
    const { action, actor: by, subject, detail } = (await audited()).at(-2) ?? {}
    assert.deepEqual(
      [action, by, subject, detail],
      ['member.password_changed', `member:${admin.memberId}`, admin.memberId, {}],
    )
  })

  it('needs the current password and a possible next one, and changes nothing else', async () => {
    const { access, admin, actorOf, login } = await createFixture()
    const actor = await actorOf(admin.email)
    const change = (current: string, chosen: string) =>
      access.changePassword(actor, { current, next: chosen, address })
    assert.equal(code(await change('wrong', next)), 'invalid_credentials')
    assert.equal(code(await change('\0', next)), 'invalid_credentials')
    assert.equal(code(await change(password, 'short')), 'invalid_request')
    assert.equal(code(await change(password, 'with\0 NUL and long')), 'invalid_request')
    assert.equal(code(await login(admin.email)), 'ok')
  })

  it('throttles guesses of the member, and neither logins nor other members for them', async () => {
    const { access, admin, reviewer, actorOf, login } = await createFixture()
    const [actor, other] = [await actorOf(admin.email), await actorOf(reviewer.email)]
    const guess = (by: typeof actor, current: string) =>
      access.changePassword(by, { current, next, address })
    const codes = []
    for (let n = 0; n < 6; n++) codes.push(code(await guess(actor, 'wrong')))
    assert.deepEqual(codes, [...Array(5).fill('invalid_credentials'), 'too_many_attempts'])
    assert.equal(code(await guess(actor, password)), 'too_many_attempts')
    assert.equal(code(await login(admin.email)), 'ok')
    assert.equal(code(await guess(other, password)), 'ok')
  })
})
