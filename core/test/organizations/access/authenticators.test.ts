import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type MemberActor, unwrap } from '@countersign/core'
import { newMember } from '@countersign/core/testing'
import { settingDigest } from '@countersign/core/webauthn'
import type { Versioned } from '../../../base/ports/store.ts'
import { most } from '../../../kernel/ledger/limits.ts'
import type { Member } from '../../../organizations/access/records.ts'
import { beforeWeakeningMs } from '../../../organizations/authenticators/before-weakening.ts'
import { countOrphans } from '../../../organizations/authenticators/orphans.ts'
import type { Authenticator } from '../../../organizations/authenticators/records.ts'
import { mayEnrol } from '../../../organizations/authenticators/registration.ts'
import { codeOf, newAuthenticator, pass, password, signedWorld } from '../../signed-world.ts'

const caller = { address: '192.0.2.1' }
const use = 'signing' as const

describe('authenticators of a member', () => {
  it('are enrolled by the password at first, listed, renamed, and mailed about', async () => {
    const { clock, service, ada, mails, enrol } = await signedWorld()
    const authenticator = newAuthenticator()
    const made = unwrap(await enrol(authenticator))
    assert.equal(made.credentialId, authenticator.credentialId)
    assert.deepEqual([made.algorithm, made.use, made.revokedAt], [-8, 'signing', null])
    const { authenticatorId } = made
    unwrap(await service.authenticators.rename(ada, { authenticatorId, name: 'Blue key' }))
    const { authenticators } = unwrap(await service.authenticators.list(ada, {}))
    assert.deepEqual(
      authenticators.map(({ name }) => name),
      ['Blue key'],
    )
    service.start()
    await clock.advance(1_000)
    assert.deepEqual(
      mails.map(({ subject }) => subject),
      ['An authenticator was added to your account'],
    )
    await service.drain(0)
  })

  it('are refused a second by password, without a password, and within a day of a reset', async () => {
    const { clock, service, ada, enrol, openCase } = await signedWorld()
    const start = (given: object) =>
      service.authenticators.startRegistration(ada, { use, ...caller, ...given })
    assert.equal(codeOf(await start({})), 'invalid_request')
    assert.equal(codeOf(await start({ password: 'not the password' })), 'invalid_credentials')
    const { resetUrl } = unwrap(
      await service.auth.issuePasswordReset({ kind: 'system' }, { email: 'ada@acme.example' }),
    )
    const token = new URL(resetUrl).hash.slice(1)
    unwrap(await service.auth.acceptPasswordReset({ token, password, ...caller }))
    assert.equal(codeOf(await start({ password })), 'forbidden')
    await pass(clock, 24 * 60 * 60_000 - 1_000)
    assert.equal(codeOf(await start({ password })), 'forbidden')
    await clock.advance(1_000)
    unwrap(await enrol(newAuthenticator()))
    assert.equal(codeOf(await start({ password })), 'signature_required')
    await openCase('checkpoint')
  })

  it('are added and revoked by an assertion of one that is there, for this change alone', async () => {
    const { service, ada, enrol, finish, assertionFor } = await signedWorld()
    const first = newAuthenticator()
    const { authenticatorId } = unwrap(await enrol(first))
    const start = (given: object) =>
      service.authenticators.startRegistration(ada, { use, ...caller, ...given })
    const removal = await assertionFor(first, { change: 'remove', subject: authenticatorId })
    const wrong = await start({ assertion: removal })
    assert.equal(wrong.ok ? null : wrong.refusal.facts?.check, 'expected')
    const assertion = await assertionFor(first, { change: 'add' })
    const second = newAuthenticator('ES256')
    const added = unwrap(await finish(second, unwrap(await start({ assertion })).options))
    // The statement is good once, and so is the sign count.
    const again = await start({ assertion })
    assert.equal(again.ok ? null : again.refusal.facts?.check, 'nonce')
    const copy: typeof first = {
      ...first,
      assert: (parts) => first.assert({ ...parts, signCount: 1 }),
    }
    const copied = await assertionFor(copy, { change: 'add' })
    assert.equal(codeOf(await start({ assertion: copied })), 'authenticator_cloned')
    assert.equal(codeOf(await enrol(newAuthenticator())), 'signature_required')
    const byOther = await assertionFor(second, { change: 'remove', subject: authenticatorId })
    const { revoke } = service.authenticators
    const mine = { authenticatorId: added.authenticatorId, assertion: byOther, ...caller }
    assert.equal(codeOf(await revoke(ada, mine)), 'signature_invalid')
    const gone = unwrap(await revoke(ada, { authenticatorId, assertion: byOther, ...caller }))
    assert.ok(gone.revokedAt)
    const late = await assertionFor(second, { change: 'add' })
    const stale = { ...late, ...first.assert({ challenge: 'AAAA' }) }
    assert.equal(codeOf(await start({ assertion: stale })), 'authenticator_revoked')
    const { authenticators } = unwrap(await service.authenticators.list(ada, {}))
    assert.equal(authenticators.length, 2)
    assert.equal(
      codeOf(await finish(first, unwrap(await start({ assertion: late })).options)),
      'signature_invalid',
    )
  })

  it('are enrolled once by what another signed for, and not after one of them was revoked', async () => {
    const { service, ada, enrol, finish, assertionFor } = await signedWorld()
    const [first, second] = [newAuthenticator(), newAuthenticator()]
    unwrap(await enrol(first))
    const begun = async (signer: typeof first) => {
      const assertion = await assertionFor(signer, { change: 'add' })
      const given = { use, ...caller, assertion }
      return unwrap(await service.authenticators.startRegistration(ada, given)).options
    }
    const options = await begun(first)
    const { authenticatorId: subject } = unwrap(await finish(second, options))
    assert.equal(codeOf(await finish(newAuthenticator(), options)), 'signature_invalid')
    const [bySecond, byFirst] = [await begun(second), await begun(first)]
    const assertion = await assertionFor(first, { change: 'remove', subject })
    unwrap(
      await service.authenticators.revoke(ada, { authenticatorId: subject, assertion, ...caller }),
    )
    assert.equal(codeOf(await finish(newAuthenticator(), bySecond)), 'signature_invalid')
    assert.equal(codeOf(await finish(newAuthenticator(), byFirst)), 'signature_invalid')
    unwrap(await finish(newAuthenticator(), await begun(first)))
  })

  it('are added within five minutes of the statement, and again of the registration', async () => {
    const { clock, service, ada, enrol, finish, assertionFor } = await signedWorld()
    const first = newAuthenticator()
    unwrap(await enrol(first))
    const start = (assertion: Awaited<ReturnType<typeof assertionFor>>) =>
      service.authenticators.startRegistration(ada, { use, ...caller, assertion })
    const late = await assertionFor(first, { change: 'add' })
    await clock.advance(5 * 60_000)
    const refused = await start(late)
    assert.equal(refused.ok ? null : refused.refusal.facts?.check, 'nonce')
    const timely = await assertionFor(first, { change: 'add' })
    await clock.advance(5 * 60_000 - 1)
    const { options } = unwrap(await start(timely))
    await clock.advance(5 * 60_000)
    assert.equal(codeOf(await finish(newAuthenticator(), options)), 'signature_invalid')
    const other = unwrap(await start(await assertionFor(first, { change: 'add' })))
    await clock.advance(5 * 60_000 - 1)
    unwrap(await finish(newAuthenticator(), other.options))
  })

  it('are revoked by their own assertion, the last one too', async () => {
    const { service, ada, enrol, assertionFor } = await signedWorld()
    const key = newAuthenticator()
    const { authenticatorId } = unwrap(await enrol(key))
    const assertion = await assertionFor(key, { change: 'remove', subject: authenticatorId })
    const gone = unwrap(
      await service.authenticators.revoke(ada, { authenticatorId, assertion, ...caller }),
    )
    assert.ok(gone.revokedAt && gone.lastUsedAt)
  })

  it('are revoked by another admin, after which the password enrols none', async () => {
    const { service, ada, enrol, otherAdmin } = await signedWorld()
    const { authenticatorId } = unwrap(await enrol(newAuthenticator()))
    const { memberId } = ada
    const revokeAs = await otherAdmin()
    unwrap(await revokeAs(authenticatorId))
    const { authenticators } = unwrap(await service.members.authenticators(ada, { memberId }))
    assert.ok(authenticators[0]?.revokedAt)
    assert.equal(codeOf(await enrol(newAuthenticator())), 'forbidden')
    const { entries } = unwrap(await service.auditLog.list(ada, {})) as {
      entries: readonly { readonly action: string }[]
    }
    const actions = entries.map(({ action }) => action).filter((each) => /^auth/.test(each))
    assert.deepEqual(
      actions.sort(),
      ['enrolled', 'enrolment_allowed', 'revoked'].map((act) => `authenticator.${act}`),
    )
  })

  it('are enrolled anew by the link that is mailed when none is left, once and within an hour', async () => {
    const { clock, service, ada, mails, enrol, finish } = await signedWorld()
    const { authenticatorId } = unwrap(await enrol(newAuthenticator()))
    const { memberId } = ada
    service.start()
    const links = async () => {
      await clock.advance(1_000)
      return mails.flatMap(({ text }) => /https:\/\/\S+\/me#(\S+)/.exec(text)?.[1] ?? [])
    }
    const start = (given: object) =>
      service.authenticators.startRegistration(ada, { use, ...caller, ...given })
    const given = { authenticatorId, password, ...caller }
    unwrap(await service.authenticators.revoke(ada, given))
    const [late = ''] = await links()
    await pass(clock, 60 * 60_000)
    assert.equal(codeOf(await start({ token: late })), 'forbidden')
    unwrap(await service.members.revokeAuthenticator(ada, { memberId, authenticatorId }))
    const [, token = ''] = await links()
    assert.equal(codeOf(await start({ token: `${token}A` })), 'forbidden')
    const begun = unwrap(await start({ token }))
    const another = unwrap(await finish(newAuthenticator(), begun.options))
    assert.equal(codeOf(await start({ token })), 'signature_required')
    const again = { ...given, authenticatorId: another.authenticatorId }
    unwrap(await service.authenticators.revoke(ada, again))
    assert.equal(codeOf(await start({ token })), 'forbidden')
    assert.equal((await links()).length, 3)
    await service.drain(0)
  })

  it('are enrolled anew by who signs decisions when two other admins allow it, within a day', async () => {
    const { clock, service, ada, mails, enrol } = await signedWorld()
    const { tenantId } = ada
    const admins = []
    for (const name of ['bea', 'cai', 'dee'])
      admins.push(await newMember(service, tenantId, name, 'CustomerAdmin'))
    const [bea, cai, dee] = admins
    assert.ok(bea && cai && dee)
    const { authenticatorId } = unwrap(await enrol(newAuthenticator()))
    service.start()
    const linksAfter = async (by: MemberActor) => {
      const { memberId } = ada
      unwrap(await service.members.revokeAuthenticator(by, { memberId, authenticatorId }))
      await clock.advance(1_000)
      return mails.filter(({ text }) => text.includes('/me#')).length
    }
    assert.equal(await linksAfter(bea), 0)
    assert.ok(mails.some(({ to, subject }) => to === 'cai@acme.example' && /waits/.test(subject)))
    assert.equal(await linksAfter(bea), 0, 'the same admin')
    assert.equal(await linksAfter(ada), 0, 'the member')
    await pass(clock, 24 * 60 * 60_000)
    assert.equal(await linksAfter(cai), 0, 'late')
    unwrap(await service.members.deactivate(bea, { memberId: cai.memberId, confirm: true }))
    assert.equal(await linksAfter(dee), 0, 'with one who is no admin any more')
    assert.equal(await linksAfter(bea), 1)
    assert.equal(await linksAfter(bea), 2, 'again')
    await service.drain(0)
  })

  it('are at most ten, and one credential is enrolled once', async () => {
    const { service, ada, enrol, finish, assertionFor } = await signedWorld()
    const first = newAuthenticator()
    unwrap(await enrol(first))
    const add = async (authenticator = newAuthenticator()) => {
      const assertion = await assertionFor(first, { change: 'add' })
      const begun = await service.authenticators.startRegistration(ada, {
        use,
        assertion,
        ...caller,
      })
      return begun.ok ? finish(authenticator, begun.value.options) : begun
    }
    assert.equal(codeOf(await add(first)), 'signature_invalid')
    for (let at = 1; at < 10; at++) unwrap(await add())
    assert.equal(codeOf(await add()), 'authenticator_limit')
  })

  it('are of one member where two enrol one credential at the same time', async () => {
    const { service, anotherProcess, ada } = await signedWorld()
    const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    const key = newAuthenticator()
    const begun = async (by: MemberActor) => {
      const given = { use, password, ...caller }
      const { options } = unwrap(await service.authenticators.startRegistration(by, given))
      const { challenge } = options as { readonly challenge: string }
      const { id, response } = key.register({ challenge })
      return { name: 'Key', use, credential: { id, response } }
    }
    const [ours, theirs] = [await begun(ada), await begun(bob)]
    const answers = await Promise.all([
      service.authenticators.enrol(ada, ours),
      anotherProcess().authenticators.enrol(bob, theirs),
    ])
    assert.deepEqual(new Set(answers.map(codeOf)), new Set([null, 'signature_invalid']))
    const lists = await Promise.all([ada, bob].map((by) => service.authenticators.list(by, {})))
    assert.equal(lists.flatMap((each) => unwrap(each).authenticators).length, 1)
  })

  it('let an admin ask for fewer signatures by an assertion alone, and all admins hear of it', async () => {
    const { clock, service, ada, applicationId, mails, enrol, assertionFor } = await signedWorld()
    const set = (given: object) =>
      service.signedDecisions.set(ada, {
        ...{ applicationId, signedDecisions: 'required', refuseSynced: false },
        ...given,
      })
    unwrap(await set({}))
    assert.equal(codeOf(await set({ signedDecisions: 'optional' })), 'signature_required')
    const key = newAuthenticator()
    unwrap(await enrol(key))
    await pass(clock, beforeWeakeningMs)
    await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
    const assertion = await assertionFor(key, {
      ...{ change: 'weaken', subject: applicationId },
      settingDigest: settingDigest('signedDecisions.set', {
        ...{ signedDecisions: 'optional', refuseSynced: false },
      }),
    })
    unwrap(await set({ signedDecisions: 'optional', assertion }))
    const read = unwrap(await service.signedDecisions.read(ada, { applicationId }))
    assert.equal(read.signedDecisions, 'optional')
    service.start()
    await clock.advance(1_000)
    const told = mails.filter(({ subject }) => subject === 'Decisions need fewer signatures')
    assert.deepEqual(told.map(({ to }) => to).toSorted(), ['ada@acme.example', 'eve@acme.example'])
    await service.drain(0)
  })

  it('are counted where another relying party has taken their place, but for revoked ones', async () => {
    const { service, store, ada, enrol } = await signedWorld()
    const { authenticatorId } = unwrap(await enrol(newAuthenticator()))
    const given = { authenticatorId, password, ...caller }
    const counts = () =>
      Promise.all(['portal.example', 'example'].map((rpId) => countOrphans(store, rpId)))
    assert.deepEqual(await counts(), [0, 1])
    unwrap(await service.authenticators.revoke(ada, given))
    assert.deepEqual(await counts(), [0, 0])
  })

  it('are a hundred in all, for revoked ones stay in the list', () => {
    const one = (revokedAt: number | null) => ({ row: { revokedAt } }) as Versioned<Authenticator>
    const revoked = (count: number) => Array.from({ length: count }, () => one(1))
    const enrol = (own: readonly Versioned<Authenticator>[]) =>
      mayEnrol({} as Member, own, 'further', 0)
    assert.ok(enrol([...revoked(most.authenticatorsEver - 2), one(null)]).ok)
    const refused = enrol([...revoked(most.authenticatorsEver - 1), one(null)])
    assert.equal(refused.ok ? null : refused.refusal.code, 'authenticator_limit')
  })
})
