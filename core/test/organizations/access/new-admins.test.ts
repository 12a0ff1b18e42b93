import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type MemberActor, unwrap } from '@countersign/core'
import { newMember } from '@countersign/core/testing'
import { beforeWeakeningMs } from '../../../organizations/authenticators/before-weakening.ts'
import { mayActForOthers } from '../../../organizations/authenticators/new-admin.ts'
import { codeOf, newAuthenticator, pass, password, signedWorld } from '../../signed-world.ts'

const caller = { address: '192.0.2.1' }

/** Ada is the only admin; Bob signs decisions. */
async function adminWorld() {
  const world = await signedWorld()
  const { service, ada, clock, mails, enrol } = world
  const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
  const { authenticatorId } = unwrap(await enrol(newAuthenticator(), bob))
  service.start()
  /** An admin by Ada's session alone. */
  const invited = async (name: string): Promise<MemberActor> => {
    const email = `${name}@acme.example`
    const given = { email, role: 'CustomerAdmin', permissions: [] } as const
    unwrap(await service.invitations.create(ada, given))
    await clock.advance(1_000)
    const mail = mails.findLast(({ to }) => to === email)
    const token = /\/invitation#(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
    const { member } = unwrap(
      await service.auth.acceptInvitation({ token, name, password, ...caller }),
    )
    return { kind: 'member', tenantId: ada.tenantId, ...member }
  }
  const revoke = (by: MemberActor, { memberId } = bob, id = authenticatorId) =>
    service.members.revokeAuthenticator(by, { memberId, authenticatorId: id })
  const links = async () => {
    await clock.advance(1_000)
    return mails.filter(({ to, text }) => /^bob@/.test(to) && /\/me#/.test(text)).length
  }
  return { ...world, bob, invited, revoke, links }
}

describe('who became an admin a moment ago', () => {
  it('revokes no authenticator of another member for a day, one of an admin least of all', async () => {
    const { service, ada, clock, enrol, invited, revoke } = await adminWorld()
    const { authenticatorId } = unwrap(await enrol(newAuthenticator()))
    const eve = await invited('eve')
    for (const refused of [await revoke(eve), await revoke(eve, ada, authenticatorId)]) {
      assert.equal(codeOf(refused), 'forbidden')
      assert.ok(!refused.ok && (refused.refusal.retryAfter ?? 0) > 86_000)
    }
    await pass(clock, beforeWeakeningMs)
    unwrap(await revoke(eve))
    unwrap(await revoke(eve, ada, authenticatorId))
    await service.drain(0)
  })

  it('allows nobody another authenticator for a day: one session makes no two admins', async () => {
    const { service, ada, clock, invited, revoke, links } = await adminWorld()
    const eve = await invited('eve')
    unwrap(await revoke(ada))
    assert.equal(codeOf(await revoke(eve)), 'forbidden')
    assert.equal(await links(), 0)
    await pass(clock, beforeWeakeningMs)
    for (const by of [ada, eve]) unwrap(await revoke(by))
    assert.equal(await links(), 1)
    await service.drain(0)
  })

  it('takes the rights of the other admin, and still does not allow alone what takes two', async () => {
    const { service, ada, clock, enrol, invited, revoke, links } = await adminWorld()
    unwrap(await enrol(newAuthenticator()))
    const eve = await invited('eve')
    await pass(clock, beforeWeakeningMs)
    const { memberId } = ada
    const set = (role: 'CustomerAuditor' | 'CustomerAdmin') =>
      service.members.setRole(eve, { memberId, role, permissions: [] })
    unwrap(await set('CustomerAuditor'))
    unwrap(await revoke(eve))
    assert.equal(await links(), 0)
    // Nor by giving them back.
    unwrap(await set('CustomerAdmin'))
    unwrap(await revoke(eve))
    assert.equal(await links(), 0)
    unwrap(await set('CustomerAuditor'))
    await pass(clock, beforeWeakeningMs - 10_000)
    unwrap(await revoke(eve))
    assert.equal(await links(), 0)
    await clock.advance(10_000)
    unwrap(await revoke(eve))
    assert.equal(await links(), 1)
    await service.drain(0)
  })

  it('waits as long where staff makes another member meanwhile', async () => {
    const { service, ada, invited, revoke } = await adminWorld()
    const eve = await invited('eve')
    await newMember(service, ada.tenantId, 'cai', 'CustomerAdmin')
    assert.equal(codeOf(await revoke(eve)), 'forbidden')
    await service.drain(0)
  })

  it('waits again after each time that they were none', async () => {
    const { service, ada, clock, invited, revoke } = await adminWorld()
    const { memberId, ...eve } = await invited('eve')
    await pass(clock, beforeWeakeningMs)
    const roles = ['CustomerAuditor', 'CustomerAdmin'] as const
    for (const role of roles)
      unwrap(await service.members.setRole(ada, { memberId, role, permissions: [] }))
    assert.equal(codeOf(await revoke({ memberId, ...eve })), 'forbidden')
    await pass(clock, beforeWeakeningMs)
    unwrap(await service.members.deactivate(ada, { memberId, confirm: true }))
    unwrap(await service.members.reactivate(ada, { memberId }))
    assert.equal(codeOf(await revoke({ memberId, ...eve })), 'forbidden')
    // What changes of an admin who stays one makes them no new one.
    await pass(clock, beforeWeakeningMs)
    const given = { memberId, role: 'CustomerAdmin', permissions: ['Review Cases'] } as const
    unwrap(await service.members.setRole(ada, { ...given, permissions: [...given.permissions] }))
    unwrap(await revoke({ memberId, ...eve }))
    await service.drain(0)
  })

  it('is one for a day to the millisecond; whom staff made one is none', () => {
    const since = { eve: 1_000 }
    for (const [memberId, now, code] of [
      ['eve', 1_000 + beforeWeakeningMs - 1, 'forbidden'],
      ['eve', 1_000 + beforeWeakeningMs, null],
      ['ada', 0, null],
    ] as const)
      assert.equal(codeOf(mayActForOthers({ since }, memberId, now)), code)
    assert.equal(codeOf(mayActForOthers({}, 'ada', 0)), null)
  })
})
