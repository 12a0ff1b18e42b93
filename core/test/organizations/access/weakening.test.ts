import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type MemberActor, unwrap } from '@countersign/core'
import { newMember, newOrganization, plainAuthenticators } from '@countersign/core/testing'
import { settingDigest } from '@countersign/core/webauthn'
import { beforeWeakeningMs } from '../../../organizations/authenticators/before-weakening.ts'
import { type Authenticator, codeOf, newAuthenticator, signedWorld } from '../../signed-world.ts'

const blue = { aaguid: '2fc0579f-8113-47ea-b116-bb5a8db9202a', label: 'Blue' }
const red = { aaguid: 'fa2b99dc-9e39-4257-8f92-4a30d23c4118', label: 'Red' }
const caller = { address: '192.0.2.1' }

interface Setting {
  readonly operation: string
  readonly subject: string
  readonly value: object
}

/** A world whose admin has an authenticator that does not count its uses, so that the service can't tell a replay by it. */
async function weakeningWorld() {
  const roots = new Map([
    [blue.aaguid, 'b'.repeat(64)],
    [red.aaguid, 'a'.repeat(64)],
  ])
  const world = await signedWorld(plainAuthenticators(roots))
  const { service, ada, applicationId, assertionFor } = world
  const uncounted = (): Authenticator => {
    const one = newAuthenticator()
    return {
      ...one,
      register: (parts) => one.register({ ...parts, signCount: 0 }),
      assert: (parts) => one.assert({ ...parts, signCount: 0 }),
    }
  }
  const key = uncounted()
  unwrap(await world.enrol(key, ada, 'sign_in'))
  await world.clock.advance(beforeWeakeningMs)
  const signed = ({ operation, subject, value }: Setting, by: Authenticator = key, who = ada) =>
    assertionFor(
      by,
      { change: 'weaken', subject, settingDigest: settingDigest(operation, value) },
      who,
    )
  type Assertion = Awaited<ReturnType<typeof signed>>
  const modelsOf = (models: readonly (typeof blue)[]): Setting => ({
    ...{ operation: 'signingModels.set', subject: ada.tenantId },
    value: { models },
  })
  const setModels = (models: readonly (typeof blue)[], assertion?: Assertion, who = ada) =>
    service.signingModels.set(who, { models, ...(assertion && { assertion }) })
  const ruleOf = (signedDecisions: 'optional' | 'elevated' | 'required'): Setting => ({
    ...{ operation: 'signedDecisions.set', subject: applicationId },
    value: { signedDecisions, refuseSynced: false },
  })
  const setRule = (
    signedDecisions: 'optional' | 'elevated' | 'required',
    assertion?: Assertion,
    more: object = {},
  ) =>
    service.signedDecisions.set(ada, {
      ...{ applicationId, signedDecisions, refuseSynced: false },
      ...(assertion && { assertion }),
      ...more,
    })
  return { ...world, uncounted, key, signed, modelsOf, setModels, ruleOf, setRule }
}

const checkOf = (result: { ok: true } | { ok: false; refusal: { facts?: object } }) =>
  result.ok ? null : (result.refusal.facts as { check?: string } | undefined)?.check

describe('the assertion for a weaker setting', () => {
  it('is for all that is set, and for nothing else', async () => {
    const { signed, modelsOf, setModels, ruleOf, setRule } = await weakeningWorld()
    unwrap(await setModels([blue]))
    const both = await signed(modelsOf([blue, red]))
    for (const other of [[], [red], [red, blue], [blue, { ...red, label: 'Blue' }]])
      assert.equal(checkOf(await setModels(other, both)), 'expected')
    unwrap(await setModels([blue, red], both))

    unwrap(await setRule('required'))
    const elevated = await signed(ruleOf('elevated'))
    assert.equal(checkOf(await setRule('optional', elevated)), 'expected')
    unwrap(await setRule('elevated', elevated))
  })

  it('is for its operation, application and organization alone', async () => {
    const world = await weakeningWorld()
    const { service, ada, application, signed, modelsOf, setModels, ruleOf, setRule } = world
    unwrap(await setModels([blue]))
    const { operation, subject, value } = modelsOf([])
    for (const [name, other] of Object.entries({
      'another operation': { operation: 'signInRule.set', subject, value },
      'another subject': { operation, subject: 'ten_other', value },
    }))
      assert.equal(checkOf(await setModels([], await signed(other))), 'expected', name)

    const another = unwrap(await service.applications.create(ada, { name: 'Another' }))
    const { applicationId } = another
    assert.notEqual(applicationId, application.applicationId)
    unwrap(await setRule('required'))
    unwrap(await setRule('required', undefined, { applicationId }))
    const ours = await signed(ruleOf('optional'))
    const theirs = await setRule('optional', ours, { applicationId })
    assert.equal(checkOf(theirs), 'expected', 'another application')
    unwrap(await setRule('optional', ours))

    const { admin: eve } = await newOrganization(service, {
      name: 'Evil',
      email: 'eve@evil.example',
    })
    unwrap(await setModels([blue], undefined, eve))
    const assertion = await signed(modelsOf([]))
    const elsewhere = await setModels([], assertion, eve)
    assert.equal(codeOf(elsewhere), 'authenticator_revoked', 'another organization')
    unwrap(await setModels([], assertion))
  })

  it('is good for the admin alone who signed it', async () => {
    const { service, ada, enrol, uncounted, signed, modelsOf, setModels } = await weakeningWorld()
    unwrap(await setModels([blue]))
    const eve = await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
    const assertion = await signed(modelsOf([]))
    assert.equal(codeOf(await setModels([], assertion, eve)), 'authenticator_revoked')
    const own = uncounted()
    unwrap(await enrol(own, eve, 'sign_in'))
    assert.equal(codeOf(await setModels([], assertion, eve)), 'authenticator_revoked')
    const theirs = await signed(modelsOf([]), own, eve)
    const mixed = { ...theirs, statement: assertion.statement }
    assert.equal(checkOf(await setModels([], mixed, eve)), 'expected')
    unwrap(await setModels([], assertion))
  })

  it('is used once, whatever was set in between', async () => {
    const { signed, modelsOf, setModels, ruleOf, setRule } = await weakeningWorld()
    unwrap(await setModels([blue]))
    const none = await signed(modelsOf([]))
    unwrap(await setModels([], none))
    unwrap(await setModels([blue]))
    assert.equal(checkOf(await setModels([], none)), 'nonce')

    unwrap(await setRule('required'))
    const optional = await signed(ruleOf('optional'))
    unwrap(await setRule('optional', optional))
    unwrap(await setRule('required'))
    assert.equal(checkOf(await setRule('optional', optional)), 'nonce')
    // Another nonce is another statement, which nobody signed.
    const { nonce } = (await signed(ruleOf('optional'))).statement
    const renewed = { ...optional, statement: { ...optional.statement, nonce } }
    assert.equal((await setRule('optional', renewed)).ok, false)
  })

  it('is used once of two processes at the same time', async () => {
    const { service, anotherProcess, ada, key, assertionFor } = await weakeningWorld()
    const assertion = await assertionFor(key, { change: 'add' })
    const begin = (process: typeof service) =>
      process.authenticators.startRegistration(ada, { use: 'signing', assertion, ...caller })
    const answers = await Promise.all([begin(service), begin(anotherProcess())])
    assert.deepEqual(new Set(answers.map(checkOf)), new Set([null, 'nonce']))
    assert.equal(checkOf(await begin(service)), 'nonce')
  })

  it('has the digest of what is set, which no other change has', async () => {
    const { service, ada, applicationId } = await weakeningWorld()
    const state = (given: object, by: MemberActor = ada) =>
      service.authenticators.stateChange(by, { change: 'weaken', ...given } as never)
    assert.equal(codeOf(await state({ subject: applicationId })), 'invalid_request')
    const digest = settingDigest('signedDecisions.set', {})
    for (const change of ['add', 'remove'])
      assert.equal(codeOf(await state({ change, settingDigest: digest })), 'invalid_request')
    unwrap(await state({ subject: applicationId, settingDigest: digest }))
  })

  it('is by an authenticator of a day, or one that such a one signed for', async () => {
    const world = await weakeningWorld()
    const { clock, service, ada, enrol, finish, assertionFor, uncounted } = world
    const { key: elder, signed, modelsOf, setModels } = world
    const eve = await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
    const further = async (by: Authenticator, who: MemberActor) => {
      const assertion = await assertionFor(by, { change: 'add' }, who)
      const given = { use: 'sign_in', assertion, ...caller } as const
      const { options } = unwrap(await service.authenticators.startRegistration(who, given))
      const added = uncounted()
      unwrap(await finish(added, options, who, 'sign_in'))
      return added
    }
    const weaken = async (by: Authenticator, who: MemberActor) =>
      setModels([], await signed(modelsOf([]), by, who), who)
    unwrap(await setModels([blue]))
    // Who has the password of an admin.
    const first = uncounted()
    unwrap(await enrol(first, eve, 'sign_in'))
    const second = await further(first, eve)
    const refused = await weaken(first, eve)
    assert.equal(codeOf(refused), 'signature_required')
    assert.equal(refused.ok ? null : refused.refusal.retryAfter, 24 * 60 * 60)
    assert.equal(codeOf(await weaken(second, eve)), 'signature_required')

    unwrap(await weaken(await further(elder, ada), ada))
    unwrap(await setModels([blue]))
    await clock.advance(beforeWeakeningMs - 1)
    assert.equal(codeOf(await weaken(first, eve)), 'signature_required')
    await clock.advance(1)
    unwrap(await weaken(second, eve))
    unwrap(await setModels([blue]))
    unwrap(await weaken(await further(first, eve), eve))
  })

  it('is not so soon by what an admin added by their password, of which the others are told', async () => {
    const { clock, service, ada, mails, enrol } = await weakeningWorld()
    const eve = await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
    const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    service.start()
    unwrap(await enrol(newAuthenticator(), bob))
    unwrap(await enrol(newAuthenticator(), eve))
    await clock.advance(1_000)
    const told = mails.filter(({ subject }) => subject === 'An admin added an authenticator')
    assert.deepEqual(
      told.map(({ to }) => to),
      ['ada@acme.example'],
    )
    assert.match(told[0]?.text ?? '', /^eve@acme\.example added/)
    await service.drain(0)
  })
})
