import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { newMember } from '@countersign/core/testing'
import fc from 'fast-check'
import { letterHourMs, lettersPerHour } from '../../../kernel/ledger/limits.ts'
import { placeOf } from '../../../organizations/members/count-letter.ts'
import { codeOf, newAuthenticator, password, signedWorld } from '../../signed-world.ts'

const caller = { address: '192.0.2.1' }

/** Ada and Eve are admins. */
async function letterWorld() {
  const world = await signedWorld()
  const { service, ada, clock, mails } = world
  const eve = await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
  service.start()
  const toAda = async (subject: string) => {
    await clock.advance(1_000)
    return mails.filter((mail) => mail.to === 'ada@acme.example' && mail.subject === subject)
  }
  const setRole = async (role: 'CustomerAdmin' | 'CustomerAuditor', memberId = eve.memberId) =>
    unwrap(await service.members.setRole(ada, { memberId, role, permissions: [] }))
  return { ...world, eve, toAda, setRole }
}

describe('letters to admins', () => {
  it('of a kind are so many within any hour, and the last of them says so', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: letterHourMs / 4 }), { maxLength: 80 })
    fc.assert(
      fc.property(gaps, (apart) => {
        let sentAt: readonly number[] = []
        let now = 0
        const sent: number[] = []
        for (const gap of apart) {
          now += gap
          const within = sent.filter((at) => now - at < letterHourMs).length
          const next = placeOf(sentAt, now)
          sentAt = next.sentAt
          assert.equal(next.place === 'left out', within === lettersPerHour)
          assert.equal(next.place === 'last', within === lettersPerHour - 1)
          if (next.place !== 'left out') sent.push(now)
        }
      }),
    )
  })

  it('come of a role that is taken and given back again and again no more than so many times', async () => {
    const { service, clock, toAda, setRole } = await letterWorld()
    const flood = async () => {
      for (let at = 0; at < lettersPerHour + 5; at++) {
        await setRole('CustomerAuditor')
        await setRole('CustomerAdmin')
        await clock.advance(1_000)
      }
    }
    await flood()
    for (const subject of ['An admin lost their rights', 'A member became an admin']) {
      const told = await toAda(subject)
      assert.equal(told.length, lettersPerHour)
      const isLast = told.map(({ text }) => /no more letters of this kind/.test(text))
      assert.deepEqual(isLast, [...isLast.slice(1).fill(false), true])
    }
    await clock.advance(letterHourMs)
    await setRole('CustomerAuditor')
    assert.equal((await toAda('An admin lost their rights')).length, lettersPerHour + 1)
    await service.drain(0)
  })

  it('of another kind, organization or hour are sent as before', async () => {
    const { service, ada, eve, enrol, toAda, setRole } = await letterWorld()
    for (let at = 0; at <= lettersPerHour; at++) {
      await setRole('CustomerAuditor')
      await setRole('CustomerAdmin')
    }
    unwrap(await enrol(newAuthenticator(), eve))
    assert.equal((await toAda('An admin added an authenticator')).length, 1)
    // A change that its admin proved is told whatever was.
    const rules = ['password', 'password_and_passkey'] as const
    for (let at = 0; at < lettersPerHour + 2; at++) {
      const signIn = rules[at % 2] ?? 'password'
      unwrap(await service.signInRule.set(ada, { signIn, password, ...caller }))
    }
    assert.equal((await toAda('How members sign in has changed')).length, lettersPerHour + 2)
    await service.drain(0)
  })

  it('and links that are asked for again and again are no more than so many an hour', async () => {
    const { service, clock, ada, eve, mails, enrol, toAda } = await letterWorld()
    const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    const { authenticatorId } = unwrap(await enrol(newAuthenticator(), bob))
    const { memberId } = bob
    const again = (by = ada) =>
      service.members.revokeAuthenticator(by, { memberId, authenticatorId })
    for (let at = 0; at < lettersPerHour + 5; at++) unwrap(await again())
    const waits = 'A member waits to enrol another authenticator'
    assert.equal((await toAda(waits)).length, lettersPerHour)
    for (let at = 0; at < lettersPerHour + 5; at++) unwrap(await again(eve))
    await clock.advance(1_000)
    const links = () =>
      mails.flatMap(({ to, text }) =>
        to === 'bob@acme.example' ? (/\/me#(\S+)/.exec(text)?.[1] ?? []) : [],
      )
    assert.equal(links().length, lettersPerHour)
    // Another member is not kept from theirs.
    const cai = await newMember(service, ada.tenantId, 'cai', 'CustomerAuditor')
    const theirs = unwrap(await enrol(newAuthenticator(), cai)).authenticatorId
    for (const by of [ada, eve])
      unwrap(
        await service.members.revokeAuthenticator(by, {
          ...{ memberId: cai.memberId, authenticatorId: theirs },
        }),
      )
    await clock.advance(1_000)
    assert.equal(mails.filter(({ to, text }) => /^cai@/.test(to) && /\/me#/.test(text)).length, 1)
    // The last that was sent is still good.
    const token = links().at(-1) ?? ''
    const given = { use: 'signing', token, ...caller } as const
    assert.equal(codeOf(await service.authenticators.startRegistration(bob, given)), null)
    await clock.advance(letterHourMs)
    unwrap(await again(eve))
    await clock.advance(1_000)
    assert.equal(links().length, lettersPerHour + 1)
    await service.drain(0)
  })
})

describe('an invited admin', () => {
  it('who joins is told to all who are admins, with who invited them; another member is not', async () => {
    const { service, ada, eve, clock, mails } = await letterWorld()
    const join = async (name: string, role: 'CustomerAdmin' | 'CustomerAuditor', by = ada) => {
      const email = `${name}@acme.example`
      unwrap(await service.invitations.create(by, { email, role, permissions: [] }))
      await clock.advance(1_000)
      const [invitation] = mails.splice(0).filter(({ to }) => to === email)
      const token = /\/invitation#(\S+)/.exec(invitation?.text ?? '')?.[1] ?? ''
      const given = { token, name, password, ...caller }
      unwrap(await service.auth.acceptInvitation(given))
      await clock.advance(1_000)
      return mails.splice(0)
    }
    assert.deepEqual(await join('bob', 'CustomerAuditor'), [])
    const told = await join('cai', 'CustomerAdmin', eve)
    assert.deepEqual(
      told.map(({ to, subject }) => `${subject}: ${to}`).toSorted(),
      ['ada', 'eve'].map((name) => `An invited admin joined: ${name}@acme.example`),
    )
    assert.match(told[0]?.text ?? '', /^cai@acme\.example accepted the invitation of eve@acme/)
    // The role that counts is the one at the acceptance.
    const dee = { email: 'dee@acme.example', role: 'CustomerAuditor', permissions: [] } as const
    const { memberId } = unwrap(await service.invitations.create(ada, dee)) as {
      readonly memberId: string
    }
    unwrap(await service.members.setRole(ada, { memberId, role: 'CustomerAdmin', permissions: [] }))
    await clock.advance(1_000)
    const invited = mails.splice(0)
    assert.deepEqual(
      invited.map(({ to }) => to),
      [dee.email],
    )
    const token = /\/invitation#(\S+)/.exec(invited[0]?.text ?? '')?.[1] ?? ''
    unwrap(await service.auth.acceptInvitation({ token, name: 'Dee', password, ...caller }))
    await clock.advance(1_000)
    assert.deepEqual(
      mails.map(({ to }) => to).toSorted(),
      ['ada', 'cai', 'eve'].map((name) => `${name}@acme.example`),
    )
    await service.drain(0)
  })
})
