import type { Inbox, InboxEntry } from '@countersign/core/ports'
import fc from 'fast-check'
import { expectEqual, show } from '../assert.ts'
import type { InboxModel } from './model.ts'

/** One step of a generated history: what it does to the inbox and, the same, to the model. */
export interface InboxStep {
  readonly says: string
  run(inbox: Inbox, model: InboxModel, now: number): Promise<void>
}

const ids = fc.constantFrom('evt_1', 'evt_2', 'evt_3', 'evt_4', 'cb_1', 'évt_5')
const cases = fc.constantFrom('rc_1', 'rc_2')
const positions = fc.record({
  reviewCaseId: cases,
  caseVersion: fc.integer({ min: 1, max: 3 }),
  eventSequence: fc.integer({ min: 1, max: 4 }),
})
const later = fc.integer({ min: 1, max: 50 })

const store = fc
  .record({
    id: ids,
    position: fc.option(positions),
    type: fc.option(fc.constantFrom('review.case.created', 'review.case.decided')),
    body: fc.uint8Array({ maxLength: 3 }),
    ago: fc.integer({ min: 0, max: 5 }),
  })
  .map(
    ({ ago, ...fields }): InboxStep => ({
      says: `store ${show(fields)} ${ago} ms ago`,
      async run(inbox, model, now) {
        const topic = fields.id.startsWith('cb') ? ('outcome' as const) : ('event' as const)
        const entry: InboxEntry = { ...fields, topic, receivedAt: now - ago }
        expectEqual(await inbox.store(entry), model.store(entry), this.says)
      },
    }),
  )

const take = fc
  .record({
    topic: fc.constantFrom('event' as const, 'outcome' as const),
    limit: fc.integer({ min: 1, max: 4 }),
    hold: later,
  })
  .map(
    ({ topic, limit, hold }): InboxStep => ({
      says: `take ${limit} of ${topic} for ${hold} ms`,
      async run(inbox, model, now) {
        const query = { topic, now, holdUntil: now + hold, limit }
        expectEqual(await inbox.take(query), model.take(query), this.says)
        for (const id of ['rc_1', 'rc_2'])
          expectEqual(await inbox.head(id), model.head(id), `the head of ${id}`)
      },
    }),
  )

const settle = fc
  .record({
    id: ids,
    how: fc.constantFrom('handled', 'failed', 'hold'),
    // How many turns of the entry began since the one that is meant.
    late: fc.constantFrom(0, 0, 0, 1, 2),
    wait: later,
  })
  .map(
    ({ id, how, late, wait }): InboxStep => ({
      says: `${how} ${id}, ${late} turns late (${wait} ms)`,
      async run(inbox, model, now) {
        const turn = { id, attempt: model.attempts(id) - late }
        if (how === 'handled')
          expectEqual(await inbox.handled(turn, now), model.handled(turn), this.says)
        else if (how === 'failed')
          expectEqual(
            await inbox.failed(turn, now + wait, 'the handler threw'),
            model.failed(turn, now + wait),
            this.says,
          )
        else {
          await inbox.hold([turn, { id: 'evt_unknown', attempt: 1 }], now + wait)
          model.hold([turn], now + wait)
        }
      },
    }),
  )

const has = fc.uniqueArray(ids, { maxLength: 6 }).map(
  (asked): InboxStep => ({
    says: `has ${show(asked)}`,
    async run(inbox, model) {
      expectEqual(await inbox.has(asked), model.has(asked), this.says)
    },
  }),
)

/** Histories of up to forty steps, each with the ms that pass before it. */
export const histories: fc.Arbitrary<
  readonly { readonly step: InboxStep; readonly wait: number }[]
> = fc.array(
  fc
    .record({
      step: fc.oneof(
        { arbitrary: store, weight: 4 },
        { arbitrary: take, weight: 4 },
        { arbitrary: settle, weight: 3 },
        { arbitrary: has, weight: 1 },
      ),
      wait: fc.integer({ min: 0, max: 20 }),
    })
    // What a counterexample prints.
    .map(({ step, wait }) => ({ step, wait, toString: () => `+${wait} ms: ${step.says}` })),
  { maxLength: 40, size: 'max' },
)
