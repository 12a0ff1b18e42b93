import fc from 'fast-check'
import { freshId } from '../receiver/messages.ts'
import { type Property, property } from '../receiver/property.ts'
import { fail } from '../receiver/session.ts'
import { type ServedApplication, signOutcome } from './message.ts'

const decision = fc.constantFrom('approved', 'rejected', 'response_submitted', 'cancelled')

/** Ids of an application that is not served: another one, or one that a careless comparison takes for it. */
const strangers: Readonly<Record<string, (own: string) => string>> = {
  'another application': () => freshId('app'),
  'the own id in upper case': (own) => own.toUpperCase(),
  'the own id and more': (own) => `${own}x`,
  'the own id cut short': (own) => own.slice(0, -1),
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
