import type { Modules, Wrappers } from './modules.ts'
import type { Mutant } from './mutant.ts'

const hour = 3_600_000

type EventsOf = Modules['review/execution/case-events']['eventsOf']
type Routing = NonNullable<Parameters<Modules['webhooks/routing/fan-out']['fanOut']>[0]['routing']>
type Route = Routing['row']['routes'][number]

/** Events with other members, made from the case and the real event. */
function events(
  change: (...given: [...Parameters<EventsOf>, ReturnType<EventsOf>[number]]) => object,
): Wrappers<Modules['review/execution/case-events']> {
  return {
    eventsOf:
      ({ eventsOf }) =>
      (review, recorded, made) =>
        eventsOf(review, recorded, made).map((event) => ({
          ...event,
          ...change(review, recorded, made, event),
        })),
  }
}

/** Fan-out by routes of which something else is true. */
function routes(change: Partial<Route>): Wrappers<Modules['webhooks/routing/fan-out']> {
  return {
    fanOut:
      ({ fanOut }) =>
      (input) => {
        const { routing } = input
        if (!routing) return fanOut(input)
        const changed = routing.row.routes.map((route) => ({ ...route, ...change }))
        return fanOut({
          ...input,
          routing: { ...routing, row: { ...routing.row, routes: changed } },
        })
      },
  }
}

/** Events and outcomes that are lost, doubled or wrong before they are sent. */
export const eventMutants: readonly Mutant[] = [
  {
    name: 'no event is owed',
    property: 'every event is owed',
    parts: {
      'webhooks/routing/fan-out': {
        fanOut:
          ({ fanOut }) =>
          (input) => ({ ...fanOut(input), puts: [] }),
      },
    },
  },
  {
    name: 'outcomes of decisions alone',
    property: 'every outcome is owed',
    parts: {
      'review/execution/change-set': {
        partsOf:
          ({ partsOf }) =>
          (host, scene, was, moved, actor) => {
            const changes = partsOf(host, scene, was, moved, actor)
            if (moved.case.state === 'decided') return changes
            const isOutcome = ({ row }: { readonly row: object }) =>
              Reflect.get(row, 'type') === 'review.outcome'
            return { ...changes, puts: changes.puts.filter((put) => !isOutcome(put)) }
          },
      },
    },
  },
  {
    name: 'the comment in the event',
    property: 'no private text',
    parts: {
      'review/execution/case-events': events(({ presentation }) => ({ shown: presentation })),
    },
  },
  {
    name: 'the outcome in clear text',
    property: 'no private text',
    parts: {
      'review/sealing': {
        sealOutcome: () => (_, message) => message.body,
        openOutcome: () => (_, message) => message.body,
      },
    },
  },
  {
    name: 'events of another time',
    property: 'a change and its events',
    parts: {
      'review/execution/case-events': events(({ createdAt }) => ({
        time: new Date(createdAt - 1).toISOString(),
      })),
    },
  },
  {
    name: 'fan-out to those that are off',
    property: 'off is silent',
    parts: { 'webhooks/routing/fan-out': routes({ receiving: true }) },
  },
  {
    name: 'fan-out of what nobody selected',
    property: 'every event is owed',
    parts: { 'webhooks/routing/fan-out': routes({ eventTypes: ['*'] }) },
  },
  {
    name: 'a window that ends too soon',
    property: 'missed windows are exact',
    parts: {
      'webhooks/routing/event-time': {
        onTime: () => (routing, now) => routing?.row.changedAt ?? now,
      },
    },
  },
  {
    name: 'a window that begins too soon',
    property: 'missed windows are exact',
    parts: {
      'webhooks/routing/event-time': {
        offTime:
          ({ offTime }) =>
          (...given) =>
            offTime(...given) - hour,
      },
    },
  },
  {
    name: 'windows that nobody hears of',
    property: 'missed windows are exact',
    parts: {
      'webhooks/machine/missed-windows': {
        received: () => (webhook) => ({ ok: true, value: { webhook, notices: [], again: [] } }),
      },
    },
  },
  {
    name: 'a history with gaps between its pages',
    property: 'history is whole',
    parts: {
      'kernel/ledger/listing': {
        listingOf:
          ({ listingOf }) =>
          (source, query, counted, read) =>
            listingOf(source, query, counted, (reads) =>
              read(
                reads.map((one) =>
                  'list' in one && one.skip > 0 ? { ...one, skip: one.skip + 1 } : one,
                ),
              ),
            ),
      },
    },
  },
  {
    name: 'history of what was delivered alone',
    property: 'history is whole',
    parts: {
      'kernel/ledger/listing': {
        listingOf:
          ({ listingOf }) =>
          (source, ...given) =>
            source.collection.name === 'deliveries'
              ? listingOf(
                  { ...source, where: [...source.where, ['status', '=', 'delivered']] },
                  ...given,
                )
              : listingOf(source, ...given),
      },
    },
  },
  {
    name: 'turned on without a challenge',
    property: 'notices are owed',
    parts: {
      'webhooks/machine/machine': {
        decide:
          ({ decide }) =>
          (webhook, command, times) => {
            const decided = decide(webhook, command, times)
            if (!decided.ok || command.kind !== 'turn_on') return decided
            const { verification } = webhook
            const on = { ...decided.value.webhook, verification }
            return { ok: true, value: { ...decided.value, webhook: on, notices: [] } }
          },
      },
    },
  },
]
