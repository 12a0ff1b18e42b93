import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { newMember } from '@countersign/core/testing'
import { letterHourMs, lettersPerHour } from '../../../kernel/ledger/limits.ts'
import { adminsWorld, codeOf, newAuthenticator } from '../../signed-world.ts'

const caller = { address: '192.0.2.1' }

describe('links that enrol another authenticator', () => {
  it('are no more than so many an hour, however often they are asked for', async () => {
    const { service, clock, ada, eve, mails, enrol, toAda } = await adminsWorld()
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

  it('are counted with those that are good: each enrolment ends the ones before', async () => {
    const { service, clock, ada, eve, mails, enrol, finish } = await adminsWorld()
    const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    const { memberId } = bob
    const links = async () => {
      await clock.advance(1_000)
      return mails.flatMap(({ to, text }) =>
        to === 'bob@acme.example' ? (/\/me#(\S+)/.exec(text)?.[1] ?? []) : [],
      )
    }
    const allow = async (authenticatorId: string, times: number) => {
      for (let at = 0; at < times; at++)
        for (const by of [ada, eve])
          unwrap(await service.members.revokeAuthenticator(by, { memberId, authenticatorId }))
    }
    const first = unwrap(await enrol(newAuthenticator(), bob)).authenticatorId
    await allow(first, lettersPerHour)
    const before = await links()
    assert.equal(before.length, lettersPerHour)
    const begin = (token = '') =>
      service.authenticators.startRegistration(bob, { use: 'signing', token, ...caller })
    const { options } = unwrap(await begin(before.at(-1)))
    const second = unwrap(await finish(newAuthenticator(), options, bob)).authenticatorId
    await allow(second, 1)
    const [next, ...others] = (await links()).slice(before.length)
    assert.ok(next && others.length === 0)
    for (const token of before) assert.equal(codeOf(await begin(token)), 'forbidden')
    assert.equal(codeOf(await begin(next)), null)
    // The log says of each whether it was mailed.
    const { entries } = unwrap(await service.auditLog.list(ada, { pageSize: 100 })) as {
      readonly entries: readonly { readonly action: string; readonly detail: object }[]
    }
    const said = entries.filter(({ action }) => action === 'authenticator.enrolment_allowed')
    const mailed = said.filter(({ detail }) => Reflect.get(detail, 'isMailed') === true)
    assert.equal(mailed.length, (await links()).length)
    assert.ok(said.length > mailed.length)
    await service.drain(0)
  })
})
