import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type MemberActor, unwrap } from '@countersign/core'
import { newMember } from '@countersign/core/testing'
import { challengeOf, settingDigest } from '@countersign/core/webauthn'
import { userIdOf } from '../../../organizations/authenticators/registration.ts'
import {
  type Authenticator,
  codeOf,
  newAuthenticator,
  password,
  signedWorld,
} from '../../signed-world.ts'

const staff = { kind: 'staff', name: 'sam' } as const
const address = '192.0.2.1'

/** A world whose organization has another member, and sets by what they sign in. */
async function ruleWorld() {
  const world = await signedWorld()
  const { service, ada } = world
  const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
  const set = (signIn: 'password' | 'password_and_passkey' | 'passkey', more: object = {}) =>
    service.signInRule.set(ada, { signIn, password, address, ...more })
  let tries = 0
  const byPassword = (name: string, given = password) =>
    service.auth.login({
      ...{ email: `${name}@acme.example`, password: given },
      address: `198.51.100.${tries++}`,
    })
  const byPasskey = async (passkey: Authenticator, member: MemberActor) => {
    const { statement, browserToken } = unwrap(await service.auth.startPasskey({}))
    const assertion = passkey.assert({ challenge: challengeOf(statement) })
    const userHandle = userIdOf(member, 'sign_in')
    const credential = { statement, ...assertion, userHandle }
    return service.auth.passkey({ credential, browserToken, address: `198.51.100.${tries++}` })
  }
  const isOpen = async ({ token }: { readonly token: string }) =>
    (await service.access.authenticateMember(token)).ok
  return { ...world, bob, set, byPassword, byPasskey, isOpen }
}

describe('how members sign in', () => {
  it('is password or passkey at first, and by which sessions are open follows the rule', async () => {
    const { service, ada, bob, enrol, set, byPassword, byPasskey, isOpen } = await ruleWorld()
    const passkey = newAuthenticator()
    unwrap(await enrol(passkey, ada, 'sign_in'))
    assert.deepEqual(unwrap(await service.signInRule.read(bob, {})), {
      signIn: 'password_and_passkey',
    })
    const [one, other] = [unwrap(await byPassword('ada')), unwrap(await byPasskey(passkey, ada))]
    for (const [rule, passwordOpens, passkeyOpens] of [
      ['passkey', false, true],
      ['password', true, false],
      ['password_and_passkey', true, true],
    ] as const) {
      assert.deepEqual(unwrap(await set(rule)), { signIn: rule })
      assert.deepEqual(unwrap(await service.signInRule.read(bob, {})), { signIn: rule })
      assert.equal((await byPassword('ada')).ok, passwordOpens, rule)
      assert.equal((await byPasskey(passkey, ada)).ok, passkeyOpens, rule)
      assert.equal(await isOpen(one), passwordOpens, rule)
      assert.equal(await isOpen(other), passkeyOpens, rule)
    }
  })

  it('leaves passwords to who has no passkey, until they enrol one', async () => {
    const { service, ada, bob, enrol, set, byPassword, isOpen } = await ruleWorld()
    unwrap(await set('passkey'))
    const session = unwrap(await byPassword('bob'))
    // A key that signs decisions signs nobody in.
    unwrap(await enrol(newAuthenticator(), ada, 'signing'))
    unwrap(await byPassword('ada'))
    const { authenticatorId } = unwrap(await enrol(newAuthenticator(), bob, 'sign_in'))
    assert.equal(await isOpen(session), false)
    assert.equal(codeOf(await byPassword('bob')), 'invalid_credentials')
    const { memberId } = bob
    unwrap(await service.members.revokeAuthenticator(ada, { memberId, authenticatorId }))
    unwrap(await byPassword('bob'))
  })

  it('stays closed to a password while one of two passkeys is left', async () => {
    const { service, ada, bob, enrol, finish, assertionFor, set, byPassword } = await ruleWorld()
    unwrap(await set('passkey'))
    const [first, second] = [newAuthenticator(), newAuthenticator()]
    const { authenticatorId } = unwrap(await enrol(first, bob, 'sign_in'))
    const assertion = await assertionFor(first, { change: 'add' }, bob)
    const given = { use: 'sign_in', assertion, address } as const
    const { options } = unwrap(await service.authenticators.startRegistration(bob, given))
    const kept = unwrap(await finish(second, options, bob, 'sign_in'))
    const revoke = (id: string) =>
      service.members.revokeAuthenticator(ada, { memberId: bob.memberId, authenticatorId: id })
    unwrap(await revoke(authenticatorId))
    assert.equal(codeOf(await byPassword('bob')), 'invalid_credentials')
    unwrap(await revoke(kept.authenticatorId))
    unwrap(await byPassword('bob'))
  })

  it('locks out no last admin: staff opens the password again, and no mail does', async () => {
    const { clock, service, ada, mails, enrol, set, byPassword, byPasskey } = await ruleWorld()
    const passkey = newAuthenticator()
    unwrap(await enrol(passkey, ada, 'sign_in'))
    unwrap(await set('passkey'))
    service.start()
    const email = 'ada@acme.example'
    unwrap(await service.auth.requestPasswordReset({ email, address }))
    await clock.advance(1_000)
    assert.ok(!mails.some(({ subject }) => subject === 'Choose another password'))
    const { resetUrl } = unwrap(await service.auth.issuePasswordReset(staff, { email }))
    const [token = ''] = new URL(resetUrl).hash.split('#').slice(1)
    const next = 'another horse battery'
    unwrap(await service.auth.acceptPasswordReset({ token, password: next, address }))
    unwrap(await byPassword('ada', next))
    unwrap(await byPasskey(passkey, ada))
    await service.drain(0)
  })

  it('keeps passwords closed by a reset that was asked for before', async () => {
    const { clock, service, ada, mails, enrol, set, byPassword } = await ruleWorld()
    unwrap(await enrol(newAuthenticator(), ada, 'sign_in'))
    service.start()
    unwrap(await service.auth.requestPasswordReset({ email: 'ada@acme.example', address }))
    await clock.advance(1_000)
    const token = mails.flatMap(({ text }) => /\/reset#(\S+)/.exec(text)?.[1] ?? []).at(-1)
    unwrap(await set('passkey'))
    const next = 'another horse battery'
    const reset = { token: token ?? '', password: next, address }
    unwrap(await service.auth.acceptPasswordReset(reset))
    assert.equal(codeOf(await byPassword('ada', next)), 'invalid_credentials')
    await service.drain(0)
  })

  it('is set by an admin who proves it, and mailed to all', async () => {
    const { clock, service, bob, mails, set } = await ruleWorld()
    assert.equal(codeOf(await set('passkey', { password: undefined })), 'invalid_request')
    assert.equal(codeOf(await set('passkey', { password: 'wrong horse' })), 'invalid_credentials')
    const asBob = { signIn: 'passkey', password, address } as const
    assert.equal(codeOf(await service.signInRule.set(bob, asBob)), 'forbidden')
    service.start()
    const told = async () => {
      await clock.advance(1_000)
      return mails.filter(({ subject }) => subject === 'How members sign in has changed').length
    }
    unwrap(await set('password_and_passkey'))
    assert.equal(await told(), 0, 'the same rule')
    unwrap(await set('passkey'))
    assert.equal(await told(), 1)
    await service.drain(0)
  })

  it('is set by an assertion for this rule alone, once, and mailed once to each admin', async () => {
    const { clock, service, ada, mails, enrol, assertionFor, set } = await ruleWorld()
    const one = newAuthenticator()
    // It counts nothing, so that a replay does not show by the count.
    const key: Authenticator = {
      ...one,
      register: (parts) => one.register({ ...parts, signCount: 0 }),
      assert: (parts) => one.assert({ ...parts, signCount: 0 }),
    }
    unwrap(await enrol(key))
    await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
    const signed = (operation: string, value: object, subject: string = ada.tenantId) =>
      assertionFor(key, {
        ...{ change: 'weaken', subject },
        settingDigest: settingDigest(operation, value),
      })
    const by = (signIn: 'password' | 'passkey', assertion: object) =>
      set(signIn, { password: undefined, assertion })
    const checkOf = async (assertion: object) => {
      const answer = await by('passkey', assertion)
      return answer.ok ? null : answer.refusal.facts?.check
    }
    const rule = { signIn: 'passkey' }
    const assertion = await signed('signInRule.set', rule)
    for (const other of [
      await signed('signInProvider.set', rule),
      await signed('signInRule.set', { signIn: 'password' }),
      await signed('signInRule.set', { ...rule, required: true }),
      await signed('signInRule.set', rule, 'ten_other'),
    ])
      assert.equal(await checkOf(other), 'expected')
    service.start()
    const told = async () => {
      await clock.advance(1_000)
      return mails
        .splice(0)
        .filter(({ subject }) => subject === 'How members sign in has changed')
        .map(({ to }) => to)
        .toSorted()
    }
    assert.deepEqual(await told(), [], 'refused')
    unwrap(await by('passkey', assertion))
    assert.deepEqual(await told(), ['ada@acme.example', 'eve@acme.example'])
    unwrap(await set('password'))
    assert.deepEqual(await told(), ['ada@acme.example', 'eve@acme.example'])
    assert.equal(await checkOf(assertion), 'nonce')
    assert.deepEqual(await told(), [], 'used before')
    await service.drain(0)
  })
})
