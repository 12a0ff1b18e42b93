import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type MemberActor, unwrap } from '@countersign/core'
import { newMember, newOrganization } from '@countersign/core/testing'
import { settingDigest } from '@countersign/core/webauthn'
import { beforeWeakeningMs } from '../../../organizations/authenticators/before-weakening.ts'
import { codeOf, newAuthenticator, password, signedWorld } from '../../signed-world.ts'

const address = '192.0.2.1'
const staff = { kind: 'staff', name: 'sam' } as const
const issuer = 'https://id.acme.example'
const subject = 'https://id.acme.example/people/1'

/** A world whose organization has its members sign in by a provider. */
async function providerWorld() {
  const world = await signedWorld()
  const { service, ada, identityProviders: provider } = world
  const settings = {
    ...{ issuer, clientId: 'countersign', clientSecret: 'a secret', password, address },
    emailDomains: ['acme.example'],
    provision: null,
    required: false,
    breakGlassMemberId: null,
  }
  const set = (more: object = {}, by: MemberActor = ada) =>
    service.signInProvider.set(by, { ...settings, ...more })
  provider.records.set('acme.example', [`countersign=${ada.tenantId}`, 'v=spf1 -all'])
  const person = { subject, email: 'ada@acme.example', emailVerified: true, name: 'Ada Example' }
  provider.identity = person
  const begin = async (email = 'ada@acme.example') =>
    unwrap(await service.auth.startProvider({ email }))
  type Begun = Awaited<ReturnType<typeof begin>>
  let tries = 0
  // Each from an address of its own, which no failure of another delays.
  const finish = ({ url, browserToken }: Begun, more: object = {}) => {
    const query = new URL(url).search
    return service.auth.provider({ query, browserToken, address: `198.51.100.${tries++}`, ...more })
  }
  const signIn = async () => finish(await begin())
  const login = () => service.auth.login({ email: 'ada@acme.example', password, address })
  const actionsOf = async () => {
    const listed = unwrap(await service.auditLog.list(ada, {})) as {
      readonly entries: readonly { readonly action: string }[]
    }
    return listed.entries.map(({ action }) => action)
  }
  const of = { settings, provider, person, set, begin, finish, signIn, login, actionsOf }
  return { ...world, ...of, enrolBy: world.finish }
}

describe('a sign-in by a provider', () => {
  it('gives what a login by password gives, and holds the member by the id of the provider', async () => {
    const { service, ada, provider, person, set, signIn, login, actionsOf } = await providerWorld()
    unwrap(await set())
    const by = unwrap(await signIn())
    assert.deepEqual(by.member, unwrap(await login()).member)
    assert.equal(unwrap(await service.access.authenticateMember(by.token)).memberId, ada.memberId)
    // Another address of the same person, and another person with the same address.
    provider.identity = { ...person, email: 'countess@acme.example' }
    assert.equal(unwrap(await signIn()).member.memberId, ada.memberId)
    provider.identity = { ...person, subject: 'another' }
    assert.equal(codeOf(await signIn()), 'invalid_credentials')
    const actions = await actionsOf()
    assert.equal(actions.filter((action) => action === 'member.linked').length, 1)
  })

  it('is how the member had signed in at a decision', async () => {
    const { service, store, set, signIn, login, openCase } = await providerWorld()
    unwrap(await set())
    for (const [checkpoint, session, how] of [
      ['one', unwrap(await signIn()), 'provider'],
      ['two', unwrap(await login()), 'password'],
    ] as const) {
      const by = unwrap(await service.access.authenticateMember(session.token))
      const seen = await openCase(checkpoint)
      unwrap(
        await service.reviewCases.decide(by, { ...seen, decision: 'approved', comment: 'fine' }),
      )
      const rows = store.rows({ name: 'reviewCases' } as never).map(({ row }) => row as Decided)
      const decided = rows.find(({ checkpointId }) => checkpointId === checkpoint)
      assert.equal(decided?.reviewer?.signIn, how)
    }
  })

  it('is taken once, in time, by the browser that began it, while the settings stay', async () => {
    const { clock, set, begin, finish } = await providerWorld()
    unwrap(await set())
    const begun = await begin()
    const other = await begin()
    for (const [name, more] of Object.entries({
      'no browser': { browserToken: null },
      'another browser': { browserToken: other.browserToken },
      'what is no token': { browserToken: 'AAAA' },
      'another answer': { query: new URL(other.url).search },
    }))
      assert.equal(codeOf(await finish(begun, more)), 'invalid_credentials', name)
    unwrap(await finish(begun))
    assert.equal(codeOf(await finish(begun)), 'invalid_credentials', 'again')
    await clock.advance(5 * 60_000)
    assert.equal(codeOf(await finish(other)), 'invalid_credentials', 'late')
    const before = await begin()
    unwrap(await set({ clientId: 'another' }))
    assert.equal(codeOf(await finish(before)), 'invalid_credentials', 'other settings')
  })

  it('is not taken for another organization, or as the answer to a sign-in by passkey', async () => {
    const { service, provider, person, set, begin, finish } = await providerWorld()
    unwrap(await set())
    const { admin: eve } = await newOrganization(service, {
      name: 'Evil',
      email: 'eve@evil.example',
    })
    provider.records.set('evil.example', [`countersign=${eve.tenantId}`])
    const own = { ...given, clientId: 'evil', emailDomains: ['evil.example'], password, address }
    unwrap(await service.signInProvider.set(eve, own))
    // What the provider of one organization says of the other's member.
    const theirs = await begin('eve@evil.example')
    provider.identity = person
    assert.equal(codeOf(await finish(theirs)), 'invalid_credentials', 'another domain')
    const ours = await begin()
    const swapped = { query: new URL(ours.url).search }
    assert.equal(codeOf(await finish(theirs, swapped)), 'invalid_credentials', 'another answer')
    const { browserToken } = unwrap(await service.auth.startPasskey({}))
    assert.equal(codeOf(await finish(ours, { browserToken })), 'invalid_credentials', 'passkey')
    unwrap(await finish(ours))
  })

  it('is granted once of two that come at the same time', async () => {
    const { set, begin, finish } = await providerWorld()
    unwrap(await set())
    const begun = await begin()
    const answers = await Promise.all([finish(begun), finish(begun)])
    assert.deepEqual(new Set(answers.map(codeOf)), new Set(['invalid_credentials', null]))
  })

  it('lets in members of its own organization alone, by verified addresses of its domains', async () => {
    const { service, ada, provider, person, set, begin, signIn } = await providerWorld()
    unwrap(await set())
    const { admin: eve } = await newOrganization(service, {
      name: 'Evil',
      email: 'eve@evil.example',
    })
    const wrong = {
      'an unverified address': { emailVerified: false },
      'no address': { email: null },
      'an address of another domain': { email: 'eve@evil.example' },
      'a domain below': { email: 'ada@sub.acme.example' },
      'an address that looks like another': { email: 'ada\u200b@acme.example' },
      'nobody’s address': { email: 'nobody@acme.example' },
    }
    for (const [name, change] of Object.entries(wrong)) {
      provider.identity = { ...person, ...change }
      assert.equal(codeOf(await signIn()), 'invalid_credentials', name)
    }
    provider.identity = null
    assert.equal(codeOf(await signIn()), 'invalid_credentials', 'refused by the provider')
    provider.isReached = false
    assert.equal(codeOf(await service.auth.startProvider({ email: person.email })), 'unavailable')
    provider.isReached = true
    assert.equal(
      codeOf(await service.auth.startProvider({ email: 'a@other.example' })),
      'not_found',
    )
    // Another organization can't have its provider vouch for this one's addresses.
    const asked = { ...given, emailDomains: ['acme.example'], password, address }
    assert.equal(codeOf(await service.signInProvider.set(eve, asked)), 'invalid_request')
    provider.records.set('acme.example', [`countersign=${eve.tenantId}`])
    assert.equal(codeOf(await service.signInProvider.set(eve, asked)), 'invalid_request', 'taken')

    provider.identity = person
    const auditor = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    provider.identity = { ...person, subject: 'bob', email: 'bob@acme.example' }
    unwrap(await signIn())
    unwrap(await service.members.deactivate(ada, { memberId: auditor.memberId, confirm: true }))
    assert.equal(codeOf(await signIn()), 'invalid_credentials', 'deactivated')
    assert.ok(await begin())
  })

  it('makes an auditor of whom it does not know, where an admin asked for it', async () => {
    const { service, ada, provider, person, set, signIn, actionsOf } = await providerWorld()
    unwrap(await set({ provision: { permissions: ['Review Cases'] } }))
    provider.identity = { ...person, subject: 'new', email: 'new@acme.example', name: 'Neva' }
    const { member } = unwrap(await signIn())
    assert.deepEqual(
      [member.name, member.email, member.role, member.permissions.toSorted()],
      ['Neva', 'new@acme.example', 'CustomerAuditor', ['Export Evidence', 'Review Cases']],
    )
    assert.equal(unwrap(await signIn()).member.memberId, member.memberId)
    const login = { email: 'new@acme.example', password, address }
    assert.equal(codeOf(await service.auth.login(login)), 'invalid_credentials')
    assert.ok((await actionsOf()).includes('member.provisioned'))
    const { admin: eve } = await newOrganization(service, {
      name: 'Evil',
      email: 'eve@acme.example',
    })
    provider.identity = { ...person, subject: 'eve', email: 'eve@acme.example' }
    assert.equal(codeOf(await signIn()), 'invalid_credentials', eve.memberId)
    assert.ok(ada)
  })

  it('leaves whom it made a password reset once it is removed, and none before', async () => {
    const { service, ada, provider, person, set, signIn } = await providerWorld()
    unwrap(await set({ provision: { permissions: [] } }))
    const email = 'new@acme.example'
    provider.identity = { ...person, subject: 'new', email }
    unwrap(await signIn())
    const issue = () => service.auth.issuePasswordReset(staff, { email })
    assert.equal(codeOf(await issue()), 'not_found', 'while the provider lets them in')
    unwrap(await service.signInProvider.remove(ada, { password, address }))
    const token = new URL(unwrap(await issue()).resetUrl).hash.slice(1)
    unwrap(await service.auth.acceptPasswordReset({ token, password, address }))
    unwrap(await service.auth.login({ email, password, address }))
  })

  it('is the only one where it is required, but for one admin with an authenticator', async () => {
    const { service, ada, enrol, set, login, signIn, provider, person } = await providerWorld()
    const required = { required: true, breakGlassMemberId: ada.memberId }
    assert.equal(codeOf(await set(required)), 'invalid_request', 'without an authenticator')
    unwrap(await enrol(newAuthenticator()))
    assert.equal(codeOf(await set({ required: true })), 'invalid_request', 'without such an admin')
    const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    assert.equal(
      codeOf(await set({ ...required, breakGlassMemberId: bob.memberId })),
      'invalid_request',
    )
    unwrap(await set(required))
    unwrap(await login())
    const asBob = { email: 'bob@acme.example', password, address }
    assert.equal(codeOf(await service.auth.login(asBob)), 'invalid_credentials')
    provider.identity = { ...person, subject: 'bob', email: 'bob@acme.example' }
    unwrap(await signIn())
    assert.equal(
      codeOf(await service.auth.issuePasswordReset(staff, { email: asBob.email })),
      'not_found',
    )
    unwrap(await service.signInProvider.remove(ada, { password, address }))
    unwrap(await service.auth.login(asBob))
    assert.equal(codeOf(await service.auth.startProvider({ email: asBob.email })), 'not_found')
  })
})

describe('an organization that requires its provider', () => {
  async function requiringWorld() {
    const world = await providerWorld()
    const { ada, enrol, set, service } = world
    unwrap(await enrol(newAuthenticator()))
    const required = { required: true, breakGlassMemberId: ada.memberId }
    const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAdmin')
    const asBob = { email: 'bob@acme.example', password, address }
    const isOpen = async ({ token }: { readonly token: string }) =>
      (await service.access.authenticateMember(token)).ok
    world.provider.identity = { ...world.person, subject: 'bob', email: asBob.email }
    return { ...world, bob, asBob, isOpen, require: () => set(required) }
  }

  it('ends sessions that were opened otherwise, but for those of its one admin', async () => {
    const { service, set, require, login, signIn, asBob, isOpen } = await requiringWorld()
    unwrap(await set())
    const [byPassword, byProvider, ofAda] = [
      unwrap(await service.auth.login(asBob)),
      unwrap(await signIn()),
      unwrap(await login()),
    ]
    unwrap(await require())
    assert.equal(await isOpen(byPassword), false)
    assert.ok(await isOpen(byProvider))
    assert.ok(await isOpen(ofAda))
    // Another password leaves what the member had signed in by.
    const by = unwrap(await service.access.authenticateMember(byProvider.token))
    const given = { current: password, next: 'another horse battery', address }
    const changed = unwrap(await service.auth.changePassword(by, given))
    assert.ok(await isOpen(changed))
  })

  it('keeps the admin who is left passwords until another is named', async () => {
    const { service, ada, bob, set, enrol, require } = await requiringWorld()
    unwrap(await require())
    const { memberId } = ada
    const demotion = { memberId, role: 'CustomerAuditor', permissions: [] } as const
    assert.equal(codeOf(await service.members.setRole(bob, demotion)), 'last_admin')
    const deactivation = { memberId, confirm: true } as const
    assert.equal(codeOf(await service.members.deactivate(bob, deactivation)), 'last_admin')
    unwrap(await enrol(newAuthenticator(), bob))
    unwrap(await set({ required: true, breakGlassMemberId: bob.memberId }))
    unwrap(await service.members.deactivate(bob, deactivation))
    // Where nothing is required, nobody is kept.
    unwrap(await service.members.reactivate(bob, { memberId }))
    unwrap(await set({}, bob))
    unwrap(await service.members.setRole(bob, demotion))
  })

  it('has the only admin, whom it signed in lately, revoke one that is lost without a password', async () => {
    const world = await requiringWorld()
    const { service, clock, ada, bob, set, enrol, signIn } = world
    unwrap(await set())
    const { authenticatorId } = unwrap(await enrol(newAuthenticator(), bob))
    const actor = async () =>
      unwrap(await service.access.authenticateMember(unwrap(await signIn()).token))
    const revoke = (by: MemberActor, more: object = {}) =>
      service.authenticators.revoke(by, { authenticatorId, address, ...more })
    const late = await actor()
    assert.equal(codeOf(await revoke(late)), 'signature_required', 'with another admin')
    unwrap(await service.members.deactivate(bob, { memberId: ada.memberId, confirm: true }))
    assert.equal(codeOf(await revoke(late)), 'signature_required', 'who took the rights')
    clock.jump(beforeWeakeningMs)
    const { providerAt, ...otherwise } = late
    assert.equal(codeOf(await revoke(otherwise)), 'invalid_request', String(providerAt))
    await clock.advance(5 * 60_000)
    assert.equal(codeOf(await revoke(late)), 'forbidden', 'late')
    const fresh = await actor()
    assert.equal(codeOf(await revoke(fresh, { password: 'wrong horse' })), 'invalid_credentials')
    assert.ok(unwrap(await revoke(fresh)).revokedAt)
  })

  it('has a member whom it signed in lately enrol the first authenticator without a password', async () => {
    const { service, clock, enrolBy, require, signIn } = await requiringWorld()
    unwrap(await require())
    const { token } = unwrap(await signIn())
    const by = unwrap(await service.access.authenticateMember(token))
    const begin = (member: MemberActor, more: object = {}) =>
      service.authenticators.startRegistration(member, { use: 'signing', address, ...more })
    await clock.advance(5 * 60_000)
    assert.equal(codeOf(await begin(by)), 'forbidden', 'late')
    const { token: again } = unwrap(await signIn())
    const fresh = unwrap(await service.access.authenticateMember(again))
    assert.equal(codeOf(await begin(fresh, { password, token: 'both' })), 'invalid_request')
    const { options } = unwrap(await begin(fresh))
    unwrap(await enrolBy(newAuthenticator(), options, fresh))
    assert.equal(codeOf(await begin(fresh)), 'signature_required', 'a second one')
    const { providerAt, ...otherwise } = fresh
    assert.equal(codeOf(await begin(otherwise)), 'invalid_request', String(providerAt))
  })
})

interface Decided {
  readonly checkpointId: string
  readonly reviewer: { readonly signIn: string } | null
}

const given = {
  ...{ issuer, clientId: 'countersign', clientSecret: 'a secret', emailDomains: ['acme.example'] },
  ...{ provision: null, required: false, breakGlassMemberId: null },
}

describe('the provider of an organization', () => {
  it('is set by an admin who proves it, for domains that are theirs, and mailed to all', async () => {
    const { service, ada, settings, provider, set, enrol, assertionFor, mails, clock } =
      await providerWorld()
    assert.equal(codeOf(await set({ password: 'wrong horse battery' })), 'invalid_credentials')
    assert.equal(codeOf(await set({ password: undefined })), 'invalid_request', 'no proof')
    const auditor = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    assert.equal(codeOf(await set({}, auditor)), 'forbidden')
    for (const [name, more] of Object.entries({
      'a domain without the record': { emailDomains: ['acme.example', 'other.example'] },
      'a domain that is none': { emailDomains: ['localhost'] },
      'no domain': { emailDomains: [] },
      http: { issuer: 'http://id.acme.example' },
      'no secret': { clientSecret: undefined },
    }))
      assert.equal(codeOf(await set(more)), 'invalid_request', name)
    assert.equal(unwrap(await service.signInProvider.read(ada, {})).provider, null)
    const { provider: shown } = unwrap(await set())
    assert.equal(shown?.redirectUri, 'https://portal.example/login/provider')
    assert.ok(!JSON.stringify(shown).includes('a secret'))
    service.start()
    await clock.advance(1_000)
    assert.ok(mails.some(({ text }) => text.includes(issuer)))
    await service.drain(0)

    // The secret that is there is of one client at one issuer.
    for (const [name, more] of Object.entries({
      'another issuer': { issuer: 'https://id.evil.example' },
      'another client': { clientId: 'another' },
    })) {
      const told = await set({ ...more, clientSecret: undefined })
      assert.equal(codeOf(told), 'invalid_request', name)
      const errors = told.ok ? [] : told.refusal.errors
      assert.deepEqual(
        errors?.map(({ pointer }) => pointer),
        ['/clientSecret'],
        name,
      )
    }

    // Who has an authenticator signs for it instead; the secret that is there stays.
    const key = newAuthenticator()
    unwrap(await enrol(key))
    const { clientSecret: _, password: __, address: ___, ...kept } = settings
    const digest = settingDigest('signInProvider.set', kept)
    const change = { change: 'weaken', subject: ada.tenantId, settingDigest: digest } as const
    const assertion = await assertionFor(key, change)
    const other = await assertionFor(key, { ...change, subject: 'app_other' })
    const unproved = { clientSecret: undefined, password: undefined }
    assert.equal(codeOf(await set({ ...unproved, assertion: other })), 'signature_invalid')
    const elsewhere = { ...unproved, issuer: 'https://id.evil.example', clientSecret: 'theirs' }
    assert.equal(codeOf(await set({ ...elsewhere, assertion })), 'signature_invalid')
    const asked = await service.signInProvider.remove(ada, { assertion, address })
    assert.equal(codeOf(asked), 'signature_invalid')
    provider.records.clear()
    unwrap(await set({ ...unproved, assertion }))
    const read = unwrap(await service.signInProvider.read(auditor, {}))
    assert.deepEqual(read.provider?.emailDomains, ['acme.example'])
  })
})
