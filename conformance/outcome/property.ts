import fc from 'fast-check'
import { freshId } from '../receiver/messages.ts'
import type { Sighting } from '../receiver/probe.ts'
import { type Property, property } from '../receiver/property.ts'
import { fail } from '../receiver/session.ts'
import { forgeries } from './forgeries.ts'
import { outcomeOf, type ServedApplication, signOutcome } from './message.ts'
import type { SuiteReviewers } from './reviewers.ts'

const decision = fc.constantFrom('approved', 'rejected', 'response_submitted', 'cancelled')

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
        'an approval is acted on if a pinned key of a reviewer signed it for what was asked, and else acknowledged without effect',
      advice:
        'Hold approvals to the reviewer’s own signature: compare every member of the statement with the outcome and with what you asked, and verify by a key that you pinned (createSignedOutcomeHandler of @countersign/receiver-kit/reviewers).',
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
        const sent = (how: (typeof forgeries)[string]) => {
          const outcome = outcomeOf(served, { resumeToken: freshId('token') })
          const decisionSignature = reviewers.sign(outcome, how)
          return signOutcome(session, served, { ...outcome, decisionSignature })
        }
        const forged = sent({ by, ...forgeries[forgery] })
        const genuine = sent({ by })
        await session.accept(forged)
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
export function outcomeProperties(served: ServedApplication): readonly Property[] {
  return [
    property({
      name: 'outcome.own-application',
      promise: 'an outcome for the application that the endpoint serves is stored and answered 2xx',
      advice: 'Accept what is signed for your own application, once it is stored.',
      histories: fc.record({ decision }),
      async play(session, change) {
        await session.accept(signOutcome(session, served, change))
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
