import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { newMember } from '@countersign/core/testing'
import fc from 'fast-check'
import {
  letterHourMs,
  lettersOfKindPerHour,
  lettersPerHour,
} from '../../../kernel/ledger/limits.ts'
import { placeOf } from '../../../organizations/members/count-letter.ts'
import { adminsWorld, codeOf, newAuthenticator, password } from '../../signed-world.ts'

const caller = { address: '192.0.2.1' }

/** Ada and Eve are admins. */
async function letterWorld() {
  const world = await adminsWorld()
  const { service, ada, eve } = world
  const setRole = async (role: 'CustomerAdmin' | 'CustomerAuditor', memberId = eve.memberId) =>
    unwrap(await service.members.setRole(ada, { memberId, role, permissions: [] }))
  return { ...world, setRole }
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

  it('about one member keep none about another from being sent, up to a number in all', async () => {
    const { service, ada, clock, mails, toAda, setRole } = await letterWorld()
    const toggled = async (memberId: string, times: number) => {
      for (let at = 0; at < times; at++) {
        await setRole('CustomerAdmin', memberId)
        await setRole('CustomerAuditor', memberId)
        await clock.advance(1_000)
      }
    }
    const others: string[] = []
    for (let at = 0; at * lettersPerHour <= lettersOfKindPerHour; at++) {
      const made = await newMember(service, ada.tenantId, `other${at}`, 'CustomerAuditor')
      others.push(made.memberId)
    }
    const [sock = '', ...rest] = others
    await toggled(sock, lettersPerHour + 3)
    const subject = 'A member became an admin'
    assert.equal((await toAda(subject)).length, lettersPerHour)
    const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    await toggled(bob.memberId, 1)
    const told = await toAda(subject)
    assert.equal(told.length, lettersPerHour + 1)
    assert.match(told.at(-1)?.text ?? '', /bob@acme\.example an admin/)
    for (const memberId of rest) await toggled(memberId, lettersPerHour)
    const all = await toAda(subject)
    assert.equal(all.length, lettersOfKindPerHour)
    assert.match(all.at(-1)?.text ?? '', /no more letters of this kind are sent, about whatever/)
    assert.match(all[lettersPerHour - 1]?.text ?? '', /no more letters .* about the same/)
    const lost = await toAda('An admin lost their rights')
    assert.equal(lost.length, lettersOfKindPerHour)
    assert.match(lost.at(-1)?.text ?? '', /no more letters of this kind are sent, about whatever/)
    // However many others lost their rights before, an admin who loses theirs is told.
    const before = mails.length
    for (let at = 0; at < lettersPerHour + 2; at++) {
      await setRole('CustomerAuditor')
      await setRole('CustomerAdmin')
      await clock.advance(1_000)
    }
    const own = mails.slice(before)
    assert.deepEqual(
      own.map(({ to, subject }) => `${subject}: ${to}`),
      Array(lettersPerHour).fill('You are no longer an admin: eve@acme.example'),
    )
    for (const { text } of own) assert.match(text, /: ada@acme\.example changed your role/)
    assert.match(own.at(-1)?.text ?? '', /no more letters .* about the same/)
    await service.drain(0)
  })

  it('tell of decisions that need more signatures, which keep reviewers from deciding', async () => {
    const { service, ada, applicationId, toAda } = await letterWorld()
    const set = (signedDecisions: 'elevated' | 'required') =>
      service.signedDecisions.set(ada, { applicationId, signedDecisions, refuseSynced: false })
    unwrap(await set('elevated'))
    assert.equal((await toAda('Decisions need more signatures')).length, 1)
    for (const rule of ['required', 'required'] as const) unwrap(await set(rule))
    const told = await toAda('Decisions need more signatures')
    assert.equal(told.length, 2)
    assert.match(told[1]?.text ?? '', /are required now \(elevated before\)/)
    assert.deepEqual(await toAda('Decisions need fewer signatures'), [])
    await service.drain(0)
  })

  it('of a deletion that is asked for and taken back again and again are no more than so many', async () => {
    const { service, ada, applicationId, toAda, clock } = await letterWorld()
    for (let at = 0; at < 2 * lettersPerHour; at++) {
      unwrap(await service.applications.requestDeletion(ada, { applicationId }))
      unwrap(await service.applications.cancelDeletion(ada, { applicationId }))
      await clock.advance(1_000)
    }
    for (const subject of ['Deletion of Claims requested', 'Deletion of Claims cancelled']) {
      const told = await toAda(subject)
      assert.equal(told.length, lettersPerHour)
      assert.match(told.at(-1)?.text ?? '', /no more letters of this kind/)
    }
    await clock.advance(letterHourMs)
    unwrap(await service.applications.requestDeletion(ada, { applicationId }))
    assert.equal((await toAda('Deletion of Claims requested')).length, lettersPerHour + 1)
    await service.drain(0)
  })

  it('to who is invited are no more than so many, and the last of them is good', async () => {
    const { service, ada, clock, mails } = await letterWorld()
    const given = { role: 'CustomerAuditor', permissions: [] } as const
    const invited = async (email: string) => {
      const made = unwrap(await service.invitations.create(ada, { ...given, email }))
      const { invitationId } = made as { readonly invitationId: string }
      return {
        invitationId,
        resend: () => service.invitations.resend(ada, { invitationId }),
        sent: async () => {
          await clock.advance(1_000)
          return mails.flatMap(({ to, text }) =>
            to === email ? (/\/invitation#(\S+)/.exec(text)?.[1] ?? []) : [],
          )
        },
      }
    }
    const first = await invited('dee@acme.example')
    for (let at = 1; at < lettersPerHour - 1; at++) unwrap(await first.resend())
    assert.equal((await first.sent()).length, lettersPerHour - 1)
    // An invitation anew is one more mail to the same address.
    unwrap(await service.invitations.withdraw(ada, { invitationId: first.invitationId }))
    const second = await invited('dee@acme.example')
    const sent = await second.sent()
    assert.equal(sent.length, lettersPerHour)
    assert.equal(codeOf(await second.resend()), 'invitation_limit')
    unwrap(await service.invitations.withdraw(ada, { invitationId: second.invitationId }))
    const anew = { ...given, email: 'dee@acme.example' }
    assert.equal(codeOf(await service.invitations.create(ada, anew)), 'invitation_limit')
    // Another address is mailed, as often; what was refused ended no token.
    const other = await invited('cai@acme.example')
    for (let at = 1; at < lettersPerHour - 1; at++) unwrap(await other.resend())
    await other.sent()
    unwrap(await other.resend())
    assert.equal(codeOf(await other.resend()), 'invitation_limit')
    const token = (await other.sent()).at(-1) ?? ''
    unwrap(await service.auth.acceptInvitation({ token, name: 'Cai', password, ...caller }))
    await clock.advance(letterHourMs)
    unwrap(await service.invitations.create(ada, anew))
    assert.equal((await second.sent()).length, lettersPerHour + 1)
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
