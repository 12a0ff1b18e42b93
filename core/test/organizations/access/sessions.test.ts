import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { members, tenants } from '@countersign/core/access'
import { get, one, put } from '@countersign/core/ledger'
import type { Passwords } from '@countersign/core/ports'
import { plainPasswords, plainSessionTokens } from '@countersign/core/testing'
import fc from 'fast-check'
import { code, createFixture, type Fixture, password, start, system, value } from './fixture.ts'

async function change(
  { store, tenantId }: Fixture,
  memberId: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const [found] = await store.read(tenantId, [get(members, [tenantId, memberId])])
  const was = one(members, found)
  assert.ok(was)
  const row = { ...was.row, ...changes }
  assert.ok((await store.commit({ tenant: tenantId, puts: [put(members, row, was)] })).committed)
}

async function suspend({ store, tenantId }: Fixture): Promise<void> {
  const [found] = await store.read(tenantId, [get(tenants, [tenantId])])
  const was = one(tenants, found)
  assert.ok(was)
  const row = { ...was.row, status: 'suspended' as const }
  assert.ok((await store.commit({ tenant: tenantId, puts: [put(tenants, row, was)] })).committed)
}

describe('a session token', () => {
  const oddTexts = ['', '\0', 'mem_\0', '\ud800', 'a\nb', 'x'.repeat(201)]
  const odd = fc.constantFrom(...oddTexts)

  it('that names what no row can have is no session, whichever claim it is', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('memberId', 'tenantId', 'tokenId'),
        fc.oneof(odd, fc.string({ unit: 'binary' })),
        async (claim, text) => {
          const { access, tenantId, admin } = await createFixture()
          const issuedAt = start / 1000
          const claims = {
            ...{ tenantId, memberId: admin.memberId, tokenId: 'token', sessionVersion: 1 },
            ...{ issuedAt, expiresAt: issuedAt + 60 },
          }
          const token = await plainSessionTokens().issue({ ...claims, [claim]: text })
          const known = await access.authenticateMember(token)
          const isRefused = claim !== 'tokenId' || oddTexts.includes(text)
          if (isRefused) assert.equal(code(known), 'authentication_required')
        },
      ),
    ))
})

describe('login', () => {
  it('tells the token, its end and the member with what they may', async () => {
    const { login, tenantId, admin } = await createFixture()
    const session = value(await login('ada@acme.example'))
    assert.deepEqual(
      { ...session, token: 'hidden', device: { ...session.device, token: 'hidden' } },
      {
        token: 'hidden',
        device: { token: 'hidden', seconds: 180 * 24 * 3600 },
        expiresAt: new Date(start + 24 * 3600_000).toISOString(),
        tenantId,
        member: {
          memberId: admin.memberId,
          name: 'Ada',
          email: 'ada@acme.example',
          role: 'CustomerAdmin',
          permissions: ['Manage Integrations', 'Review Cases', 'Export Evidence'],
        },
      },
    )
  })

  it('takes the address in any case and the password in any Unicode form', async () => {
    const { access, tenantId } = await createFixture()
    value(
      await access.createMember(system, {
        tenantId,
        name: 'Zoë',
        email: 'Zoe@Acme.Example',
        password: 'pässwörd',
        role: 'CustomerAuditor',
        permissions: [],
      }),
    )
    const login = await access.login({
      email: ' zoe@acme.EXAMPLE',
      password: 'pässwörd',
      address: '192.0.2.1',
    })
    assert.equal(value(login).member.email, 'Zoe@Acme.Example')
  })

  it('says the same of a wrong password, an unknown address and a suspended member, after the same work', async () => {
    const work: (string | null)[] = []
    const plain = plainPasswords()
    const passwords: Passwords = {
      ...plain,
      verify: async (given, stored, queue) => {
        work.push(stored === null ? null : 'hash')
        return plain.verify(given, stored, queue)
      },
    }
    const fixture = await createFixture({ passwords })
    const { access, login, reviewer } = fixture
    await change(fixture, reviewer.memberId, { status: 'Suspended' })
    const address = '192.0.2.1'
    const answers = [
      await access.login({ email: 'ada@acme.example', password: 'wrong', address }),
      await login('nobody@acme.example'),
      await login('rob@acme.example'),
    ]
    assert.deepEqual(work, ['hash', null, null])
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    assert.equal(code(answers[0] as never), 'invalid_credentials')
  })

  it('is refused after five failures with the seconds to wait, also with the right password, and opens again', async () => {
    const { access, login, clock } = await createFixture()
    const wrong = { email: 'ada@acme.example', password: 'wrong' }
    for (let failure = 0; failure < 5; failure++)
      assert.equal(
        code(await access.login({ ...wrong, address: `192.0.2.${failure}` })),
        'invalid_credentials',
      )
    const refused = await login('ada@acme.example')
    assert.ok(!refused.ok)
    assert.equal(refused.refusal.code, 'too_many_attempts')
    assert.equal(refused.refusal.retryAfter, 1)
    await clock.advance(1000)
    assert.equal(code(await login('ada@acme.example')), 'ok')
  })

  it('checks the passwords of five of a hundred that come at once', async () => {
    let checked = 0
    const passwords: Passwords = {
      ...plainPasswords(),
      verify: async () => {
        checked++
        await Promise.resolve()
        return false
      },
    }
    const { login } = await createFixture({ passwords })
    const answers = await Promise.all(Array.from({ length: 100 }, () => login('ada@acme.example')))
    assert.equal(checked, 5)
    assert.equal(answers.filter((one) => code(one) === 'too_many_attempts').length, 95)
  })

  it('waits its turn when too many passwords are checked, without counting it as a failure', async () => {
    let busy = true
    const plain = plainPasswords()
    const { login } = await createFixture({
      passwords: { ...plain, verify: async (...given) => (busy ? null : plain.verify(...given)) },
    })
    for (let tried = 0; tried < 10; tried++) {
      const refused = await login('ada@acme.example')
      assert.ok(!refused.ok)
      assert.deepEqual([refused.refusal.code, refused.refusal.retryAfter], ['busy', 1])
    }
    busy = false
    assert.equal(code(await login('ada@acme.example')), 'ok')
  })

  it('frees its place when the store breaks', async () => {
    let broken = true
    const plain = plainPasswords()
    const { login } = await createFixture({
      passwords: {
        ...plain,
        verify: (...given) => {
          if (broken) throw new Error('broken')
          return plain.verify(...given)
        },
      },
    })
    for (let tried = 0; tried < 10; tried++)
      await assert.rejects(login('ada@acme.example'), /broken/)
    broken = false
    assert.equal(code(await login('ada@acme.example')), 'ok')
  })

  it('takes no NUL after a password, which to scrypt is the same password', async () => {
    const plain = plainPasswords()
    const hmac = (password: string) => password.replace(/\0+$/, '')
    const { access, tenantId } = await createFixture({
      passwords: {
        hash: (given) => plain.hash(hmac(given)),
        verify: (given, ...rest) => plain.verify(hmac(given), ...rest),
      },
    })
    const address = '192.0.2.1'
    for (const odd of [`${password}\0`, `${password}\0\0`, `\0${password}`]) {
      const login = await access.login({ email: 'ada@acme.example', password: odd, address })
      assert.equal(code(login), 'invalid_credentials')
    }
    const member = { name: 'Zoe', email: 'zoe@acme.example', role: 'CustomerAuditor' } as const
    const chosen = { ...member, password: 'pass\0word', permissions: [] }
    const made = await access.createMember(system, { tenantId, ...chosen })
    assert.equal(code(made), 'invalid_request')
  })

  it('of an overlong password does no work', async () => {
    let checked = 0
    const { access } = await createFixture({
      passwords: {
        ...plainPasswords(),
        verify: async () => {
          checked++
          return false
        },
      },
    })
    const answered = {
      ['x'.repeat(1025)]: 'invalid_request',
      ['é'.repeat(600)]: 'invalid_credentials',
    }
    for (const [long, expected] of Object.entries(answered))
      assert.equal(
        code(await access.login({ email: 'ada@acme.example', password: long, address: 'a' })),
        expected,
      )
    assert.equal(checked, 0)
  })

  it('of a suspended organization is 503, and only for who knows the password', async () => {
    const fixture = await createFixture()
    await suspend(fixture)
    assert.equal(code(await fixture.login('ada@acme.example')), 'account_suspended')
    assert.equal(
      code(
        await fixture.access.login({ email: 'ada@acme.example', password: 'wrong', address: 'a' }),
      ),
      'invalid_credentials',
    )
  })
})

describe('a session', () => {
  it('is the member as the store has them now', async () => {
    const fixture = await createFixture()
    const { token } = value(await fixture.login('rob@acme.example'))
    const actor = value(await fixture.access.authenticateMember(token))
    const { sessionId, ...rest } = actor
    assert.match(sessionId ?? '', /^[0-9a-f]{32}$/)
    assert.deepEqual(rest, {
      kind: 'member',
      tenantId: fixture.tenantId,
      memberId: fixture.reviewer.memberId,
      role: 'CustomerAuditor',
      permissions: ['Review Cases', 'Export Evidence'],
      sessionEndsAt: start + 24 * 3600_000,
    })
    assert.deepEqual(value(await fixture.access.session(actor, {})), {
      member: fixture.reviewer,
      tenantId: fixture.tenantId,
      expiresAt: new Date(start + 24 * 3600_000).toISOString(),
    })
    await change(fixture, fixture.reviewer.memberId, { granted: [] })
    assert.deepEqual(value(await fixture.access.authenticateMember(token)).permissions, [
      'Export Evidence',
    ])
  })

  it('ends after 24 hours', async () => {
    const { access, login, clock } = await createFixture()
    const { token } = value(await login('ada@acme.example'))
    clock.jump(24 * 3600_000 - 1)
    assert.equal(code(await access.authenticateMember(token)), 'ok')
    clock.jump(1)
    assert.equal(code(await access.authenticateMember(token)), 'authentication_required')
  })

  it('ends at once with its own logout, and no other does', async () => {
    const { access, login, audited } = await createFixture()
    const token = async () => value(await login('ada@acme.example')).token
    const state = async (held: string) => code(await access.authenticateMember(held))
    const [first, second] = [await token(), await token()]
    const actor = value(await access.authenticateMember(first))
    // At once, as from a page that is left in two tabs.
    for (const logout of await Promise.all([access.logout(actor, {}), access.logout(actor, {})]))
      value(logout)
    assert.deepEqual([await state(first), await state(second)], ['authentication_required', 'ok'])
    const ends = (await audited()).filter(({ action }) => action === 'member.logged_out')
    assert.equal(ends.length, 1)
  })

  it('ends with a logout everywhere, on every device, and the next login starts another', async () => {
    const { access, login, actorOf, audited } = await createFixture()
    const token = async () => value(await login('ada@acme.example')).token
    const [first, second] = [await token(), await token()]
    const actor = value(await access.authenticateMember(first))
    value(await access.logout(actor, { everywhere: true }))
    for (const held of [first, second])
      assert.equal(code(await access.authenticateMember(held)), 'authentication_required')
    const third = await token()
    assert.equal(code(await access.authenticateMember(third)), 'ok')
    const ended = (await audited()).filter(({ action }) => action !== 'member.logged_in')
    assert.equal(ended.at(-1)?.action, 'member.logged_out')
    // A host with sessions of its own has no token that could end alone.
    const { sessionId: _, ...foreign } = await actorOf('ada@acme.example')
    value(await access.logout(foreign, {}))
    assert.equal(code(await access.authenticateMember(third)), 'authentication_required')
  })

  it('ends when the member is suspended or gone, or the version moves', async () => {
    for (const changes of [{ status: 'Suspended' }, { sessionVersion: 0 }, { sessionVersion: 2 }]) {
      const fixture = await createFixture()
      const { token } = value(await fixture.login('rob@acme.example'))
      await change(fixture, fixture.reviewer.memberId, changes)
      assert.equal(code(await fixture.access.authenticateMember(token)), 'authentication_required')
    }
  })

  it('of a suspended organization is 503 with an hour to wait', async () => {
    const fixture = await createFixture()
    const { token } = value(await fixture.login('ada@acme.example'))
    await suspend(fixture)
    const refused = await fixture.access.authenticateMember(token)
    assert.ok(!refused.ok)
    assert.deepEqual(
      [refused.refusal.code, refused.refusal.retryAfter],
      ['account_suspended', 3600],
    )
  })

  it('is refused for what is no token', async () => {
    const { access } = await createFixture()
    for (const token of ['', 'x', 'a.b.c'])
      assert.equal(code(await access.authenticateMember(token)), 'authentication_required')
  })
})

describe('a new organization', () => {
  it('comes with its admin in one commit, and with audit entries', async () => {
    const { store, tenantId, admin, audited } = await createFixture()
    const [found] = await store.read(tenantId, [{ get: 'rosters', key: [tenantId] }])
    assert.deepEqual(found?.rows[0]?.row, { tenantId, admins: [admin.memberId] })
    assert.deepEqual(
      (await audited()).map(({ action, actor }) => [action, actor]),
      [
        ['tenant.created', 'system'],
        ['member.created', 'system'],
      ],
    )
  })

  it('is refused whole for an address that another tenant has', async () => {
    const { access, store } = await createFixture()
    const refused = await access.createTenant(system, {
      name: 'Other',
      admin: { name: 'Eve', email: 'ADA@acme.example', password },
    })
    assert.ok(!refused.ok)
    assert.equal(refused.refusal.errors?.[0]?.pointer, '/admin/email')
    const [all] = await store.read(null, [
      { list: 'tenants', where: [], by: 'key', newest: false, skip: 0, take: 10, count: true },
    ])
    assert.equal(all?.total, 1)
  })

  it('and a member under one address at the same moment: one of them', async () => {
    const { access, tenantId } = await createFixture()
    const twin = { name: 'Twin', email: 'twin@acme.example', password }
    const answers = await Promise.all([
      access.createTenant(system, { name: 'Twin', admin: twin }),
      access.createMember(system, { tenantId, ...twin, role: 'CustomerAuditor', permissions: [] }),
    ])
    assert.deepEqual(answers.map(code).sort(), ['invalid_request', 'ok'])
  })

  it('keeps count of its admins when many come at once', async () => {
    const { access, store, tenantId } = await createFixture()
    await Promise.all(
      Array.from({ length: 5 }, async (_, at) =>
        value(
          await access.createMember(system, {
            tenantId,
            name: `Admin ${at}`,
            email: `admin${at}@acme.example`,
            password,
            role: 'CustomerAdmin',
            permissions: [],
          }),
        ),
      ),
    )
    const [found] = await store.read(tenantId, [{ get: 'rosters', key: [tenantId] }])
    const row = found?.rows[0]?.row as { readonly admins: readonly string[] } | undefined
    assert.equal(row?.admins.length, 6)
  })

  it('is made by the system alone', async () => {
    const { access, actorOf, tenantId } = await createFixture()
    const admin = await actorOf('ada@acme.example')
    const member = { name: 'M', email: 'm@acme.example', password }
    assert.equal(code(await access.createTenant(admin, { name: 'X', admin: member })), 'forbidden')
    assert.equal(
      code(
        await access.createMember(admin, {
          tenantId,
          ...member,
          role: 'CustomerAdmin',
          permissions: [],
        }),
      ),
      'forbidden',
    )
  })

  it('names each value that is not allowed, and never repeats a password', async () => {
    const { access, tenantId } = await createFixture()
    const refused = await access.createMember(system, {
      tenantId,
      name: 'line\nbreak',
      email: 'no address',
      password: 'short12',
      role: 'CustomerAuditor',
      permissions: [],
    })
    assert.ok(!refused.ok)
    assert.deepEqual(
      refused.refusal.errors?.map(({ pointer }) => pointer),
      ['/name', '/email', '/password'],
    )
    assert.ok(!JSON.stringify(refused).includes('short12'))
  })
})
