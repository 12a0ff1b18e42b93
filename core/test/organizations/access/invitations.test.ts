import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { invitations, members, rosters, tenants } from '@countersign/core/access'
import type { Mail } from '@countersign/core/ports'
import { pendingInvitationsPerTenant } from '../../../kernel/ledger/limits.ts'
import { code, createFixture, type Fixture, password, start, system, value } from './fixture.ts'

const hour = 3_600_000
const email = 'eve@acme.example'
const page = { page: 1, pageSize: 20 }

/** A fixture whose admin acts. */
async function open(options: Parameters<typeof createFixture>[0] = {}) {
  const fixture = await createFixture(options)
  return { ...fixture, ada: await fixture.actorOf(fixture.admin.email) }
}

const tokenOf = ({ acceptUrl }: { readonly acceptUrl: string | null }) =>
  new URL(acceptUrl ?? '').hash.slice(1)

const accept = ({ access }: Fixture, token: string, address = '192.0.2.9') =>
  access.acceptInvitation({ token, name: ' Eve ', password, address })

describe('an invitation', () => {
  it('goes to one plain address', async () => {
    const { service, ada } = await open()
    for (const wrong of [
      ...[
        'boss@corp.example,x',
        'boss@corp.example;x',
        '"Eve"<eve@acme.example>',
        '<eve@acme.example>',
      ],
      ...['"eve"@acme.example', 'eve(work)@acme.example', 'mailto:eve@acme.example'],
      ...[
        'eve@acme@acme.example',
        'eve\\@acme.example',
        'eve @acme.example',
        'eve@',
        '@acme.example',
      ],
    ])
      assert.equal(
        code(await service.invitations.create(ada, { email: wrong })),
        'invalid_request',
        wrong,
      )
    for (const plain of ["o'eve+b_c.d@acme.example", 'ève@ácme.example'])
      assert.equal(code(await service.invitations.create(ada, { email: plain })), 'ok', plain)
  })

  it('tells who has its token who invites to what, and guesses count beside that', async () => {
    const { service, ada, admin } = await open()
    const permissions = ['Review Cases'] as const
    const invited = value(await service.invitations.create(ada, { email, permissions }))
    const address = '192.0.2.9'
    const read = (token: string) => service.auth.readInvitation({ token, address })
    const offered = { organizationName: 'Acme', inviterName: admin.name, email, permissions }
    const { expiresAt, role, ...rest } = value(await read(tokenOf(invited)))
    assert.deepEqual(rest, offered)
    assert.deepEqual([expiresAt, role], [invited.expiresAt, 'CustomerAuditor'])
    const codes = new Set<string>()
    for (let guess = 0; guess < 20; guess++) {
      codes.add(code(await read(`${guess}`)))
      codes.add(code(await read(tokenOf(invited))))
    }
    assert.deepEqual([...codes].sort(), ['not_found', 'ok', 'too_many_attempts'])
    value(await service.invitations.withdraw(ada, { invitationId: invited.invitationId }))
    const late = await service.auth.readInvitation({
      token: tokenOf(invited),
      address: '192.0.2.8',
    })
    assert.equal(code(late), 'invitation_expired')
  })

  it('makes an active member with the rights that it names', async () => {
    const fixture = await open()
    const { service, ada, login, tenantId } = fixture
    const invited = value(
      await service.invitations.create(ada, { email: ` ${email}`, permissions: ['Review Cases'] }),
    )
    const { acceptUrl, ...rest } = invited
    assert.match(acceptUrl ?? '', /^https:\/\/portal\.example\/invitation#[0-9a-f]{64}$/)
    assert.deepEqual(rest, {
      invitationId: rest.invitationId,
      memberId: rest.memberId,
      email,
      role: 'CustomerAuditor',
      permissions: ['Review Cases'],
      status: 'pending',
      invitedBy: ada.memberId,
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-04T00:00:00.000Z',
    })
    const query = { ...page, status: 'Pending invitation' } as const
    const [pending] = value(await service.members.list(ada, query)).members
    assert.deepEqual(
      [pending?.memberId, pending?.name, pending?.permissions, pending?.invitation],
      [
        rest.memberId,
        null,
        rest.permissions,
        { invitationId: rest.invitationId, expiresAt: rest.expiresAt },
      ],
    )
    assert.equal(code(await login(email)), 'invalid_credentials')

    const joined = value(await accept(fixture, tokenOf(invited)))
    assert.equal(joined.tenantId, tenantId)
    assert.deepEqual(joined.member, {
      memberId: rest.memberId,
      name: 'Eve',
      email,
      role: 'CustomerAuditor',
      permissions: ['Review Cases', 'Export Evidence'],
    })
    assert.equal(code(await login(email)), 'ok')
    const listed = value(await service.invitations.list(ada, page)).invitations
    assert.deepEqual(
      listed.map(({ status, acceptUrl }) => [status, acceptUrl]),
      [['accepted', null]],
    )
    assert.equal(code(await accept(fixture, tokenOf(invited))), 'invitation_expired')
  })

  it('keeps the token at rest as its hash alone', async () => {
    const { service, ada, store } = await open()
    const token = tokenOf(value(await service.invitations.create(ada, { email })))
    const rows = JSON.stringify(store.rows(invitations))
    assert.ok(!rows.includes(token))
    assert.match(rows, /"tokenHash":"[0-9a-f]{64}"/)
  })

  it('ends after 72 hours, also before anything recorded it', async () => {
    const fixture = await open()
    const { service, ada, clock, runner, store, audited } = fixture
    const invited = value(await service.invitations.create(ada, { email }))
    clock.jump(72 * hour - 1)
    assert.equal(await runner.tick(), 0)
    clock.jump(1)
    assert.equal(code(await accept(fixture, tokenOf(invited))), 'invitation_expired')
    const resent = await service.invitations.resend(ada, { invitationId: invited.invitationId })
    assert.equal(code(resent), 'invalid_transition')
    assert.equal(value(await service.invitations.list(ada, page)).invitations[0]?.status, 'expired')
    await runner.tick()
    assert.equal(store.rows(invitations)[0]?.row.status, 'expired')
    assert.ok(!store.rows(members).some(({ row }) => row.memberId === invited.memberId))
    assert.equal((await audited()).at(-1)?.action, 'invitation.expired')
  })

  it('lives for 72 hours from when it was sent again, by its new token alone', async () => {
    const fixture = await open()
    const { service, ada, clock, runner } = fixture
    const first = value(await service.invitations.create(ada, { email }))
    clock.jump(71 * hour)
    const second = value(
      await service.invitations.resend(ada, { invitationId: first.invitationId }),
    )
    assert.equal(Date.parse(second.expiresAt), start + (71 + 72) * hour)
    assert.equal(code(await accept(fixture, tokenOf(first))), 'not_found')
    clock.jump(71 * hour)
    await runner.tick()
    assert.equal(code(await accept(fixture, tokenOf(second))), 'ok')
  })

  it('is withdrawn once and for all', async () => {
    const fixture = await open()
    const { service, ada, store } = fixture
    const invited = value(await service.invitations.create(ada, { email }))
    const { invitationId } = invited
    assert.equal(
      value(await service.invitations.withdraw(ada, { invitationId })).status,
      'withdrawn',
    )
    assert.equal(
      value(await service.invitations.withdraw(ada, { invitationId })).status,
      'withdrawn',
    )
    assert.equal(code(await accept(fixture, tokenOf(invited))), 'invitation_expired')
    assert.ok(!store.rows(members).some(({ row }) => row.memberId === invited.memberId))
    const other = await service.invitations.withdraw(ada, {
      invitationId: 'inv_00000000000000000000000000',
    })
    assert.equal(code(other), 'not_found')
  })

  it('ends with the rights of the admin who made it, and does not come back with them', async () => {
    const fixture = await open()
    const { service, access, ada, store, tenantId, actorOf, audited } = fixture
    const rights = { role: 'CustomerAdmin' as const, permissions: [] }
    const { memberId } = value(
      await access.createMember(system, {
        tenantId,
        ...{ name: 'Ben', email: 'ben@acme.example', password },
        ...rights,
      }),
    )
    const ways = {
      deactivated: () => service.members.deactivate(ada, { memberId, confirm: true }),
      demoted: () =>
        service.members.setRole(ada, { memberId, role: 'CustomerAuditor', permissions: [] }),
    }
    for (const [way, lose] of Object.entries(ways)) {
      const ben = await actorOf('ben@acme.example')
      const invited = value(await service.invitations.create(ben, { email: `${way}@acme.example` }))
      const kept = value(
        await service.invitations.create(ada, { email: `kept-${way}@acme.example` }),
      )
      // Sent again by another admin, it is Ben's still.
      const token = tokenOf(
        value(await service.invitations.resend(ada, { invitationId: invited.invitationId })),
      )
      value(await lose())
      const told = (await audited()).slice(-2)
      assert.deepEqual(
        told.map(({ action, actor, subject }) => [action, actor, subject]),
        [
          [
            way === 'demoted' ? 'member.role_set' : 'member.deactivated',
            `member:${ada.memberId}`,
            memberId,
          ],
          ['invitation.withdrawn', `member:${ada.memberId}`, invited.invitationId],
        ],
      )
      assert.ok(!store.rows(members).some(({ row }) => row.memberId === invited.memberId))
      assert.equal(code(await accept(fixture, token)), 'invitation_expired', way)
      if (way === 'deactivated') value(await service.members.reactivate(ada, { memberId }))
      assert.equal(code(await accept(fixture, token)), 'invitation_expired', way)
      assert.equal(code(await accept(fixture, tokenOf(kept))), 'ok')
      // The address can be invited anew.
      assert.equal(
        code(await service.invitations.create(ada, { email: `${way}@acme.example` })),
        'ok',
      )
    }
  })

  it('stays while the admin who made it has other permissions alone', async () => {
    const fixture = await open()
    const { service, ada } = fixture
    const token = tokenOf(value(await service.invitations.create(ada, { email })))
    const more = { role: 'CustomerAdmin' as const, permissions: ['Review Cases' as const] }
    value(await service.members.setRole(ada, { memberId: ada.memberId, ...more }))
    assert.equal(code(await accept(fixture, token)), 'ok')
  })

  it('is refused to members and to who is invited already, and allowed again once it ended', async () => {
    const { service, ada, clock, reviewer } = await open()
    const asked = await service.invitations.create(ada, { email: reviewer.email.toUpperCase() })
    assert.equal(code(asked), 'already_member')
    value(await service.invitations.create(ada, { email }))
    const again = await service.invitations.create(ada, { email: 'EVE@acme.example' })
    assert.equal(code(again), 'already_invited')
    // Not swept yet.
    clock.jump(72 * hour)
    const anew = value(await service.invitations.create(ada, { email }))
    const { totalCount } = value(
      await service.members.list(ada, { ...page, status: 'Pending invitation' }),
    )
    assert.equal(totalCount, 1)
    assert.equal(anew.status, 'pending')
  })

  it('is one of so many at a time, however many are made at once', async () => {
    const fixture = await open()
    const { service, ada, clock, store } = fixture
    const atOnce = 10
    const made: string[] = []
    for (let n = 0; n < pendingInvitationsPerTenant + 5; n += atOnce)
      made.push(
        ...(await Promise.all(
          Array.from({ length: atOnce }, async (_, at) =>
            code(await service.invitations.create(ada, { email: `p${n + at}@acme.example` })),
          ),
        )),
      )
    assert.equal(made.filter((one) => one === 'ok').length, pendingInvitationsPerTenant)
    assert.deepEqual(new Set(made), new Set(['ok', 'invitation_limit']))
    assert.equal(store.rows(invitations).length, pendingInvitationsPerTenant)
    // Who withdraws one may make another.
    const [last] = value(await service.invitations.list(ada, page)).invitations
    value(await service.invitations.withdraw(ada, { invitationId: last?.invitationId ?? '' }))
    const invited = value(await service.invitations.create(ada, { email }))
    assert.equal(
      code(await service.invitations.create(ada, { email: 'fay@acme.example' })),
      'invitation_limit',
    )
    value(await accept(fixture, tokenOf(invited)))
    value(await service.invitations.create(ada, { email: 'fay@acme.example' }))
    // Its own address anew takes the place of one that expired, swept or not.
    clock.jump(72 * hour)
    value(await service.invitations.create(ada, { email: 'fay@acme.example' }))
  })

  it("tells nobody of another organization's members but who accepts", async () => {
    const fixture = await open()
    const { service, access, ada } = fixture
    const admin = { name: 'Zoe', email, password }
    value(await access.createTenant(system, { name: 'Zeta', admin }))
    const invited = value(await service.invitations.create(ada, { email }))
    assert.equal(code(await accept(fixture, tokenOf(invited))), 'email_taken')
  })

  it('takes another role while it is pending, which counts from when it is accepted', async () => {
    const fixture = await open()
    const { service, ada, store } = fixture
    const invited = value(await service.invitations.create(ada, { email }))
    const up = { role: 'CustomerAdmin' as const, permissions: [] }
    const changed = value(await service.members.setRole(ada, { memberId: invited.memberId, ...up }))
    assert.equal(changed.invitation?.invitationId, invited.invitationId)
    assert.equal(
      value(await service.invitations.list(ada, page)).invitations[0]?.role,
      'CustomerAdmin',
    )
    assert.equal(store.rows(rosters)[0]?.row.admins.length, 1)
    const off = await service.members.deactivate(ada, { memberId: invited.memberId, confirm: true })
    assert.equal(code(off), 'invalid_transition')
    value(await accept(fixture, tokenOf(invited)))
    assert.deepEqual(store.rows(rosters)[0]?.row.admins, [ada.memberId, invited.memberId])
  })

  it('slows down who guesses tokens, and not who chooses a bad password', async () => {
    const fixture = await open()
    const { service, access, ada } = fixture
    const token = tokenOf(value(await service.invitations.create(ada, { email })))
    for (let tries = 0; tries < 8; tries++) {
      const input = { token, name: 'Eve', password: 'short', address: '192.0.2.7' }
      assert.equal(code(await access.acceptInvitation(input)), 'invalid_request')
    }
    assert.equal(code(await accept(fixture, token, '192.0.2.7')), 'ok')
    const codes = []
    for (let tries = 0; tries < 6; tries++)
      codes.push(code(await accept(fixture, 'f'.repeat(64), '192.0.2.8')))
    assert.deepEqual(codes, [...Array(5).fill('not_found'), 'too_many_attempts'])
  })

  it('of a suspended organization waits', async () => {
    const fixture = await open()
    const { service, ada, store } = fixture
    const token = tokenOf(value(await service.invitations.create(ada, { email })))
    const [was] = store.rows(tenants)
    if (!was) throw new Error('no tenant')
    const row = { ...was.row, status: 'suspended' as const }
    await store.commit({ tenant: null, puts: [{ in: tenants.name, row, was }] })
    assert.equal(code(await accept(fixture, token)), 'account_suspended')
  })
})

describe('an invitation by mail', () => {
  it('answers without the link, and sends it', async () => {
    const sent: Mail[] = []
    const fixture = await open({ mailer: { send: async (mail) => void sent.push(mail) } })
    const { service, ada, runner } = fixture
    const invited = value(await service.invitations.create(ada, { email }))
    assert.equal(invited.acceptUrl, null)
    await runner.tick()
    assert.equal(sent.length, 1)
    const [mail] = sent
    assert.deepEqual([mail?.to, mail?.subject], [email, 'Invitation to Acme'])
    const token = /invitation#([0-9a-f]{64})/.exec(mail?.text ?? '')?.[1] ?? ''
    assert.equal(code(await accept(fixture, token)), 'ok')
  })
})
