import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { newMember, plainAuthenticators } from '@countersign/core/testing'
import { settingDigest } from '@countersign/core/webauthn'
import { beforeWeakeningMs } from '../../../organizations/authenticators/before-weakening.ts'
import { isOnList, widens } from '../../../organizations/authenticators/signing-models.ts'
import {
  type Authenticator,
  codeOf,
  newAuthenticator,
  password,
  signedWorld,
} from '../../signed-world.ts'

const blue = '2fc0579f-8113-47ea-b116-bb5a8db9202a'
const red = 'fa2b99dc-9e39-4257-8f92-4a30d23c4118'
const unproven = 'ee882879-721c-4913-9775-3dfcce97072a'
const noModel = '00000000-0000-0000-0000-000000000000'
const [blueRoot, redRoot] = ['b'.repeat(64), 'a'.repeat(64)]
const caller = { address: '192.0.2.1' }
const labels: Readonly<Record<string, string>> = { [blue]: 'Blue', [red]: 'Red' }

const listOf = (aaguids: readonly string[]) =>
  aaguids.map((aaguid) => ({ aaguid, label: labels[aaguid] ?? 'Other' }))

/** A world whose service has root certificates of two models. */
async function modelWorld() {
  const roots = new Map<string, string>([
    [blue, blueRoot],
    [red, redRoot],
  ])
  const world = await signedWorld(plainAuthenticators(roots))
  const { service, ada, assertionFor } = world
  const set = (aaguids: readonly string[], more: object = {}) =>
    service.signingModels.set(ada, { models: listOf(aaguids), ...more })
  /** The assertion for a list. */
  const weakenBy = (authenticator: Authenticator, aaguids: readonly string[]) =>
    assertionFor(authenticator, {
      ...{ change: 'weaken', subject: ada.tenantId },
      settingDigest: settingDigest('signingModels.set', { models: listOf(aaguids) }),
    })
  /** Begins by the password, or by an authenticator that is there, and enrols one of a model. */
  const enrolOf = async (
    aaguid: string | undefined,
    by?: Authenticator,
    use: 'signing' | 'sign_in' = 'signing',
  ) => {
    const proof = by ? { assertion: await assertionFor(by, { change: 'add' }) } : { password }
    const begun = await service.authenticators.startRegistration(ada, { use, ...proof, ...caller })
    const { options } = unwrap(begun)
    const { challenge, attestation } = options as { challenge: string; attestation: string }
    const authenticator = newAuthenticator()
    const { id, response } = authenticator.register({ challenge, ...(aaguid && { aaguid }) })
    const given = { name: 'Key', use, credential: { id, response } }
    const enrolled = await service.authenticators.enrol(ada, given)
    return { authenticator, attestation, enrolled }
  }
  return { ...world, roots, set, weakenBy, enrolOf }
}
interface Listed {
  readonly entries: readonly { readonly detail: Readonly<Record<string, unknown>> }[]
}
const checkOf = (result: { ok: true } | { ok: false; refusal: { facts?: object } }) =>
  result.ok ? null : (result.refusal.facts as { check?: string } | undefined)?.check

describe('models of authenticators that sign', () => {
  it('are any at first, and no attestation is asked for', async () => {
    const { service, ada, enrolOf } = await modelWorld()
    const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    const read = unwrap(await service.signingModels.read(bob, {}))
    assert.deepEqual(read, { version: 1, models: [], verifiable: [blue, red] })
    const { attestation, enrolled } = await enrolOf(unproven)
    assert.equal(attestation, 'none')
    assert.equal(unwrap(enrolled).attestedBy, null)
  })

  it('are set by an admin, of those alone that the service has roots of, each once', async () => {
    const { service, ada, set } = await modelWorld()
    const bob = await newMember(service, ada.tenantId, 'bob', 'CustomerAuditor')
    assert.equal(codeOf(await service.signingModels.set(bob, { models: [] })), 'forbidden')
    for (const [aaguids, at] of [
      [[unproven], 0],
      [[blue, noModel], 1],
      [[blue, blue], 1],
      [[blue.toUpperCase()], 0],
    ] as const) {
      const refused = await set(aaguids)
      assert.equal(codeOf(refused), 'invalid_request')
      const [error] = refused.ok ? [] : (refused.refusal.errors ?? [])
      assert.equal(error?.pointer, `/models/${at}/aaguid`)
    }
    assert.deepEqual(unwrap(await set([blue])).models, [{ aaguid: blue, label: 'Blue' }])
    const { models } = unwrap(await service.signingModels.read(bob, {}))
    assert.deepEqual(models, [{ aaguid: blue, label: 'Blue' }])
    const plain = await signedWorld()
    const none = await plain.service.signingModels.set(plain.ada, { models })
    assert.equal(codeOf(none), 'invalid_request')
  })

  it('stay listed without roots until they are removed, and can not be listed again', async () => {
    const { service, ada, roots, set } = await modelWorld()
    unwrap(await set([blue]))
    roots.delete(blue)
    const { models, verifiable } = unwrap(await service.signingModels.read(ada, {}))
    assert.deepEqual(verifiable, [red])
    assert.deepEqual(unwrap(await service.signingModels.set(ada, { models })).models, models)
    const relabelled = models.map((model) => ({ ...model, label: 'The old one' }))
    const again = unwrap(await service.signingModels.set(ada, { models: relabelled }))
    assert.deepEqual(again.models, relabelled)
    const plain = await signedWorld(plainAuthenticators(roots))
    const relisted = await plain.service.signingModels.set(plain.ada, { models })
    assert.equal(codeOf(relisted), 'invalid_request')
  })

  it('are enrolled for signing by their attestation alone, which the log names', async () => {
    const { service, ada, set, enrolOf } = await modelWorld()
    unwrap(await set([blue]))
    for (const [aaguid, check] of [
      [undefined, 'attestation'],
      [unproven, 'attestation'],
      [red, 'model'],
    ] as const) {
      const { attestation, enrolled } = await enrolOf(aaguid)
      assert.equal(attestation, 'direct')
      assert.equal(codeOf(enrolled), 'authenticator_not_allowed')
      assert.equal(checkOf(enrolled), check)
    }
    const { authenticator, enrolled } = await enrolOf(blue)
    const { authenticatorId, aaguid, attestedBy } = unwrap(enrolled)
    assert.deepEqual([aaguid, attestedBy], [blue, blueRoot])
    const logged = { action: 'authenticator.enrolled', subject: authenticatorId }
    const { entries } = unwrap(await service.auditLog.list(ada, logged)) as Listed
    assert.deepEqual(
      entries.map(({ detail }) => detail.attestedBy),
      [blueRoot],
    )
    // Signing in takes any.
    const passkey = await enrolOf(undefined, authenticator, 'sign_in')
    assert.equal(passkey.attestation, 'none')
    unwrap(passkey.enrolled)
  })

  it('stay as another admin set them meanwhile, for who names the version that they saw', async () => {
    const { clock, service, anotherProcess, ada, set, weakenBy, enrolOf } = await modelWorld()
    const eve = await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
    const { authenticator, enrolled } = await enrolOf(blue)
    unwrap(enrolled)
    await clock.advance(beforeWeakeningMs)
    const seen = unwrap(await service.signingModels.read(ada, {}))
    const theirs = unwrap(await service.signingModels.set(eve, { models: listOf([blue]) }))
    assert.deepEqual([seen.version, theirs.version], [1, 2])
    const current = async () => unwrap(await service.signingModels.read(ada, {}))
    // What would be weaker than theirs takes no signature, for it is not what was seen.
    const assertion = await weakenBy(authenticator, [blue, red])
    for (const more of [{}, { assertion }])
      assert.equal(codeOf(await set([blue, red], { version: 1, ...more })), 'version_conflict')
    assert.equal(codeOf(await set([blue], { version: 1 })), 'version_conflict', 'the same list')
    assert.deepEqual(await current(), theirs)
    assert.deepEqual(unwrap(await set([blue], { version: 2 })), theirs, 'nothing to change')
    const ours = unwrap(await set([blue, red], { version: 2, assertion }))
    assert.equal(ours.version, 3)

    const relabelled = (label: string) => [{ aaguid: blue, label }]
    const answers = await Promise.all([
      service.signingModels.set(ada, { models: relabelled('One'), version: 3 }),
      anotherProcess().signingModels.set(eve, { models: relabelled('Other'), version: 3 }),
    ])
    assert.deepEqual(new Set(answers.map(codeOf)), new Set([null, 'version_conflict']))
    const { version, models } = await current()
    assert.equal(version, 4)
    assert.equal(models[0]?.label, answers[0].ok ? 'One' : 'Other')
    assert.equal(unwrap(await set([blue])).version, 5, 'without a version the last one holds')
  })

  it('sign alone from then on: who enrolled others before enrols another by them', async () => {
    const { service, ada, set, enrolOf, openCase, signatureOf } = await modelWorld()
    const { authenticator: old, enrolled: before } = await enrolOf(red)
    unwrap(before)
    const seen = await openCase('checkpoint')
    const choice = { ...seen, decision: 'approved' } as const
    const signature = await signatureOf(old, choice)
    unwrap(await set([blue]))
    const late = await service.reviewCases.decide(ada, { ...choice, signature })
    assert.equal(codeOf(late), 'authenticator_not_allowed')
    assert.equal(checkOf(late), 'model')
    const stated = await service.reviewCases.stateDecision(ada, choice)
    assert.equal(codeOf(stated), 'authenticator_not_allowed')
    // Nor unsigned: they sign.
    assert.equal(codeOf(await service.reviewCases.decide(ada, choice)), 'signature_required')

    const { authenticator, enrolled } = await enrolOf(blue, old)
    const { credentialId } = unwrap(enrolled)
    const { options } = unwrap(await service.reviewCases.stateDecision(ada, choice))
    const { allowCredentials } = options as { allowCredentials: { id: string }[] }
    assert.deepEqual(
      allowCredentials.map(({ id }) => id),
      [credentialId],
    )
    const byOld = await signatureOf(old, choice)
    const refused = await service.reviewCases.decide(ada, { ...choice, signature: byOld })
    assert.equal(codeOf(refused), 'authenticator_not_allowed')
    const right = await signatureOf(authenticator, choice)
    unwrap(await service.reviewCases.decide(ada, { ...choice, signature: right }))
  })

  it('are no more of them by the word of the admin alone, and all admins hear of it', async () => {
    const { clock, service, ada, mails, set, weakenBy, enrolOf } = await modelWorld()
    const { authenticator, enrolled } = await enrolOf(blue)
    unwrap(enrolled)
    await clock.advance(beforeWeakeningMs)
    await newMember(service, ada.tenantId, 'eve', 'CustomerAdmin')
    service.start()
    const about = async (what: string) => {
      await clock.advance(1_000)
      return mails.filter(({ subject }) => subject === what)
    }
    const told = () => about('More authenticators may sign decisions')
    const toldOfOthers = () => about('Which authenticators sign decisions has changed')
    unwrap(await set([blue, red]))
    unwrap(await set([blue]))
    const label = { models: [{ aaguid: blue, label: 'Another name' }] }
    unwrap(await service.signingModels.set(ada, label))
    assert.equal((await told()).length, 0, 'no more than before')
    // Each change of who signs is a mail to each of two admins; a label, or the order, is none of it.
    assert.equal((await toldOfOthers()).length, 4)
    unwrap(await service.signingModels.set(ada, label))
    assert.equal((await toldOfOthers()).length, 4, 'the same list')
    for (const wider of [[blue, red], [red], []])
      assert.equal(codeOf(await set(wider)), 'signature_required')
    const bound = await weakenBy(authenticator, [])
    const other = { ...bound, statement: { ...bound.statement, subject: 'app_other' } }
    assert.equal(codeOf(await set([], { assertion: other })), 'signature_invalid')
    unwrap(await set([blue, red], { assertion: await weakenBy(authenticator, [blue, red]) }))
    const [first, ...others] = await told()
    const to = [first, ...others].map((mail) => mail?.to ?? '').toSorted()
    assert.deepEqual(to, ['ada@acme.example', 'eve@acme.example'])
    assert.match(first?.text ?? '', new RegExp(`Blue \\(${blue}\\)\n- Red \\(${red}\\)`))
    unwrap(await set([], { assertion: await weakenBy(authenticator, []) }))
    assert.match((await told()).at(-1)?.text ?? '', /of any model/)
    const logged = { action: 'signing_models.set' }
    const { entries } = unwrap(await service.auditLog.list(ada, logged)) as Listed
    const weakened = entries.map(({ detail }) => detail.weakened)
    assert.equal(weakened.length, 5)
    assert.equal(weakened.filter((each) => each === true).length, 2)
    await service.drain(0)
  })

  it('widen where another one may sign, and hold of what is attested alone', () => {
    const list = (...aaguids: string[]) => aaguids.map((aaguid) => ({ aaguid, label: 'x' }))
    assert.equal(widens([], list(blue)), false)
    assert.equal(widens(list(blue), []), true)
    assert.equal(widens(list(blue), list(red)), true)
    assert.equal(widens(list(blue, red), list(red)), false)
    assert.equal(widens([], []), false)
    assert.equal(isOnList([], { aaguid: unproven, attestedBy: null }), true)
    assert.equal(isOnList(list(blue), { aaguid: blue, attestedBy: null }), false)
    // A row that says nothing of it.
    const silent = { aaguid: blue } as Parameters<typeof isOnList>[1]
    assert.equal(isOnList(list(blue), silent), false)
    assert.equal(isOnList(list(blue), { aaguid: red, attestedBy: redRoot }), false)
    assert.equal(isOnList(list(blue), { aaguid: blue, attestedBy: blueRoot }), true)
  })
})
