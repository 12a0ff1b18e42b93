import type {
  Clock,
  Collection,
  Exchange,
  ExchangeResult,
  Store,
  Transport,
  Versioned,
} from '../../base/ports/index.ts'
import { createLedger, type Ledger } from '../../kernel/ledger/ledger.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { createDispatcher, type Dispatcher } from '../../outbox/dispatcher.ts'
import type { Kind } from '../../outbox/kind.ts'
import type { DispatcherOptions } from '../../outbox/options.ts'
import { type Owed, owe } from '../../outbox/owe.ts'
import {
  type AttemptRecord,
  attempts,
  type Delivery,
  deliveries,
  messages,
  type NewMessage,
  type PolicyName,
} from '../../outbox/records.ts'
import {
  answered,
  createManualClock,
  createMemoryStore,
  type ManualClock,
  type MemoryStore,
  type SeededRandom,
  type StoreFaults,
  seededRandom,
} from '../../testing/index.ts'

/** An endpoint as the rig's own room would keep it. */
export interface Hook {
  readonly endpointId: string
  readonly tenantId: string
  readonly url: string
  readonly generation: number
  readonly reason: string | null
}

export const hooks: Collection<Hook> = {
  name: 'hooks',
  key: ['endpointId'],
  columns: { endpointId: 'text', tenantId: 'text' },
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'a test' },
  retain: { keep: 'made by a test' },
}

/** A kind that turns its endpoint off at a 410 and when a review round is given up, in the settle's own commit. */
export function hookKind(ledger: Ledger): Kind {
  let nonce = 0
  return {
    name: 'event',
    watches: [hooks.name],
    async endpoints(ids) {
      const found = await ledger.read(
        null,
        ids.map((id) => get(hooks, [id])),
      )
      return new Map(
        found.flatMap((answer) => {
          const hook = one(hooks, answer)?.row
          if (!hook) return []
          const { endpointId, tenantId, url, generation } = hook
          const endpoint = {
            endpointId,
            tenantId,
            url,
            sign: ({ messageId, now }: { messageId: string; now: number }) => ({
              'x-nonce': String(nonce++),
              'webhook-id': messageId,
              'webhook-timestamp': String(Math.floor(now / 1_000)),
            }),
            admits: (delivery: Delivery) => delivery.generation === generation,
          }
          return [[endpointId, endpoint] as const]
        }),
      )
    },
    entails: ({ after, answer }) => after.status === 'dead_lettered' && answer !== null,
    async consequences({ after, answer }, unit) {
      const [found] = await unit.read([get(hooks, [after.endpointId])])
      const was = one(hooks, found)
      if (!was || was.row.generation !== after.generation) return {}
      const gone = answer?.kind === 'answer' && answer.status === 410
      const row = {
        ...was.row,
        generation: was.row.generation + 1,
        reason: gone ? 'endpoint_gone' : 'retries_exhausted',
      }
      return { puts: [put(hooks, row, was)] }
    },
  }
}

/** One process: its own ledger and dispatcher on the shared store. */
export interface Process {
  readonly ledger: Ledger
  readonly dispatcher: Dispatcher
  owe(endpointIds: readonly string[], policy?: PolicyName): Promise<string>
  /** From now on nothing that it does has an effect, and nothing is answered to it. */
  crash(): void
  /** Its calls and answers wait until `resume`: a machine that was suspended. */
  stall(): void
  resume(): void
}

export type Receiver = (
  exchange: Exchange,
  owner: string,
) => ExchangeResult | Promise<ExchangeResult>

export interface Rig {
  readonly clock: ManualClock
  readonly random: SeededRandom
  readonly store: MemoryStore
  /** Every POST with its moment, in order. */
  readonly posts: readonly Post[]
  readonly events: readonly { readonly name: string; readonly fields: object }[]
  /** What receivers do from now on. */
  receiver: Receiver
  hook(endpointId: string, tenantId?: string): Promise<void>
  /** `store` may put faults between this process and the store. */
  process(options?: Partial<DispatcherOptions>, store?: (real: MemoryStore) => Store): Process
  deliveries(): readonly Versioned<Delivery>[]
  attempts(): readonly AttemptRecord[]
  hookRow(endpointId: string): Hook | undefined
  count(event: string): number
}

export interface Post {
  /** Names the attempt, in the log's request headers too. */
  readonly nonce: string
  readonly owner: string
  readonly endpointId: string
  readonly messageId: string
  readonly body: string
  readonly at: number
  /** Monotonic. */
  readonly mark: number
}

const utf8 = new TextEncoder()
export const collections = [messages, deliveries, attempts, hooks]
export const startedAt = Date.UTC(2026, 10, 21)

export function createRig(
  options: { readonly seed?: number; readonly faults?: StoreFaults } = {},
): Rig {
  const clock = createManualClock(startedAt)
  const random = seededRandom(options.seed ?? 1)
  const store = createMemoryStore({
    collections,
    logs: [],
    ...(options.faults ? { faults: options.faults } : {}),
  })
  const posts: Post[] = []
  const events: { name: string; fields: object }[] = []
  const observer = {
    event: (name: string, fields: object) => {
      events.push({ name, fields })
    },
  }

  const rig: Rig = {
    clock,
    random,
    store,
    posts,
    events,
    receiver: () => answered(200),
    async hook(endpointId, tenantId = 'ten_1') {
      const row: Hook = {
        endpointId,
        tenantId,
        url: `https://${endpointId}.test/`,
        generation: 0,
        reason: null,
      }
      await store.commit({ tenant: tenantId, puts: [put(hooks, row, null)] })
    },
    process(given = {}, between = (real) => real) {
      const gate = createGate(clock)
      const ledger = createLedger({ store: gate.store(between(store)), clock: gate.clock, random })
      const transport: Transport = {
        async post(exchange) {
          posts.push({
            nonce: `${dispatcher.owner} ${exchange.headers['x-nonce']}`,
            owner: dispatcher.owner,
            endpointId: new URL(exchange.url).hostname.replace('.test', ''),
            messageId: exchange.headers['webhook-id'] ?? '',
            body: new TextDecoder().decode(exchange.body),
            at: clock.now(),
            mark: clock.monotonic(),
          })
          await gate.pass()
          const result = await rig.receiver(exchange, dispatcher.owner)
          await gate.pass()
          return result
        },
      }
      const dispatcher = createDispatcher({
        ledger,
        clock: gate.clock,
        random: random.fork(),
        transport,
        kinds: [hookKind(ledger)],
        observer,
        options: given,
      })
      return {
        ledger,
        dispatcher,
        crash: gate.close,
        stall: gate.stall,
        resume: gate.resume,
        async owe(endpointIds, policy = 'review') {
          const result = await ledger.execute(null, async (unit) => {
            const messageId = unit.id('evt')
            const found = await unit.read(endpointIds.map((id) => get(hooks, [id])))
            const rows = found.map((answer) => one(hooks, answer)?.row)
            const tenantId = rows[0]?.tenantId ?? 'ten_1'
            const message: NewMessage = {
              messageId,
              tenantId,
              applicationId: null,
              type: 'review.case.created',
              family: 'standard',
              createdAt: unit.now,
              body: utf8.encode(JSON.stringify({ id: messageId })),
            }
            const to = rows.flatMap((row): Owed[] =>
              row
                ? [
                    {
                      endpointId: row.endpointId,
                      kind: 'event',
                      policy,
                      generation: row.generation,
                      trigger: 'event',
                    },
                  ]
                : [],
            )
            const puts = owe(unit, dispatcher.intake, message, to)
            return { kind: 'commit', set: { puts }, value: messageId }
          })
          if (!result.ok) throw new Error(result.refusal.detail)
          return result.value
        },
      }
    },
    deliveries: () => store.rows(deliveries),
    attempts: () => store.rows(attempts).map(({ row }) => row),
    hookRow: (endpointId) =>
      store.rows(hooks).find(({ row }) => row.endpointId === endpointId)?.row,
    count: (event) => events.filter(({ name }) => name === event).length,
  }
  return rig
}

/** An answer after a time of the manual clock. */
export function after(
  clock: ManualClock,
  ms: number,
  result: ExchangeResult,
): Promise<ExchangeResult> {
  return new Promise((resolve) => clock.after(ms, () => resolve(result)))
}

/** What stands between a process and the world, so that it can be stopped or killed at any moment. */
function createGate(clock: Clock) {
  let held: Promise<void> | null = null
  let release = () => {}
  let dead = false
  const never = new Promise<never>(() => {})

  async function pass(): Promise<void> {
    if (dead) await never
    while (held) await held
    if (dead) await never
  }

  return {
    pass,
    close() {
      dead = true
    },
    stall() {
      held = new Promise((resolve) => {
        release = resolve
      })
    },
    resume() {
      held = null
      release()
    },
    clock: {
      ...clock,
      after: (ms: number, call: () => void) =>
        clock.after(ms, () => {
          if (!dead) void pass().then(call)
        }),
    },
    store(real: Store): Store {
      const guard =
        <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
        async (...args: A): Promise<R> => {
          await pass()
          const made = await call(...args)
          await pass()
          return made
        }
      return {
        read: guard(real.read),
        commit: guard(real.commit),
        lanes: guard(real.lanes),
        nextDue: guard(real.nextDue),
        claim: guard(real.claim),
        scrub: guard(real.scrub),
        close: guard(real.close),
      }
    },
  }
}
