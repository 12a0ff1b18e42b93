import type { Clock, Inbox } from '@countersign/core/ports'
import { fetchHandler } from '../hosts/fetch.ts'
import type { ReceiverOptions } from '../receiver.ts'
import { type ReceiverAnswer, refusalAnswer } from '../receiving/answer.ts'
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
  /** The options of the receiver under test, watched: `createReceiver(probe.watch({ keys, inbox, onEvent }))`. */
  watch(options: ReceiverOptions): ReceiverOptions
}

type Asked = Readonly<Record<string, unknown>>

const utf8 = new TextDecoder('utf-8', { fatal: true })
const abilities = ['clock', 'delay', 'storeFailure'] as const
/** What a killed process held is free again soon, so that no test waits half a minute for it. */
const testTimes = { holdMs: 1_000, pollMs: 50 } as const

/** A probe of a receiver for the conformance suite, mounted by its host. */
export function createTestProbe(options: { readonly effects?: EffectLog } = {}): TestProbe {
  const { effects = memoryEffects() } = options
  let inbox: Inbox | null = null
  let now: number | null = null
  let delayMs = 0
  let isFailing = false

  function watch(own: ReceiverOptions): ReceiverOptions {
    const { clock = systemClock } = own
    inbox = own.inbox
    const watched: Clock = { ...clock, now: () => now ?? clock.now() }
    return {
      ...testTimes,
      ...own,
      clock: watched,
      inbox: failing(own.inbox, () => isFailing),
      async onEvent(turn) {
        if (delayMs > 0) await waited(watched, delayMs)
        await own.onEvent(turn)
        if (turn.position !== 'history') await effects.add(turn.message.id)
      },
    }
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
      default:
        return refusalAnswer('unreadable_body')
    }
  }

  async function read(ids: readonly string[], reviewCaseIds: readonly string[]): Promise<object> {
    if (inbox === null)
      throw new TypeError('expected createReceiver(probe.watch(options)) before the first read')
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
      can: abilities,
    }
  }

  const refuse = refusalAnswer
  const endpoint: Endpoint = {
    maxBodyBytes: 1_048_576,
    ackDeadlineMs: 8_000,
    clock: systemClock,
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
  return { endpoint, fetch: fetchHandler({ endpoint }), watch }
}

const json = (value: object): ReceiverAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const waited = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.after(ms, resolve))

function failing(inbox: Inbox, isFailing: () => boolean): Inbox {
  return {
    store: async (entry) => {
      if (isFailing()) throw new Error('the test probe makes the store fail')
      return inbox.store(entry)
    },
    take: (query) => inbox.take(query),
    hold: (turns, until) => inbox.hold(turns, until),
    handled: (turn, at) => inbox.handled(turn, at),
    failed: (turn, retryAt, reason) => inbox.failed(turn, retryAt, reason),
    head: (id) => inbox.head(id),
    has: (ids) => inbox.has(ids),
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
