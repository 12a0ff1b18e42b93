import type { Modules, Wrappers } from './modules.ts'
import type { Mutant } from './mutant.ts'

const second = 1_000

type Send = ReturnType<Modules['outbox/sender']['createSender']>['send']
type Flight = Parameters<Send>[0]
type SignAttempt = Parameters<Send>[2]['endpoint']['sign']
type Signing = Parameters<SignAttempt>[0]

/** Signs something else than what goes out, or than this attempt. */
function signing(
  change: (flight: Flight, input: Signing) => Partial<Signing>,
): Wrappers<Modules['outbox/sender']> {
  return {
    createSender:
      ({ createSender }) =>
      (...given) => {
        const sender = createSender(...given)
        return {
          ...sender,
          send(flight, stored, to) {
            const { endpoint } = to
            const sign: SignAttempt = (input) =>
              endpoint.sign({ ...input, ...change(flight, input) })
            sender.send(flight, stored, { ...to, endpoint: { ...endpoint, sign } })
          },
        }
      },
  }
}

function indented(body: Uint8Array): Uint8Array {
  const value: unknown = JSON.parse(new TextDecoder().decode(body))
  return new TextEncoder().encode(JSON.stringify(value, null, 1))
}

/** A dispatcher that sends what, when or where it must not. */
export const sendingMutants: readonly Mutant[] = [
  {
    name: 'a redirect is success',
    property: 'delivered means 2xx',
    parts: {
      'outbox/answer': {
        judge:
          ({ judge }) =>
          (result, wallNow) =>
            result.kind === 'answer' && result.status >= 300 && result.status <= 399
              ? { kind: 'delivered' }
              : judge(result, wallNow),
      },
    },
  },
  {
    name: 'a timeout is success',
    property: 'delivered means 2xx',
    parts: {
      'outbox/answer': {
        judge:
          ({ judge }) =>
          (result, wallNow) =>
            result.kind === 'error' ? { kind: 'delivered' } : judge(result, wallNow),
      },
    },
  },
  {
    name: 'a swallowed 410',
    property: 'gone is silent',
    parts: {
      'webhooks/delivery/consequences': {
        consequences:
          ({ consequences }) =>
          (settled, ...more) => {
            const { answer } = settled
            return answer?.kind === 'answer' && answer.status === 410
              ? consequences({ ...settled, answer: { ...answer, status: 500 } }, ...more)
              : consequences(settled, ...more)
          },
      },
    },
  },
  {
    name: 'notices after a 410',
    property: 'gone is silent',
    parts: {
      'webhooks/machine/decided': {
        changed:
          ({ changed }) =>
          (before, change, now) => {
            const { webhook, notices = [], again = [] } = change
            return notices.length > 0
              ? { ok: true, value: { webhook: { ...webhook, updatedAt: now }, notices, again } }
              : changed(before, change, now)
          },
      },
    },
  },
  {
    name: 'what was owed before a turn-off',
    property: 'off is silent',
    parts: {
      'webhooks/machine/admits': {
        admitsFor:
          ({ admitsFor }) =>
          (state) =>
          (delivery) =>
            admitsFor({ ...state, status: 'receiving', generation: delivery.generation })(delivery),
      },
    },
  },
  {
    name: 'notices that a turn-off ends',
    property: 'notices are owed',
    parts: {
      'webhooks/machine/admits': {
        admitsFor:
          ({ admitsFor }) =>
          (state) =>
          (delivery) =>
            admitsFor(state)(delivery) &&
            (delivery.kind !== 'notice' || delivery.generation === state.generation),
      },
    },
  },
  {
    name: 'no admission at all',
    property: 'off is silent',
    parts: {
      'webhooks/delivery/endpoint': {
        webhookEndpoint:
          ({ webhookEndpoint }) =>
          (...given) => ({ ...webhookEndpoint(...given), admits: () => true }),
      },
    },
  },
  {
    name: 'a new id for each attempt',
    property: 'same id, same bytes',
    parts: {
      'outbox/sender': signing(({ found }, { messageId }) => ({
        messageId: `${messageId}x${found.row.attempts}`,
      })),
    },
  },
  {
    name: 'a body serialized anew',
    property: 'same id, same bytes',
    parts: {
      'outbox/sender': {
        createSender:
          ({ createSender }) =>
          (context, on) => {
            const { transport } = context
            const post: typeof transport.post = (exchange) =>
              transport.post({ ...exchange, body: indented(exchange.body) })
            return createSender({ ...context, transport: { ...transport, post } }, on)
          },
      },
    },
  },
  {
    name: 'signed when it was made',
    property: 'signed now by a valid key',
    parts: { 'outbox/sender': signing(({ found }) => ({ now: found.row.createdAt })) },
  },
  {
    name: 'one secret of two',
    property: 'both secrets sign',
    parts: {
      'webhooks/delivery/endpoint': {
        webhookEndpoint:
          ({ webhookEndpoint }) =>
          (webhook, ports) => ({
            ...webhookEndpoint({ ...webhook, previousSecret: null }, ports),
            webhook,
          }),
      },
    },
  },
  {
    name: 'a previous secret without end',
    property: 'old secrets are wiped',
    parts: {
      'webhooks/delivery/upkeep': {
        webhookUpkeep: ({ webhookUpkeep }) => ({
          ...webhookUpkeep,
          async run(item, attempt, owing) {
            const step = await webhookUpkeep.run(item, attempt, owing)
            const puts = (step.set?.puts ?? []).filter((put) => put.in !== 'webhooks')
            return { ...step, set: { ...step.set, puts } }
          },
        }),
      },
    },
  },
  {
    name: 'no cap per endpoint',
    property: 'in-flight caps',
    parts: {
      'outbox/options': {
        dispatcherOptions:
          ({ dispatcherOptions }) =>
          (given) => {
            const options = dispatcherOptions(given)
            return { ...options, slotsPerEndpoint: options.slots }
          },
      },
    },
  },
  {
    name: 'an impatient schedule',
    property: 'retry schedule',
    parts: {
      'outbox/policy': {
        policies: ({ policies }) => ({
          ...policies,
          review: {
            ...policies.review,
            waits: policies.review.waits.with(1, 5 * second),
          },
        }),
      },
    },
  },
  {
    name: 'a second try of what has one',
    property: 'attempt budget',
    parts: {
      'outbox/policy': {
        policies: ({ policies }) => ({
          ...policies,
          once: { ...policies.once, waits: [5 * second] },
        }),
      },
    },
  },
  {
    name: 'a lease that never ends',
    property: 'comes to rest',
    parts: {
      'outbox/claims': {
        createClaims:
          ({ createClaims }) =>
          (context, board, on) => {
            const leaseBase = () => context.time.leaseBase() + 1e13
            return createClaims({ ...context, time: { ...context.time, leaseBase } }, board, on)
          },
      },
    },
  },
  {
    name: 'a replay within the round',
    property: 'delivery moves',
    parts: {
      'outbox/machine': {
        replay:
          ({ replay }) =>
          (found, view) => {
            const after = replay(found, view)
            return after && { ...after, round: found.row.round }
          },
      },
    },
  },
  {
    name: 'delivered and still due',
    property: 'delivery moves',
    parts: {
      'outbox/machine': {
        settle:
          ({ settle }) =>
          (delivering, verdict, moment) => {
            const after = settle(delivering, verdict, moment)
            return after.status === 'delivered' ? { ...after, due: moment.now + 60_000 } : after
          },
      },
    },
  },
]
