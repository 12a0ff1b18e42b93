import fc from 'fast-check'
import type { Exchange } from '../receiver/client.ts'
import {
  type Body,
  bytesOf,
  freshId,
  reviewEvent,
  type Signed,
  short,
} from '../receiver/messages.ts'
import type { Sighting } from '../receiver/probe.ts'
import { type Property, property } from '../receiver/property.ts'
import { effectOf, fail, type Session } from '../receiver/session.ts'
import { forgeries } from './forgeries.ts'
import { outcomeOf, type ServedApplication, signOutcome } from './message.ts'
import type { SuiteReviewers } from './reviewers.ts'

const decision = fc.constantFrom('approved', 'rejected', 'response_submitted', 'cancelled')

/** Signs outcomes as the service does; a reviewer signs approvals too, where there are any. */
type Sign = (session: Session, change?: Body) => Signed

function signing(served: ServedApplication, reviewers: SuiteReviewers | undefined): Sign {
  return (session, change = {}) => {
    const outcome = outcomeOf(served, {
      ...(reviewers && { resumeToken: reviewers.pinned.asked.resumeToken }),
      ...change,
    })
    const isSigned = reviewers && outcome.decision === 'approved'
    return signOutcome(session, served, {
      ...outcome,
      ...(isSigned && { decisionSignature: reviewers.sign(outcome) }),
    })
  }
}

const mayRefuse = ({ status }: Exchange) => (status === null ? 'expected an answer' : null)

/** Once an approval of another case had its effect, an effect of these would mostly be there too. */
async function expectEffects(
  session: Session,
  sign: Sign,
  expected: Readonly<Record<string, number>>,
): Promise<void> {
  const sentinel = sign(session)
  await session.accept(sentinel)
  const ids = [...Object.keys(expected), sentinel.id]
  const seen = await session.settle({ ids }, session.eachOnce([sentinel.id]))
  for (const [id, most] of Object.entries(expected)) {
    const count = effectOf(seen, id)
    if (count > most)
      fail(`expected ${most === 0 ? 'no' : 'one'} effect of ${short(id)}, got ${count}`)
  }
}

/** What stands where a decision does, and is no approval: what the service sends, and what it may be mistaken for. */
const noApprovals: Readonly<Record<string, unknown>> = {
  rejected: 'rejected',
  expired: 'expired',
  cancelled: 'cancelled',
  'response submitted': 'response_submitted',
  'approved in capitals': 'APPROVED',
  'approved with a capital': 'Approved',
  'approved with a space behind': 'approved ',
  'approved with a line end': 'approved\n',
  'a longer word': 'approved_with_conditions',
  'a word that ends so': 'not_approved',
  'a shorter word': 'approve',
  'a list of it': ['approved'],
  'an object with it': { decision: 'approved' },
  true: true,
  one: 1,
  null: null,
  nothing: undefined,
}
const sent: ReadonlySet<unknown> = new Set([
  'rejected',
  'expired',
  'cancelled',
  'response_submitted',
])

/** Second bodies under an id whose first one was a rejection, or an approval that was acted on. */
const conflicts = {
  'a rejection, then an approval': { first: { decision: 'rejected' }, second: {} },
  'a cancellation, then an approval': { first: { decision: 'cancelled' }, second: {} },
  'an approval, then one of another version': { first: {}, second: { caseVersion: 7 } },
  'an approval, then one at another checkpoint': {
    first: {},
    second: { checkpointId: 'step_other' },
  },
  'an approval, then one with another token': { first: {}, second: { resumeToken: 'another' } },
} as const satisfies Readonly<Record<string, { readonly first: Body; readonly second: Body }>>
type Conflict = keyof typeof conflicts

/** Types of signed messages that are no outcomes, whatever they say. */
const noOutcomes = [
  'review.case.decided',
  'review.continuation.acknowledged',
  'review.outcome.test',
  'Review.Outcome',
  'outcome',
] as const

/** Ids of an application that is not served: another one, or one that a careless comparison takes for it. */
const strangers: Readonly<Record<string, (own: string) => string>> = {
  'another application': () => freshId('app'),
  'the own id in upper case': (own) => own.toUpperCase(),
  'the own id and more': (own) => `${own}x`,
  'the own id cut short': (own) => own.slice(0, -1),
}

/** What an outcome handler promises that pins the keys of these reviewers. */
export function signedProperties(
  served: ServedApplication,
  reviewers: SuiteReviewers,
): readonly Property[] {
  const algorithms = ['EdDSA', 'ES256', 'RS256'] as const
  return [
    property({
      name: 'outcome.unsigned-approval',
      promise:
        'an approval is acted on if a pinned key of a reviewer signed it for what was asked, and lately, and else acknowledged without effect',
      advice:
        'Hold approvals to the reviewer’s own signature: compare every member of the statement with the outcome and with what you asked, its time with your clock, and verify by a key that you pinned (createSignedOutcomeHandler of @countersign/receiver-kit/reviewers).',
      needs: ['effects'],
      each: Object.keys(forgeries).map((forgery, at) => ({
        forgery,
        by: algorithms[at % algorithms.length] ?? 'EdDSA',
      })),
      histories: fc.record({
        forgery: fc.constantFrom(...Object.keys(forgeries)),
        by: fc.constantFrom(...algorithms),
      }),
      async play(session, { forgery, by }) {
        const { resumeToken } = reviewers.pinned.asked
        const sent = (how: (typeof forgeries)[string]) => {
          const outcome = outcomeOf(served, { resumeToken, ...how.outcome })
          const decisionSignature = reviewers.sign(outcome, how)
          return signOutcome(session, served, { ...outcome, decisionSignature })
        }
        const forged = sent({ by, ...forgeries[forgery] })
        const genuine = sent({ by })
        const { tenantId, applicationId } = forgeries[forgery]?.outcome ?? {}
        // An endpoint may serve none of these ids, and refuse what is not for it.
        if (tenantId ?? applicationId) await session.post(forged, mayRefuse)
        else await session.accept(forged)
        await session.accept(genuine)
        const ids = [forged.id, genuine.id]
        const countOf = (id: string, { effects = [] }: Sighting) =>
          effects.find((effect) => effect.id === id)?.count ?? 0
        const seen = await session.settle({ ids }, (sighting) =>
          countOf(genuine.id, sighting) > 0 ? null : 'expected an effect of the signed approval',
        )
        if (countOf(forged.id, seen) > 0) fail(`${forgery}: it was acted on`)
      },
    }),
  ]
}

/** What an outcome handler promises that serves this application. */
export function outcomeProperties(
  served: ServedApplication,
  reviewers?: SuiteReviewers,
): readonly Property[] {
  const sign = signing(served, reviewers)
  return [
    property({
      name: 'outcome.only-approved',
      promise: 'nothing but the decision `approved`, spelled so, lets the action go on',
      advice:
        'Compare with === (isApproved of the receiver kit). Whatever else comes, also what is not known yet, is no approval: rejected, expired and cancelled end the work.',
      needs: ['effects'],
      quickCases: 'all',
      each: Object.keys(noApprovals).map((name) => ({ name })),
      async play(session, { name }) {
        const given = noApprovals[name]
        const other = sign(session, { decision: given })
        if (sent.has(given)) await session.accept(other)
        else await session.post(other, mayRefuse)
        await expectEffects(session, sign, { [other.id]: 0 })
      },
    }),
    property({
      name: 'outcome.no-event',
      promise: 'an event, or any other type, lets no action go on, however it is signed',
      advice:
        'Take the type review.outcome at this endpoint and nothing else, and refuse the rest with 400: events tell what happened and decide nothing.',
      needs: ['effects'],
      each: noOutcomes.map((type) => ({ type })),
      async play(session, { type }) {
        const { id, ...outcome } = outcomeOf(served, { type })
        const event = { ...reviewEvent({ type, decision: 'approved' }), ...outcome, id }
        const label = `${type} that says approved`
        await session.post(session.signBytes(id, bytesOf(JSON.stringify(event)), label), mayRefuse)
        await expectEffects(session, sign, { [id]: 0 })
      },
    }),
    property({
      name: 'outcome.conflict',
      promise: 'of two bodies under one id the first holds: the second lets nothing go on',
      advice:
        'Keep outcomes by their id alone, under a unique key, and act on a new one only. Another body under a known id (the service was restored from a backup) is for a person to look at: answer 409.',
      needs: ['effects'],
      each: Object.keys(conflicts).map((name) => ({ name: name as Conflict })),
      async play(session, { name }) {
        const { first, second } = conflicts[name]
        const id = freshId('cb')
        const one = sign(session, { id, ...first })
        await session.accept(one)
        const isActed = !('decision' in first)
        if (isActed) await session.settle({ ids: [id] }, session.eachOnce([id]))
        await session.post(sign(session, { id, ...second }), mayRefuse)
        await expectEffects(session, sign, { [id]: isActed ? 1 : 0 })
      },
    }),
    property({
      name: 'outcome.older-copy',
      promise:
        'a copy of an approval that comes after a later outcome of its checkpoint lets nothing go on again',
      advice:
        'Remember each outcome that you acted on by its id, for as long as the work can go on, not the last one of a checkpoint: a retry may come after what was decided later.',
      needs: ['effects'],
      each: ['cancelled', 'expired', 'rejected'].map((later) => ({ later })),
      async play(session, { later }) {
        const checkpointId = freshId('step')
        const approval = sign(session, { checkpointId })
        await session.accept(approval)
        const { id } = approval
        await session.settle({ ids: [id] }, session.eachOnce([id]))
        const next = sign(session, { checkpointId, decision: later })
        await session.accept(next)
        const label = `${approval.label}, a copy`
        await session.accept({ ...session.signBytes(id, approval.body, label), label })
        await expectEffects(session, sign, { [id]: 1, [next.id]: 0 })
      },
    }),
    property({
      name: 'outcome.own-application',
      promise: 'an outcome for the application that the endpoint serves is stored and answered 2xx',
      advice: 'Accept what is signed for your own application, once it is stored.',
      histories: fc.record({ decision }),
      async play(session, change) {
        await session.accept(sign(session, change))
      },
    }),
    property({
      name: 'outcome.foreign-application',
      promise:
        'an outcome for another application of the organization is refused and leaves no trace',
      advice:
        'Compare applicationId with the application that this endpoint serves before you store or resume anything: the signature is the organization’s, and the checkpointId is whatever its opener wrote.',
      each: Object.keys(strangers).map((stranger) => ({
        decision: 'approved',
        ownFirst: false,
        stranger,
      })),
      histories: fc.record({
        decision,
        /** Whether the same checkpoint had a genuine outcome before. */
        ownFirst: fc.boolean(),
        stranger: fc.constantFrom(...Object.keys(strangers)),
      }),
      async play(session, { decision, ownFirst, stranger }) {
        const checkpointId = freshId('step')
        if (ownFirst) await session.accept(signOutcome(session, served, { checkpointId }))
        const applicationId = strangers[stranger]?.(served.applicationId) ?? freshId('app')
        const foreign = { ...served, applicationId }
        const { status } = await session.refuse(
          signOutcome(session, foreign, { checkpointId, decision }),
        )
        // It would end the callback of whoever it was meant for.
        if (status === 410) fail(`${stranger}: expected a refusal other than 410, got 410`)
        if (session.target.has.has('stored')) await session.expectNoTrace()
      },
    }),
  ]
}
