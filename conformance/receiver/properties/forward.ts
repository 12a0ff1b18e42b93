import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import { reviewEvent } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { allStored } from '../session.ts'

const novelty = fc.oneof(
  fc.record({
    what: fc.constant('unknown members'),
    change: fc.dictionary(
      fc.constantFrom('region', 'assignee', 'labels', 'links', 'constructor_', 'x-next'),
      fc.jsonValue({ maxDepth: 2 }),
      { minKeys: 1, maxKeys: 3 },
    ),
  }),
  fc.record({
    what: fc.constant('an unknown type'),
    change: fc.record({
      type: fc.constantFrom(
        'review.case.paused',
        'review.policy.changed',
        'subscription.resumed',
        'billing.paid',
      ),
    }),
  }),
  fc.record({
    what: fc.constant('an unknown reason'),
    change: fc.record({ reasonCategory: fc.constantFrom('escalated', 'delegated') }),
  }),
  fc.record({
    what: fc.constant('an unknown decision'),
    change: fc.record({ decision: fc.constantFrom('deferred', 'partially_approved') }),
  }),
  fc.record({
    what: fc.constant('an unknown tier'),
    change: fc.record({ reviewTier: fc.constant('critical') }),
  }),
  fc.record({
    what: fc.constant('schemaVersion 2'),
    change: fc.record({ schemaVersion: fc.constant(2) }),
  }),
  fc.record({
    what: fc.constant('null where a value may be'),
    change: fc.record({ decision: fc.constant(null), presentationDigest: fc.constant(null) }),
  }),
)

const accepts = property({
  name: 'forward.accepts',
  promise: 'what a later version of the service may send is stored and answered 2xx',
  advice:
    'Ignore members that you do not know, store types that you do not know, treat an unknown reason as `other`. A strict schema turns the sender’s next release into your outage.',
  histories: fc.record({ novelty, key: anyKey }),
  async play(session, { novelty: { what, change }, key }) {
    const event = reviewEvent(change)
    const message = session.sign(event, { key })
    await session.accept({ ...message, label: `${message.label}, ${what}` })
    if (session.target.has.has('stored'))
      await session.settle({ ids: [event.id] }, allStored([event.id]))
  },
})

export const forward: readonly Property[] = [accepts]
