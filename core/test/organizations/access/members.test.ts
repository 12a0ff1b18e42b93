import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  members,
  permissions,
  permissionsOf,
  type Role,
  roles,
  rosters,
} from '@countersign/core/access'
import fc from 'fast-check'
import { code, createFixture, type Fixture, password, system, value } from './fixture.ts'

const second = { name: 'Ben', email: 'ben@acme.example', password }

/** With a second admin, Ben. */
async function withTwoAdmins(): Promise<Fixture & { readonly benId: string }> {
  const fixture = await createFixture()
  const input = { ...second, role: 'CustomerAdmin' as const, permissions: [] }
  const { memberId } = value(
    await fixture.access.createMember(system, { tenantId: fixture.tenantId, ...input }),
  )
  return { ...fixture, benId: memberId }
}

const adminsOf = ({ store }: Fixture) => store.rows(rosters)[0]?.row.admins ?? []
const activeAdmins = ({ store }: Fixture) =>
  store
    .rows(members)
    .filter(({ row }) => row.status === 'Active' && row.role === 'CustomerAdmin')
    .map(({ row }) => row.memberId)

describe('members', () => {
  it('are listed by state, the oldest first, without what only login needs', async () => {
    const { service, admin, reviewer, actorOf } = await createFixture()
    const ada = await actorOf(admin.email)
    const all = value(await service.members.list(ada, { page: 1, pageSize: 20 }))
    assert.deepEqual(
      all.members.map(({ memberId }) => memberId),
      [admin.memberId, reviewer.memberId],
    )
    assert.deepEqual(all.members[1], {
      ...reviewer,
      permissions: ['Review Cases'],
      status: 'Active',
      addedAt: '2026-01-01T00:00:00.000Z',
      invitation: null,
    })
    value(await service.members.deactivate(ada, { memberId: reviewer.memberId, confirm: true }))
    const query = { page: 1, pageSize: 20, status: 'Suspended' } as const
    const suspended = value(await service.members.list(ada, query))
    assert.deepEqual(
      suspended.members.map(({ memberId, status }) => [memberId, status]),
      [[reviewer.memberId, 'Suspended']],
    )
    assert.equal(suspended.totalCount, 1)
  })

  it('lose their sessions at once with their role, and with their status', async () => {
    const { service, access, admin, reviewer, login, actorOf } = await createFixture()
    const ada = await actorOf(admin.email)
    const rights = { role: 'CustomerAuditor' as const, permissions: [] }
    const first = value(await login(reviewer.email)).token
    const told = value(
      await service.members.setRole(ada, { memberId: reviewer.memberId, ...rights }),
    )
    assert.deepEqual(told.permissions, [])
    assert.equal(code(await access.authenticateMember(first)), 'authentication_required')

    const again = value(await login(reviewer.email)).token
    value(await service.members.setRole(ada, { memberId: reviewer.memberId, ...rights }))
    assert.equal(code(await access.authenticateMember(again)), 'ok', 'nothing changed')
    value(await service.members.deactivate(ada, { memberId: reviewer.memberId, confirm: true }))
    assert.equal(code(await access.authenticateMember(again)), 'authentication_required')
    assert.equal(code(await login(reviewer.email)), 'invalid_credentials')

    value(await service.members.reactivate(ada, { memberId: reviewer.memberId }))
    assert.equal(code(await access.authenticateMember(again)), 'authentication_required')
    assert.equal(code(await login(reviewer.email)), 'ok')
  })

  it('are told with the permissions that were asked for, without those of the role', async () => {
    const { service, access, admin, reviewer, actorOf, login } = await createFixture()
    const ada = await actorOf(admin.email)
    const recordOf = async () => {
      const { members: items } = value(await service.members.list(ada, { page: 1, pageSize: 20 }))
      return items.find(({ memberId }) => memberId === reviewer.memberId)
    }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...roles),
        fc.constantFrom(...roles),
        fc.array(fc.constantFrom(...permissions), { maxLength: permissions.length }),
        async (role, next, asked) => {
          const told = value(
            await service.members.setRole(ada, {
              memberId: reviewer.memberId,
              role,
              permissions: asked,
            }),
          )
          assert.deepEqual(
            told.permissions,
            permissions.filter((one) => asked.includes(one)),
          )
          assert.deepEqual(await recordOf(), told)
          const { token } = value(await login(reviewer.email))
          const { memberId, permissions: same } = told
          value(await service.members.setRole(ada, { memberId, role, permissions: same }))
          const held = value(await access.authenticateMember(token)).permissions
          assert.deepEqual(held, permissionsOf(role, asked), 'the record as it was read')
          // Sent back with another role, it grants nothing that only the first role had.
          const { permissions: kept } = told
          value(
            await service.members.setRole(ada, {
              memberId: reviewer.memberId,
              role: next,
              permissions: kept,
            }),
          )
          const again = value(await login(reviewer.email))
          assert.deepEqual(again.member.permissions, permissionsOf(next, asked))
        },
      ),
      { numRuns: 20 },
    )
  })

  it('change by admins alone, and by what is asked in form', async () => {
    const { service, admin, reviewer, actorOf } = await createFixture()
    const [ada, rob] = [await actorOf(admin.email), await actorOf(reviewer.email)]
    const rights = { role: 'CustomerAdmin' as const, permissions: [] }
    assert.equal(
      code(await service.members.setRole(rob, { memberId: reviewer.memberId, ...rights })),
      'forbidden',
    )
    const own = await service.members.deactivate(rob, { memberId: admin.memberId, confirm: true })
    assert.equal(code(own), 'forbidden')
    const unsure = await service.members.deactivate(ada, {
      memberId: reviewer.memberId,
      confirm: false as true,
    })
    assert.equal(code(unsure), 'invalid_request')
    const odd = { role: 'Owner' as Role, permissions: [] }
    assert.equal(
      code(await service.members.setRole(ada, { memberId: reviewer.memberId, ...odd })),
      'invalid_request',
    )
    const none = await service.members.reactivate(ada, {
      memberId: 'mem_00000000000000000000000000',
    })
    assert.equal(code(none), 'not_found')
  })

  it('keep the tenant its last admin, whatever is tried', async () => {
    const fixture = await createFixture()
    const { service, admin, actorOf } = fixture
    const ada = await actorOf(admin.email)
    const down = { role: 'CustomerAuditor' as const, permissions: [] }
    assert.equal(
      code(await service.members.setRole(ada, { memberId: admin.memberId, ...down })),
      'last_admin',
    )
    const off = await service.members.deactivate(ada, { memberId: admin.memberId, confirm: true })
    assert.equal(code(off), 'last_admin')
    assert.deepEqual(adminsOf(fixture), [admin.memberId])
  })

  it('join and leave the row of admins with each change of the set', async () => {
    const fixture = await withTwoAdmins()
    const { service, admin, actorOf, benId } = fixture
    const ada = await actorOf(admin.email)
    const down = { role: 'CustomerAuditor' as const, permissions: [] }
    const up = { role: 'CustomerAdmin' as const, permissions: [] }
    const steps = [
      () => service.members.setRole(ada, { memberId: benId, ...down }),
      () => service.members.setRole(ada, { memberId: benId, ...up }),
      () => service.members.deactivate(ada, { memberId: benId, confirm: true }),
      () => service.members.setRole(ada, { memberId: benId, ...down }),
      () => service.members.setRole(ada, { memberId: benId, ...up }),
      () => service.members.reactivate(ada, { memberId: benId }),
    ]
    for (const step of steps) {
      value(await step())
      assert.deepEqual([...adminsOf(fixture)].toSorted(), activeAdmins(fixture).toSorted())
    }
    assert.equal(adminsOf(fixture).length, 2)
  })

  it('tell the audit log what was done by ids, rights and states', async () => {
    const { service, admin, reviewer, actorOf, audited } = await createFixture()
    const ada = await actorOf(admin.email)
    value(await service.members.deactivate(ada, { memberId: reviewer.memberId, confirm: true }))
    value(await service.members.deactivate(ada, { memberId: reviewer.memberId, confirm: true }))
    const told = (await audited()).filter(({ subject }) => subject === reviewer.memberId)
    assert.deepEqual(
      told.map(({ action }) => action),
      ['member.created', 'member.deactivated'],
    )
    assert.deepEqual(told[1]?.detail, {
      role: 'CustomerAuditor',
      permissions: 'Review Cases',
      status: 'Suspended',
    })
  })
})
