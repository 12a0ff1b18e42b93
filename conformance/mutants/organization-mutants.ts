import type { Modules, Parts } from './modules.ts'
import type { Mutant } from './mutant.ts'
import { without } from './session-mutants.ts'

const of = 'organizations'

type PurgePart = Modules['removal/lifecycle/purge-deliveries']['deliveryParts'][number]

/** A purge that takes what is still owed. */
const impatientPart: PurgePart = {
  name: 'deliveries',
  async remove({ read }, { applicationId }) {
    const where = [['applicationId', '=', applicationId]] as const
    const page = { newest: false, skip: 0, take: 50, count: false }
    const [found] = await read([{ list: 'deliveries', by: 'byApplication', where, ...page }])
    const removes = (found?.rows ?? []).map(({ row, version }) => {
      const { endpointId, messageId } = row as { endpointId: string; messageId: string }
      return { in: 'deliveries', key: [endpointId, messageId] as const, version }
    })
    return { set: { removes }, removed: 0, after: null }
  },
  left: () => null,
}

type PurgePlan = ReturnType<Modules['removal/lifecycle/purge-plan']['purgePlanOf']>

/** Purges by another plan. */
function planning(change: (plan: PurgePlan) => Partial<PurgePlan>): Parts {
  return {
    'removal/lifecycle/purge-plan': {
      purgePlanOf:
        ({ purgePlanOf }) =>
        (...given) => {
          const plan = purgePlanOf(...given)
          return { ...plan, ...change(plan) }
        },
    },
  }
}

type JudgeAlert = Modules['policies/alerts/machine']['judgeAlert']

/** Judges alerts otherwise than the core. */
function judging(change: (judgeAlert: JudgeAlert) => JudgeAlert): Parts {
  return { 'policies/alerts/machine': { judgeAlert: ({ judgeAlert }) => change(judgeAlert) } }
}

/** Events, purges and alerts of an organization that are lost, doubled or wrong. */
export const organizationMutants: readonly Mutant[] = [
  {
    name: 'turned off by an event of the legacy family',
    property: 'turned off for a reason',
    of,
    parts: {
      'webhooks/delivery/consequences': {
        consequences:
          ({ consequences }) =>
          (settled, ...more) =>
            consequences(
              { ...settled, before: { ...settled.before, type: 'review.case.decided' } },
              ...more,
            ),
      },
    },
  },
  {
    name: 'legacy events to those who did not select them',
    property: 'every event is owed',
    of,
    parts: {
      'webhooks/routing/fan-out': {
        fanOut:
          ({ fanOut }) =>
          (input) => {
            const { routing } = input
            if (!routing || input.events.some(({ type }) => type.startsWith('review.')))
              return fanOut(input)
            const routes = routing.row.routes.map((route) => ({
              ...route,
              eventTypes: ['*' as const],
            }))
            return fanOut({ ...input, routing: { ...routing, row: { ...routing.row, routes } } })
          },
      },
    },
  },
  {
    name: 'legacy events that are lost in a commit of their own',
    property: 'every event is owed',
    of,
    port: without('deliveries', 'alertRules'),
  },
  {
    name: 'a purge that begins in spite of a hold',
    property: 'a deletion waits',
    of,
    parts: {
      'removal/lifecycle/holds': {
        holdsOfApplications:
          ({ holdsOfApplications }) =>
          async (...given) => ({
            ...(await holdsOfApplications(...given)),
            held: new Set<string>(),
          }),
      },
    },
  },
  {
    name: 'a purge without a grace period',
    property: 'a deletion waits',
    of,
    parts: {
      'kernel/facade': {
        openGroups:
          ({ openGroups }) =>
          (groups, ports, tools) =>
            openGroups(groups, ports, { ...(tools as object), deletionGraceMs: 0 } as never),
      },
    },
  },
  {
    name: 'a purge that is taken back',
    property: 'a deletion waits',
    of,
    parts: {
      'applications/lifecycle': {
        decideLifecycle:
          ({ decideLifecycle }) =>
          (was, command, now) =>
            decideLifecycle(
              command.type === 'cancel_deletion' && was.lifecycleState !== 'active'
                ? { ...was, lifecycleState: 'pending_deletion' }
                : was,
              command,
              now,
            ) as never,
      },
    },
  },
  {
    name: 'a purge that forgets traces',
    property: 'a purge is whole',
    of,
    parts: planning(({ data }) => ({ data: data.filter(({ name }) => name !== 'traces') })),
  },
  {
    name: 'a purge that forgets the keys',
    property: 'a purge is whole',
    of,
    parts: planning(() => ({ configuration: [] })),
  },
  {
    name: 'an erasure beside purges that leaves the blobs',
    property: 'erased stays erased',
    of,
    parts: {
      'removal/erasure/blank': {
        blankPayloads: () => async () => ({ isDone: true, puts: [], removes: [] }),
      },
    },
  },
  {
    name: 'a purge that takes what is owed',
    property: 'gone owes nothing',
    of,
    parts: {
      'removal/lifecycle/purge-deliveries': { deliveryParts: () => [impatientPart] },
    },
  },
  {
    name: 'a purge that nobody carries on',
    property: 'every purge has an end',
    of,
    parts: {
      'removal/lifecycle/purge': {
        createPurge:
          ({ createPurge }) =>
          (...given) => {
            const purge = createPurge(...given)
            return {
              ...purge,
              run: async (...work) => ({ ...(await purge.run(...work)), next: null }),
            }
          },
      },
    },
  },
  {
    name: 'an alert at each judgement',
    property: 'a change and its events',
    of,
    parts: judging((judgeAlert) => (bounds, before, value, now) => {
      const told = judgeAlert(bounds, before, value, now)
      const { after, change } = told
      return before.state === 'triggered' && change === null && after !== before
        ? { after: { ...after, stateSince: now }, change: 'triggered' }
        : told
    }),
  },
  {
    name: 'an alert without an end',
    property: 'alerts follow their rule',
    of,
    parts: judging((judgeAlert) => (bounds, before, value, now) => {
      const told = judgeAlert(bounds, before, value, now)
      return told.change === 'resolved' ? { after: before, change: null } : told
    }),
  },
  {
    name: 'an alert that ends at once',
    property: 'alerts follow their rule',
    of,
    parts: judging(
      (judgeAlert) => (bounds, before, value, now) =>
        judgeAlert(bounds, { ...before, recovered: 1 }, value, now),
    ),
  },
  {
    name: 'sessions counted twice',
    property: 'activity is counted once',
    of,
    parts: {
      'content/activity/fold-activity': {
        folded:
          ({ folded }) =>
          (place, facts, found) =>
            folded(place, [...facts, ...facts], found),
      },
    },
  },
]
