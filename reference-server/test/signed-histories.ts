import {
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
} from '@countersign/conformance/authenticator'
import { createService, type MemberActor, unwrap } from '@countersign/core'
import type { Store } from '@countersign/core/ports'
import {
  byNewKey,
  createManualClock,
  newApplication,
  newOrganization,
  plainAuthenticators,
  plainPorts,
} from '@countersign/core/testing'
import { challengeOf, settingDigest } from '@countersign/core/webauthn'
import {
  type Act,
  type Deciding,
  type Decision,
  lists,
  type Oracle,
  pick,
  roots,
} from './signed-acts.ts'

const modes = ['optional', 'elevated', 'required'] as const
const minute = 60_000
const password = 'correct horse battery'
const caller = { address: '192.0.2.1' }
const use = 'signing' as const
const place = { rpId: 'portal.example', origin: 'https://portal.example' }

interface Key {
  readonly owner: number
  readonly authenticator: SoftwareAuthenticator
  readonly authenticatorId: string
  /** Of the attestation; null: it proves none. */
  readonly model: string | null
  isRevoked: boolean
  /** How often it signed, as it counts itself. */
  signed: number
  /** Its count at the last use that was taken. */
  count: number
}

interface Case {
  readonly owner: number
  readonly isHigh: boolean
  readonly seen: {
    readonly reviewCaseId: string
    readonly caseVersion: number
    readonly presentationDigest: string
  }
  isOpen: boolean
}

interface Signature {
  readonly of: Case
  readonly key: Key
  readonly decision: Decision
  readonly issuedAt: number
  readonly count: number
  readonly given: NonNullable<Parameters<Service['reviewCases']['decide']>[1]['signature']>
}
type Service = ReturnType<typeof createService>

/**
 * Plays a history against the service, and throws where it takes a decision that the oracle refuses, or refuses one that
 * it takes, or a case has more than one decision or another signature than was given.
 */
export async function play(
  store: Store,
  history: readonly Act[],
  { knows }: Oracle,
): Promise<void> {
  const clock = createManualClock(Date.UTC(2026, 10, 21))
  const service = createService({
    ports: { ...plainPorts(), store, clock, authenticators: plainAuthenticators(roots) },
    ingestUrl: 'https://ingest.example',
    portalUrl: place.origin,
  })
  const { admin } = await newOrganization(service)
  const applicationId = await newApplication(service, admin)
  const application = await byNewKey(service, admin, applicationId)
  const { tenantId } = admin
  const other = { name: 'Bob', email: 'bob@acme.example', password }
  const { memberId } = unwrap(
    await service.members.create(
      { kind: 'system' },
      { tenantId, ...other, role: 'CustomerAuditor', permissions: ['Review Cases'] },
    ),
  )
  const bob: MemberActor = {
    ...{ kind: 'member', tenantId, memberId, role: 'CustomerAuditor' },
    permissions: ['Review Cases'],
  }
  const elder: MemberActor = { ...admin, ...(await newElder(service, tenantId)) }
  const members = [admin, bob] as const
  const memberAt = (who: number) => members[who % 2] as MemberActor
  const keys: Key[] = []
  const cases: Case[] = []
  const signatures: Signature[] = []
  const enrolledEver = new Set<number>()
  let mode: number = 0
  let listed: readonly string[] = []

  const mayBeOf = ({ model }: Pick<Key, 'model'>) =>
    !knows('the models') || listed.length === 0 || (model !== null && listed.includes(model))
  const activeOf = (owner: number) => keys.filter((key) => key.owner === owner && !key.isRevoked)
  const assertionFor = async (
    key: Key,
    change: {
      readonly change: 'add' | 'weaken'
      readonly subject?: string
      readonly settingDigest?: string
    },
    who = memberAt(key.owner),
  ) => {
    const { authenticator } = key
    const stated = unwrap(await service.authenticators.stateChange(who, change))
    key.count = ++key.signed
    const { statement } = stated
    return { statement, ...authenticator.assert({ challenge: challengeOf(statement) }) }
  }

  /** Has a member enrol a software authenticator in a registration that was begun. */
  async function enrolled(actor: MemberActor, options: object, at: number) {
    const model = [...roots.keys(), null][at % 3] ?? null
    const algorithm = at % 2 === 0 ? 'EdDSA' : 'ES256'
    const authenticator = createSoftwareAuthenticator({ algorithm, ...place })
    const { challenge } = options as { readonly challenge: string }
    const { id, response } = authenticator.register({ challenge, ...(model && { aaguid: model }) })
    const given = { name: 'Key', use, credential: { id, response } }
    const made = await service.authenticators.enrol(actor, given)
    agree(made.ok, mayBeOf({ model }), 'enrolment')
    if (!made.ok) return null
    const { authenticatorId } = made.value
    return { authenticator, authenticatorId, model, isRevoked: false, signed: 1, count: 1 }
  }

  // An admin beside them, whose authenticator is a day old.
  const first = { use, password, ...caller }
  const { options } = unwrap(await service.authenticators.startRegistration(elder, first))
  const ofElder = await enrolled(elder, options, 0)
  if (!ofElder) throw new Error('expected the first authenticator to be enrolled')
  const elderKey: Key = { owner: 2, ...ofElder }
  await clock.advance(24 * 60 * minute)

  async function enrol(owner: number, at: number): Promise<void> {
    const [by] = activeOf(owner)
    const actor = memberAt(owner)
    const proof = by ? { assertion: await assertionFor(by, { change: 'add' }) } : { password }
    const begun = await service.authenticators.startRegistration(actor, {
      use,
      ...proof,
      ...caller,
    })
    // The password enrols the first alone.
    agree(begun.ok, by !== undefined || !enrolledEver.has(owner), 'enrol')
    if (!begun.ok) return
    const made = await enrolled(actor, begun.value.options, at)
    if (!made) return
    keys.push({ owner, ...made })
    enrolledEver.add(owner)
  }

  async function lose(owner: number, at: number): Promise<void> {
    const key = pick(activeOf(owner), at)
    if (!key) return
    const { authenticatorId } = key
    const theirs = { memberId: memberAt(owner).memberId, authenticatorId }
    unwrap(await service.members.revokeAuthenticator(elder, theirs))
    key.isRevoked = true
  }

  async function rule(next: number, isByElder: boolean): Promise<void> {
    const who = isByElder ? elder : admin
    const [by] = isByElder ? [elderKey] : activeOf(0)
    const weakens = next < mode
    const value = { signedDecisions: modes[next] ?? 'optional', refuseSynced: false }
    const change = {
      ...{ change: 'weaken' as const, subject: applicationId },
      settingDigest: settingDigest('signedDecisions.set', value),
    }
    const count = by?.count
    const proof = weakens && by ? { assertion: await assertionFor(by, change, who) } : {}
    const set = await service.signedDecisions.set(who, { applicationId, ...value, ...proof })
    const isOld = isByElder || !knows('the age')
    agree(set.ok, !weakens || (by !== undefined && isOld), 'rule')
    if (set.ok) mode = next
    // What is refused counts for nothing.
    else if (by && count !== undefined) by.count = count
  }

  async function setModels(list: number, isSigned: boolean): Promise<void> {
    const next = lists[list] ?? []
    const widens =
      listed.length > 0 && (next.length === 0 || next.some((model) => !listed.includes(model)))
    const models = next.map((aaguid) => ({ aaguid, label: aaguid }))
    const change = {
      ...{ change: 'weaken' as const, subject: tenantId },
      settingDigest: settingDigest('signingModels.set', { models }),
    }
    const proof =
      widens && isSigned ? { assertion: await assertionFor(elderKey, change, elder) } : {}
    const set = await service.signingModels.set(elder, { models, ...proof })
    agree(set.ok, !widens || isSigned, 'models')
    if (set.ok) listed = next
  }

  async function open(owner: number, isHigh: boolean): Promise<void> {
    const checkpointId = `checkpoint-${cases.length}`
    const { reviewCaseId } = unwrap(
      await service.reviewCases.open(application, {
        ...{ sessionId: 'session', checkpointId, idempotencyKey: checkpointId },
        ...{ reasonCategory: 'high_risk_action', reviewTier: isHigh ? 'high' : 'standard' },
        presentation: { action: 'pay', amount: checkpointId },
      }),
    )
    const claimed = unwrap(await service.reviewCases.claim(memberAt(owner), { reviewCaseId }))
    const { caseVersion, presentationDigest } = claimed
    const seen = { reviewCaseId, caseVersion, presentationDigest: presentationDigest ?? '' }
    cases.push({ owner, isHigh, seen, isOpen: true })
  }

  async function sign(of: Case, at: number, decision: Decision): Promise<void> {
    const owner = memberAt(of.owner)
    const stated = await service.reviewCases.stateDecision(owner, {
      ...of.seen,
      decision,
      comment: 'x',
    })
    agree(stated.ok, of.isOpen && activeOf(of.owner).some(mayBeOf), 'statement')
    const key = pick(keys, at)
    if (!stated.ok || !key) return
    const { statement, nonces } = stated.value
    const signed = key.authenticator.assert({ challenge: challengeOf(statement) })
    const count = ++key.signed
    const given = { statement, nonces, ...signed }
    signatures.push({ of, key, decision, issuedAt: clock.now(), count, given })
  }

  async function decide({ at, decision, by, isOfIts, isDamaged }: Deciding): Promise<void> {
    const signature = by === null ? undefined : pick(signatures.toReversed(), by)
    const of = isOfIts && signature ? signature.of : pick(cases, at)
    if (!of) return
    const mustSign =
      (knows('who ever enrolled') && enrolledEver.has(of.owner)) ||
      (knows('the rule') && (mode === 2 || (mode === 1 && (of.isHigh || !knows('the tier')))))
    const isRight =
      signature &&
      (!knows('the case') || signature.of === of) &&
      (!knows('the decision') || signature.decision === decision) &&
      (!knows('the owner') || signature.key.owner === of.owner) &&
      (!knows('the revocation') || !signature.key.isRevoked) &&
      (!knows('the count') || signature.count > signature.key.count) &&
      (!knows('the time') || clock.now() - signature.issuedAt < 5 * minute) &&
      (!knows('the bytes') || !isDamaged) &&
      mayBeOf(signature.key)
    const taken = of.isOpen && (signature ? isRight === true : !mustSign)
    const given = signature && (isDamaged ? damaged(signature.given) : signature.given)
    const decided = await service.reviewCases.decide(memberAt(of.owner), {
      ...{ ...of.seen, decision, comment: 'x' },
      ...(given && { signature: given }),
    })
    agree(decided.ok, taken, `decide: ${decided.ok ? 'taken' : decided.refusal.code}`)
    if (!decided.ok) return
    of.isOpen = false
    if (signature) signature.key.count = signature.count
    const shown = decided.value.decisionSignature?.signature ?? null
    agree(shown === (given?.signature ?? null), true, 'the signature of a decision')
  }

  for (const each of history) {
    if (each.act === 'enrol') await enrol(each.who % 2, each.at)
    else if (each.act === 'lose') await lose(each.who % 2, each.at)
    else if (each.act === 'rule') await rule(each.mode, each.at % 2 === 0)
    else if (each.act === 'models') await setModels(each.list, each.at % 2 === 0)
    else if (each.act === 'open') await open(each.who % 2, each.isHigh)
    else if (each.act === 'wait') await clock.advance(each.minutes * minute)
    else if (each.act === 'decide') await decide(each)
    else {
      const of = pick(cases, each.at)
      if (of) await sign(of, each.key, each.decision)
    }
  }
  await service.drain(0)
}

/** Makes another admin. */
async function newElder(service: Service, tenantId: string) {
  const role = 'CustomerAdmin' as const
  const made = await service.members.create(
    { kind: 'system' },
    { tenantId, name: 'Eve', email: 'eve@acme.example', password, role, permissions: [] },
  )
  return { memberId: unwrap(made).memberId }
}

function damaged(given: Signature['given']): Signature['given'] {
  const { signature } = given
  const other = signature.startsWith('MEUC') || signature.startsWith('A') ? 'B' : 'A'
  return { ...given, signature: `${signature.slice(0, -8)}${other}${signature.slice(-7)}` }
}

function agree(is: boolean, expected: boolean, what: string): void {
  if (is !== expected) throw new Error(`${what}: expected ${expected}, got ${is}`)
}
