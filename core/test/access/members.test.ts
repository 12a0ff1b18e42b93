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
  const { memberId } = value(await fixture.access.createMember(system, fixture.tenantId, input))
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
    const { access, admin, reviewer, actorOf } = await createFixture()
    const ada = await actorOf(admin.email)
    const all = value(await access.listMembers(ada, { page: 1, pageSize: 20 }))
    assert.deepEqual(
      all.items.map(({ memberId }) => memberId),
      [admin.memberId, reviewer.memberId],
    )
    assert.deepEqual(all.items[1], {
      ...reviewer,
      permissions: ['Review Cases'],
      status: 'Active',
      addedAt: '2026-01-01T00:00:00.000Z',
      invitation: null,
    })
    value(await access.deactivateMember(ada, reviewer.memberId, { confirm: true }))
    const query = { page: 1, pageSize: 20, status: 'Suspended' } as const
    const suspended = value(await access.listMembers(ada, query))
    assert.deepEqual(
      suspended.items.map(({ memberId, status }) => [memberId, status]),
      [[reviewer.memberId, 'Suspended']],
    )
    assert.equal(suspended.totalCount, 1)
  })

  it('lose their sessions at once with their role, and with their status', async () => {
    const { access, admin, reviewer, login, actorOf } = await createFixture()
    const ada = await actorOf(admin.email)
    const rights = { role: 'CustomerAuditor' as const, permissions: [] }
    const first = value(await login(reviewer.email)).token
    const told = value(await access.setRole(ada, reviewer.memberId, rights))
    assert.deepEqual(told.permissions, [])
    assert.equal(code(await access.authenticateMember(first)), 'authentication_required')

    const again = value(await login(reviewer.email)).token
    value(await access.setRole(ada, reviewer.memberId, rights))
    assert.equal(code(await access.authenticateMember(again)), 'ok', 'nothing changed')
    value(await access.deactivateMember(ada, reviewer.memberId, { confirm: true }))
    assert.equal(code(await access.authenticateMember(again)), 'authentication_required')
    assert.equal(code(await login(reviewer.email)), 'invalid_credentials')

    value(await access.reactivateMember(ada, reviewer.memberId))
    assert.equal(code(await access.authenticateMember(again)), 'authentication_required')
    assert.equal(code(await login(reviewer.email)), 'ok')
  })

  it('are told with the permissions that were asked for, without those of the role', async () => {
    const { access, admin, reviewer, actorOf, login } = await createFixture()
    const ada = await actorOf(admin.email)
    const recordOf = async () => {
      const { items } = value(await access.listMembers(ada, { page: 1, pageSize: 20 }))
      return items.find(({ memberId }) => memberId === reviewer.memberId)
    }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...roles),
        fc.constantFrom(...roles),
        fc.array(fc.constantFrom(...permissions), { maxLength: 5 }),
        async (role, next, asked) => {
          const told = value(
            await access.setRole(ada, reviewer.memberId, { role, permissions: asked }),
          )
          assert.deepEqual(
            told.permissions,
            permissions.filter((one) => asked.includes(one)),
          )
          assert.deepEqual(await recordOf(), told)
          const { token } = value(await login(reviewer.email))
          value(await access.setRole(ada, reviewer.memberId, told))
          const held = value(await access.authenticateMember(token)).permissions
          assert.deepEqual(held, permissionsOf(role, asked), 'the record as it was read')
          // Sent back with another role, it grants nothing that only the first role had.
          const { permissions: kept } = told
          value(await access.setRole(ada, reviewer.memberId, { role: next, permissions: kept }))
          const again = value(await login(reviewer.email))
          assert.deepEqual(again.member.permissions, permissionsOf(next, asked))
        },
      ),
      { numRuns: 20 },
    )
  })

  it('change by admins alone, and by what is asked in form', async () => {
    const { access, admin, reviewer, actorOf } = await createFixture()
    const [ada, rob] = [await actorOf(admin.email), await actorOf(reviewer.email)]
    const rights = { role: 'CustomerAdmin' as const, permissions: [] }
    assert.equal(code(await access.setRole(rob, reviewer.memberId, rights)), 'forbidden')
    const own = await access.deactivateMember(rob, admin.memberId, { confirm: true })
    assert.equal(code(own), 'forbidden')
    const unsure = await access.deactivateMember(ada, reviewer.memberId, { confirm: false })
    assert.equal(code(unsure), 'invalid_request')
    const odd = { role: 'Owner' as Role, permissions: [] }
    assert.equal(code(await access.setRole(ada, reviewer.memberId, odd)), 'invalid_request')
    const none = await access.reactivateMember(ada, 'mem_00000000000000000000000000')
    assert.equal(code(none), 'not_found')
  })

  it('keep the tenant its last admin, whatever is tried', async () => {
    const fixture = await createFixture()
    const { access, admin, actorOf } = fixture
    const ada = await actorOf(admin.email)
    const down = { role: 'CustomerAuditor' as const, permissions: [] }
    assert.equal(code(await access.setRole(ada, admin.memberId, down)), 'last_admin')
    const off = await access.deactivateMember(ada, admin.memberId, { confirm: true })
    assert.equal(code(off), 'last_admin')
    assert.deepEqual(adminsOf(fixture), [admin.memberId])
  })

  it('join and leave the row of admins with each change of the set', async () => {
    const fixture = await withTwoAdmins()
    const { access, admin, actorOf, benId } = fixture
    const ada = await actorOf(admin.email)
    const down = { role: 'CustomerAuditor' as const, permissions: [] }
    const up = { role: 'CustomerAdmin' as const, permissions: [] }
    const steps = [
      () => access.setRole(ada, benId, down),
      () => access.setRole(ada, benId, up),
      () => access.deactivateMember(ada, benId, { confirm: true }),
      () => access.setRole(ada, benId, down),
      () => access.setRole(ada, benId, up),
      () => access.reactivateMember(ada, benId),
    ]
    for (const step of steps) {
      value(await step())
      assert.deepEqual([...adminsOf(fixture)].toSorted(), activeAdmins(fixture).toSorted())
    }
    assert.equal(adminsOf(fixture).length, 2)
  })

  it('tell the audit log what was done by ids, rights and states', async () => {
    const { access, admin, reviewer, actorOf, audited } = await createFixture()
    const ada = await actorOf(admin.email)
    value(await access.deactivateMember(ada, reviewer.memberId, { confirm: true }))
    value(await access.deactivateMember(ada, reviewer.memberId, { confirm: true }))
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
