import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { newMember } from '@countersign/core/testing'
import { settingDigest } from '@countersign/core/webauthn'
import { beforeWeakeningMs } from '../../../organizations/authenticators/before-weakening.ts'
import { codeOf, newAuthenticator, pass, password, signedWorld } from '../../signed-world.ts'

const caller = { address: '192.0.2.1' }

/** An organization whose only admin has an authenticator. */
async function lossWorld() {
  const world = await signedWorld()
  const { service, ada, clock, mails, enrol } = world
  const key = newAuthenticator()
  const { authenticatorId } = unwrap(await enrol(key))
  service.start()
  await clock.advance(1_000)
  mails.length = 0
  const revoke = (given: object, by = ada) =>
    service.authenticators.revoke(by, { authenticatorId, ...caller, ...given })
  const { memberId } = ada
  const asAdmin = (by = ada) =>
    service.members.revokeAuthenticator(by, { memberId, authenticatorId })
  const isActive = async () => {
    const { authenticators } = unwrap(await service.authenticators.list(ada, {}))
    return authenticators[0]?.revokedAt === null
  }
  /** Subjects of the mails since the last look, and to whom they went. */
  const told = async () => {
    await clock.advance(1_000)
    return mails.splice(0).map(({ subject, to }) => `${subject}: ${to}`)
  }
  return { ...world, key, authenticatorId, revoke, asAdmin, isActive, told }
}

describe('the revocation of an own authenticator', () => {
  it('takes more than the session of an admin', async () => {
    const { service, asAdmin, isActive, told } = await lossWorld()
    assert.equal(codeOf(await asAdmin()), 'signature_required')
    assert.ok(await isActive())
    assert.deepEqual(await told(), [])
    await service.drain(0)
  })

  it('is by password that of the only admin alone', async () => {
    const { service, ada, clock, revoke, isActive, enrol } = await lossWorld()
    assert.equal(codeOf(await revoke({})), 'invalid_request')
    assert.equal(codeOf(await revoke({ password: 'not the password' })), 'invalid_credentials')
    const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    const { authenticatorId } = unwrap(await enrol(newAuthenticator(), bob))
    const ofBob = await revoke({ password, authenticatorId }, bob)
    assert.equal(codeOf(ofBob), 'signature_required', 'of no admin')
    const eve = await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
    assert.equal(codeOf(await revoke({ password })), 'signature_required', 'with another admin')
    assert.ok(await isActive())
    unwrap(await service.members.deactivate(ada, { memberId: eve.memberId, confirm: true }))
    assert.equal(codeOf(await revoke({ password })), 'signature_required', 'who took the rights')
    await pass(clock, beforeWeakeningMs)
    assert.ok(unwrap(await revoke({ password })).revokedAt)
    await service.drain(0)
  })

  it('is by the password that the member has at the commit, however a change of it meets', async () => {
    const outcomes = new Set<string | null>()
    const after = async <T>(ticks: number, run: () => Promise<T>) => {
      for (let tick = 0; tick < ticks; tick++) await null
      return run()
    }
    for (let lead = -60; lead <= 60; lead += 5) {
      const { service, ada, revoke, isActive } = await lossWorld()
      const next = 'another horse battery'
      const change = () => service.auth.changePassword(ada, { current: password, next, ...caller })
      const [changed, revoked] = await Promise.all([
        after(lead, change),
        after(-lead, () => revoke({ password })),
      ])
      unwrap(changed)
      outcomes.add(codeOf(revoked))
      assert.equal(await isActive(), !revoked.ok)
      const { entries } = unwrap(await service.auditLog.list(ada, {})) as {
        readonly entries: readonly { readonly action: string; readonly position: number }[]
      }
      const at = (action: string) => entries.find((each) => each.action === action)?.position
      const [changedAt, revokedAt] = [at('member.password_changed'), at('authenticator.revoked')]
      assert.ok(changedAt !== undefined)
      assert.ok(revokedAt === undefined || revokedAt < changedAt, `lead ${lead}`)
      await service.drain(0)
    }
    // Both ways came by.
    assert.deepEqual(outcomes, new Set([null, 'invalid_credentials']))
  })

  it('is done by another admin after a loss, of which all admins hear', async () => {
    const { service, ada, asAdmin, isActive, told } = await lossWorld()
    const eve = await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
    await newMember(service, ada.tenantId, 'cai', 'CustomerAdmin')
    unwrap(await asAdmin(eve))
    assert.equal(await isActive(), false)
    assert.deepEqual((await told()).toSorted(), [
      'A member waits to enrol another authenticator: ada@acme.example',
      'A member waits to enrol another authenticator: cai@acme.example',
      'A member waits to enrol another authenticator: eve@acme.example',
      "An admin's authenticator was revoked: cai@acme.example",
      "An admin's authenticator was revoked: eve@acme.example",
      'An authenticator of your account was revoked: ada@acme.example',
    ])
    await service.drain(0)
  })

  it('is told to no other admin where it is of no admin', async () => {
    const { service, ada, told, enrol } = await lossWorld()
    const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    const { authenticatorId } = unwrap(await enrol(newAuthenticator(), bob, 'sign_in'))
    await told()
    const { memberId } = bob
    unwrap(await service.members.revokeAuthenticator(ada, { memberId, authenticatorId }))
    assert.deepEqual(await told(), [
      'An authenticator of your account was revoked: bob@acme.example',
      'Enrol another authenticator: bob@acme.example',
    ])
    await service.drain(0)
  })

  it('gets past no assertion: what is enrolled instead weakens nothing for a day', async () => {
    const world = await lossWorld()
    const { service, clock, ada, applicationId, mails, finish, assertionFor, revoke } = world
    const strict = { applicationId, signedDecisions: 'required', refuseSynced: false } as const
    unwrap(await service.signedDecisions.set(ada, strict))
    await pass(clock, beforeWeakeningMs)
    unwrap(await revoke({ password }))
    const weakest = { signedDecisions: 'optional', refuseSynced: false } as const
    const weaken = (more: object = {}) =>
      service.signedDecisions.set(ada, { applicationId, ...weakest, ...more })
    assert.equal(codeOf(await weaken()), 'signature_required')
    await clock.advance(1_000)
    const links = mails.flatMap(({ text }) => /https:\/\/\S+\/me#(\S+)/.exec(text)?.[1] ?? [])
    const [token = ''] = links
    const begun = await service.authenticators.startRegistration(ada, {
      ...{ use: 'signing', token, ...caller },
    })
    const other = newAuthenticator()
    unwrap(await finish(other, unwrap(begun).options))
    const signed = () =>
      assertionFor(other, {
        ...{ change: 'weaken', subject: applicationId },
        settingDigest: settingDigest('signedDecisions.set', weakest),
      })
    assert.equal(codeOf(await weaken({ assertion: await signed() })), 'signature_required')
    await pass(clock, beforeWeakeningMs - 1)
    assert.equal(codeOf(await weaken({ assertion: await signed() })), 'signature_required')
    await clock.advance(1)
    unwrap(await weaken({ assertion: await signed() }))
    await service.drain(0)
  })
})
