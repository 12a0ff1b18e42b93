import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { newMember } from '@countersign/core/testing'
import { settingDigest } from '@countersign/core/webauthn'
import { beforeWeakeningMs } from '../../../organizations/authenticators/before-weakening.ts'
import { type Authenticator, codeOf, newAuthenticator, signedWorld } from '../../signed-world.ts'

const asAdmin = { role: 'CustomerAdmin', permissions: [] } as const
const asAuditor = { role: 'CustomerAuditor', permissions: [] } as const

/** Ada and Eve are admins, Bob is an auditor. */
async function adminWorld() {
  const world = await signedWorld()
  const { service, ada, clock, mails } = world
  const eve = await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
  const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
  service.start()
  /** To whom mails of a subject went since the last look. */
  const told = async (subject: string) => {
    await clock.advance(1_000)
    const sent = mails.splice(0).filter((mail) => mail.subject === subject)
    return { to: sent.map(({ to }) => to).toSorted(), text: sent[0]?.text ?? '' }
  }
  /** Mails of rights that were lost since the last look, and to whom. */
  const toldOfLoss = async () => {
    await clock.advance(1_000)
    return mails
      .splice(0)
      .filter(({ subject }) => /lost their rights|no longer an admin/.test(subject))
      .toSorted((a, b) => a.to.localeCompare(b.to))
      .map(({ subject, to }) => `${subject}: ${to}`)
  }
  return { ...world, eve, bob, told, toldOfLoss }
}

describe('who is an admin', () => {
  it('no longer is one by another role or a suspension, of which all admins are told, they too', async () => {
    const { service, ada, eve, told, toldOfLoss } = await adminWorld()
    const ofEve = [
      'An admin lost their rights: ada@acme.example',
      'You are no longer an admin: eve@acme.example',
    ]
    const { memberId } = eve
    unwrap(await service.members.setRole(ada, { memberId, ...asAuditor }))
    assert.deepEqual(await toldOfLoss(), ofEve)
    unwrap(await service.members.setRole(ada, { memberId, ...asAuditor }))
    assert.deepEqual(await toldOfLoss(), [], 'nothing changed')

    unwrap(await service.members.setRole(ada, { memberId, ...asAdmin }))
    const promoted = await told('A member became an admin')
    assert.deepEqual(promoted.to, ['ada@acme.example'])
    assert.match(promoted.text, /^ada@acme\.example made eve@acme\.example an admin/)
    unwrap(await service.members.deactivate(ada, { memberId, confirm: true }))
    assert.deepEqual(await toldOfLoss(), ofEve)
    unwrap(await service.members.reactivate(ada, { memberId }))
    assert.deepEqual((await told('A member became an admin')).to, ['ada@acme.example'])

    // Who takes their own rights is told of it, for it may not have been they.
    unwrap(await service.members.setRole(ada, { memberId: ada.memberId, ...asAuditor }))
    assert.deepEqual(await toldOfLoss(), [
      'You are no longer an admin: ada@acme.example',
      'An admin lost their rights: eve@acme.example',
    ])
    await service.drain(0)
  })

  it('is told of no change of other members', async () => {
    const { service, ada, bob, mails, clock } = await adminWorld()
    const { memberId } = bob
    const reviewing = { role: 'CustomerAuditor', permissions: ['Review Cases'] } as const
    unwrap(await service.members.setRole(ada, { memberId, ...reviewing }))
    unwrap(await service.members.deactivate(ada, { memberId, confirm: true }))
    // Of who is suspended the role makes no admin.
    unwrap(await service.members.setRole(ada, { memberId, ...asAdmin }))
    unwrap(await service.members.setRole(ada, { memberId, ...asAuditor }))
    unwrap(await service.members.reactivate(ada, { memberId }))
    await clock.advance(1_000)
    assert.deepEqual(mails, [])
    await service.drain(0)
  })

  it('weakens nothing for a day, by however old an authenticator', async () => {
    const world = await adminWorld()
    const { clock, service, ada, bob, applicationId, enrol, assertionFor } = world
    const uncounted = newAuthenticator()
    const key: Authenticator = {
      ...uncounted,
      register: (parts) => uncounted.register({ ...parts, signCount: 0 }),
      assert: (parts) => uncounted.assert({ ...parts, signCount: 0 }),
    }
    unwrap(await enrol(key, bob))
    await clock.advance(beforeWeakeningMs)
    const { memberId } = bob
    unwrap(await service.members.setRole(ada, { memberId, ...asAdmin }))
    const weaken = async () => {
      const value = { signedDecisions: 'optional', refuseSynced: false } as const
      const strict = { applicationId, signedDecisions: 'required', refuseSynced: false } as const
      unwrap(await service.signedDecisions.set(ada, strict))
      const assertion = await assertionFor(
        key,
        {
          ...{ change: 'weaken', subject: applicationId },
          settingDigest: settingDigest('signedDecisions.set', value),
        },
        admin,
      )
      return service.signedDecisions.set(admin, { applicationId, ...value, assertion })
    }
    const admin = { ...bob, ...asAdmin }
    assert.equal(codeOf(await weaken()), 'signature_required')
    await clock.advance(beforeWeakeningMs - 1)
    assert.equal(codeOf(await weaken()), 'signature_required')
    await clock.advance(1)
    unwrap(await weaken())
    await service.drain(0)
  })
})
