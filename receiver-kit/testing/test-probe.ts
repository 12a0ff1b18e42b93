import type { Clock, Inbox } from '@countersign/core/ports'
import type { Drained } from '../handling/pump.ts'
import { fetchHandler } from '../hosts/fetch.ts'
import type { ReceiverOptions } from '../receiver.ts'
import { type ReceiverAnswer, refusalAnswer } from '../receiving/answer.ts'
import { createBodyRoom } from '../receiving/body-room.ts'
import type { Endpoint, Mountable } from '../receiving/endpoint.ts'
import { systemClock } from '../system-clock.ts'

/** Where the probe notes that a handler acted; give one that lasts when the receiver is killed in a test. */
export interface EffectLog {
  add(id: string): void | Promise<void>
  /** Of these ids, those with an effect, in the order in which they had it first. */
  counts(
    ids: readonly string[],
  ):
    | readonly { readonly id: string; readonly count: number }[]
    | Promise<readonly { readonly id: string; readonly count: number }[]>
}

/**
 * What `countersign-conformance receiver --probe URL` asks: what is stored and what was acted on. It moves the
 * receiver's clock, slows its handler and fails its store on request, so it belongs in tests alone. Every shell of
 * the kit mounts it like a receiver.
 */
export interface TestProbe extends Mountable {
  readonly fetch: (request: Request) => Promise<Response>
  /** Handles nothing: for the hosts that call it behind each answer. */
  readonly drain: () => Promise<Drained>
  /**
   * The options of the receiver under test, watched: `createReceiver(probe.watch({ keys, inbox, onEvent }))`. A turn
   * that comes again after a restart counts as one effect, as with a handler that knows its own ids.
   */
  watch(options: ReceiverOptions): ReceiverOptions
}

/** Options of `createTestProbe`. */
export interface TestProbeOptions {
  /** In memory unless given. */
  readonly effects?: EffectLog
  /**
   * Offers `restart`: makes the receiver anew, by `createReceiver(probe.watch(options))` on the same inbox, puts it in
   * the old one's place and resolves when it takes deliveries. The old one is dead by then: it stores, takes and
   * settles nothing any more, and what its handlers still do is not seen. Stop it there, too.
   */
  readonly restart?: () => void | Promise<void>
}

type Asked = Readonly<Record<string, unknown>>

const utf8 = new TextDecoder('utf-8', { fatal: true })
const abilities = ['clock', 'delay', 'storeFailure'] as const
/** What a killed process held is free again soon, so that no test waits half a minute for it. */
const testTimes = { holdMs: 1_000, pollMs: 50 } as const

/** What lives from one restart to the next. */
interface Life {
  readonly inbox: Inbox
  isAlive: boolean
  /** Ids of the turns that acted in it. */
  readonly acted: Set<string>
}

/** A probe of a receiver for the conformance suite, mounted by its host. */
export function createTestProbe(options: TestProbeOptions = {}): TestProbe {
  const { effects = memoryEffects(), restart } = options
  let life: Life | null = null
  let now: number | null = null
  let delayMs = 0
  let isFailing = false

  function watch(own: ReceiverOptions): ReceiverOptions {
    const { clock = systemClock } = own
    const mine: Life = { inbox: own.inbox, isAlive: true, acted: new Set() }
    life = mine
    const watched: Clock = { ...clock, now: () => now ?? clock.now() }
    const stillAlive = () => {
      if (!mine.isAlive) throw new Error('the test probe restarted this receiver: it is dead')
    }
    return {
      ...testTimes,
      ...own,
      clock: watched,
      inbox: mortal(own.inbox, {
        stillAlive,
        beforeStore() {
          if (isFailing) throw new Error('the test probe makes the store fail')
        },
      }),
      async onEvent(turn) {
        await worked(watched, delayMs, mine)
        stillAlive()
        await own.onEvent(turn)
        stillAlive()
        if (turn.position !== 'history') await note(mine, turn.message.id)
      },
    }
  }

  async function note({ acted }: Life, id: string): Promise<void> {
    const isFirst = !acted.has(id)
    acted.add(id)
    const isKnown = isFirst && (await effects.counts([id])).some(({ count }) => count > 0)
    if (!isKnown) await effects.add(id)
  }

  async function restartWith(make: () => void | Promise<void>): Promise<void> {
    const old = life
    if (old !== null) old.isAlive = false
    await make()
    if (life === old)
      throw new TypeError('expected restart to call createReceiver(probe.watch(options)) again')
  }

  async function act(asked: Asked): Promise<ReceiverAnswer> {
    switch (asked.do) {
      case 'read':
        return json(await read(texts(asked.ids), texts(asked.reviewCaseIds)))
      case 'clock':
        now = typeof asked.now === 'number' ? asked.now : null
        return json({})
      case 'delay':
        delayMs = Number(asked.ms)
        return json({})
      case 'storeFailure':
        isFailing = asked.on === true
        return json({})
      case 'restart':
        if (restart === undefined) return refusalAnswer('unreadable_body')
        await restartWith(restart)
        return json({})
      default:
        return refusalAnswer('unreadable_body')
    }
  }

  async function read(ids: readonly string[], reviewCaseIds: readonly string[]): Promise<object> {
    if (life === null)
      throw new TypeError('expected createReceiver(probe.watch(options)) before the first read')
    const { inbox } = life
    const has = await inbox.has(ids)
    const heads = []
    for (const id of reviewCaseIds) {
      const head = await inbox.head(id)
      if (head !== null) heads.push(head)
    }
    return {
      stored: ids.flatMap((id, at) => (has[at] ? [{ id }] : [])),
      effects: await effects.counts(ids),
      heads,
      can: restart === undefined ? abilities : [...abilities, 'restart'],
    }
  }

  const refuse = refusalAnswer
  const endpoint: Endpoint = {
    maxBodyBytes: 1_048_576,
    ackDeadlineMs: 8_000,
    clock: systemClock,
    room: createBodyRoom(1_048_576),
    refuse,
    storing: () => 0,
    screen: ({ method }) => (method === 'POST' ? null : refuse('method_not_allowed')),
    async answer({ method, body }) {
      if (method !== 'POST') return refuse('method_not_allowed')
      try {
        return await act(JSON.parse(utf8.decode(body)) as Asked)
      } catch (error) {
        return { ...json({ error: String(error) }), status: 500 }
      }
    },
  }
  const drain = async (): Promise<Drained> => ({ handled: 0, failed: 0 })
  return { endpoint, fetch: fetchHandler({ endpoint }), drain, watch }
}

const json = (value: object): ReceiverAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const sliceMs = 20

/** Takes so long, unless the life ends before. */
async function worked(clock: Clock, ms: number, life: Life): Promise<void> {
  const end = clock.monotonic() + ms
  for (let left = ms; left > 0 && life.isAlive; left = end - clock.monotonic())
    await new Promise<void>((resolve) => void clock.after(Math.min(left, sliceMs), resolve))
}

/** Of a dead life every call rejects, also one that ended after its death: nobody was left to hear it. */
function mortal(
  inbox: Inbox,
  {
    stillAlive,
    beforeStore,
  }: { readonly stillAlive: () => void; readonly beforeStore: () => void },
): Inbox {
  const living = async <T>(call: () => Promise<T>): Promise<T> => {
    stillAlive()
    const result = await call()
    stillAlive()
    return result
  }
  return {
    store: (entry) =>
      living(async () => {
        beforeStore()
        return inbox.store(entry)
      }),
    take: (query) => living(() => inbox.take(query)),
    hold: (turns, until) => living(() => inbox.hold(turns, until)),
    handled: (turn, at) => living(() => inbox.handled(turn, at)),
    failed: (turn, retryAt, reason) => living(() => inbox.failed(turn, retryAt, reason)),
    head: (id) => living(() => inbox.head(id)),
    has: (ids) => living(() => inbox.has(ids)),
    close: () => inbox.close(),
  }
}

function memoryEffects(): EffectLog {
  const counts = new Map<string, number>()
  return {
    add: (id) => void counts.set(id, (counts.get(id) ?? 0) + 1),
    counts(ids) {
      const asked = new Set(ids)
      return [...counts].flatMap(([id, count]) => (asked.has(id) ? [{ id, count }] : []))
    },
  }
}
