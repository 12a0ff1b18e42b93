import type { LegacyKey, SigningKey } from '@countersign/core/signing'
import type { Client, Exchange } from './client.ts'
import { allStored, eachOnce, fail, noneTwice, OutOfTime } from './expectations.ts'
import {
  type Body,
  bytesOf,
  type Event,
  freshId,
  hasUsableId,
  labelOf,
  legacySigned,
  reviewEvent,
  type Signed,
  short,
  signed,
} from './messages.ts'
import type { Asked, Sighting } from './probe.ts'
import { seesProgress } from './progress.ts'
import { type Target, traceOf } from './target.ts'
import { eventOf, type FamilyCounts, familyOf, noFamilies, typeAt } from './types.ts'
import { type Wire, wireOf } from './wire.ts'

export interface SignChoice {
  /** Which of the receiver's keys signs, counted around; the first unless given. */
  readonly key?: number
  readonly keys?: readonly SigningKey[]
  readonly timestamp?: string
}

/** One history at the receiver: what is sent, what is expected of it, and the transcript of both. */
export interface Session {
  readonly target: Target
  readonly deliveries: () => number
  readonly transcript: () => readonly string[]
  readonly exchanges: () => readonly Wire[]
  key(at: number): SigningKey
  legacyKey(): LegacyKey
  /**
   * An event with its own members changed: of the next family in turn where the property is about every family, and
   * else the plain one of a review case.
   */
  event(change?: Body): Event
  sign(event: Event, choice?: SignChoice): Signed
  /** Signs bytes that need not be an event. */
  signBytes(id: string, body: Uint8Array, label: string, choice?: SignChoice): Signed
  signLegacy(event: Event): Signed
  /** Sends and records; `expect` tells what was expected, or null when it came. */
  post(
    message: Signed,
    expect: (exchange: Exchange) => string | null,
    over?: Client,
  ): Promise<Exchange>
  /** Expects 2xx within the deadline. */
  accept(message: Signed): Promise<Exchange>
  /**
   * Has all of them under way at once: each sends its headers and half of its body, and when all have, the rest
   * follows. Expects nothing by itself; `each` is called as an answer comes.
   */
  together(
    messages: readonly Signed[],
    each?: (message: Signed, exchange: Exchange) => Promise<void>,
  ): Promise<readonly Exchange[]>
  /** Sends many, a few at a time, as one line of the transcript; expects 2xx for each. */
  flood(messages: readonly Signed[], what: string): Promise<void>
  /**
   * Expects an answer that is not 2xx. Its id must leave no trace, unless `known` says that it is also the id of a
   * message that is accepted; `cut` lets the receiver cut the connection instead of answering.
   */
  refuse(message: Signed, how?: { known?: boolean; cut?: boolean }): Promise<Exchange>
  /** What this message says must leave no trace. */
  ban(id: string): void
  /** Records what happens besides deliveries. */
  tell(line: string): void
  /** Reads until `check` has nothing to say any more; what it throws, or says for too long, fails the history. */
  settle(
    asked: Partial<Asked>,
    check: (seen: Sighting) => string | null,
    how?: { afterKill?: boolean },
  ): Promise<Sighting>
  /**
   * Nothing to say once each of these events is stored and had its effect, once; an event of a type on which the
   * receiver was never seen to act may have none.
   */
  eachOnce(ids: readonly string[]): (seen: Sighting) => string | null
  /** Those of these events that must have an effect. */
  acting(ids: readonly string[]): readonly string[]
  read(asked: Partial<Asked>): Promise<Sighting>
  /** Fails when a refused message of this history left a trace. */
  expectNoTrace(): Promise<void>
}

const floodLanes = 16
/** For the first halves of what is sent together to be read. */
const togetherMs = 20
const mostTogetherMs = 1_000
/** Of the time of a plain answer, what one more connection may take to be accepted beside hundreds. */
const acceptFactor = 4
/** Of more requests at once a report shows none. */
const fewTogether = 30

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** How a session goes about its history. */
export interface SessionOptions {
  /** How long a read may take to show what is expected, ms; the target's `settleMs` unless given. */
  readonly patienceMs?: () => number
  /**
   * Whether that is extended, for a receiver that is seen to work through what it accepted before, but not beyond
   * `until`; no unless given.
   */
  readonly isExtended?: () => boolean
  readonly until?: number
  /** Where among the types its events begin; null, as it is unless given, for plain events of review cases. */
  readonly start?: number | null
  /** What it signs is counted here. */
  readonly families?: FamilyCounts
}

export function createSession(target: Target, options: SessionOptions = {}): Session {
  const { patienceMs = () => target.settleMs, isExtended = () => false } = options
  const { until = target.until, start = null, families = noFamilies() } = options
  let events = 0
  const { keys, client, tally, deadlineMs } = target
  const lines: string[] = []
  // Holes are what a flood sent, or what was not answered yet.
  const wires: (Wire | undefined)[] = []
  const banned = new Set<string>()
  let sent = 0

  const key = (at: number): SigningKey => {
    const found = keys.standard[at % keys.standard.length]
    return found ?? fail('the suite was given no key')
  }
  const keysOf = ({ key: at = 0, keys: chosen }: SignChoice) => chosen ?? [key(at)]

  const session: Session = {
    target,
    deliveries: () => sent,
    transcript: () => lines,
    exchanges: () => wires.flatMap((wire) => wire ?? []),
    key,
    legacyKey: () => keys.legacy ?? fail('the suite was given no secret of the legacy family'),

    event(change = {}) {
      if (start === null) return reviewEvent(change)
      const type = typeAt(start + events++)
      // Of its own, for a receiver may keep one state of a subscription and see no more than one change of it.
      const own = familyOf(type) === 'subscription' ? { subscriptionId: freshId('wh') } : {}
      return eventOf(type, { ...own, ...change })
    },

    sign(event, choice = {}) {
      families[familyOf(event.type)] += 1
      tally.types.set(event.id, event.type)
      return session.signBytes(event.id, bytesOf(JSON.stringify(event)), labelOf(event), choice)
    },

    signBytes(id, body, label, choice = {}) {
      const { timestamp } = choice
      tally.sentMalformed ||= !hasUsableId(body)
      return signed({
        id,
        body,
        keys: keysOf(choice),
        label,
        ...(timestamp !== undefined && { timestamp }),
      })
    },

    signLegacy: (event) => legacySigned(event, session.legacyKey()),

    async post(message, expect, over = client) {
      const at = lines.push('') - 1
      const number = sent
      sent += 1
      tally.deliveries += 1
      const sending = `${sent}. ${message.method} ${message.label}`
      lines[at] = `${sending} → (no answer yet)`
      const exchange = await over.send(message)
      wires[number] = wireOf(message, exchange)
      const problem = expect(exchange)
      lines[at] = `${sending} → ${outcome(exchange)}${problem === null ? '' : `  ✗ ${problem}`}`
      if (problem !== null) fail(`${message.label}: ${problem}, got ${outcome(exchange)}`)
      return exchange
    },

    async accept(message) {
      const exchange = await session.post(message, (came) => notAccepted(came, deadlineMs))
      tally.accepted.set(message.id, performance.now())
      return exchange
    },

    async together(messages, each = async () => {}) {
      const first = sent
      sent += messages.length
      tally.deliveries += messages.length
      const held = messages.map((message) =>
        client.hold(message, Math.floor(message.body.length / 2)),
      )
      await Promise.all(held.map((one) => one.sent))
      // On their way is not yet read: one that is sent whole after them is answered when they are, or when all
      // workers of the receiver wait for bodies.
      const last = client.hold(session.sign(reviewEvent()), 0)
      tally.deliveries += 1
      const acceptMs = acceptFactor * Math.min(...tally.plainMs) * messages.length
      await Promise.race([last.finish(), pause(mostTogetherMs + acceptMs)])
      await pause(togetherMs)
      const results = await Promise.allSettled(
        messages.map(async (message, at) => {
          const exchange = (await held[at]?.finish()) ?? fail('no connection was opened')
          if (messages.length <= fewTogether) wires[first + at] = wireOf(message, exchange)
          await each(message, exchange)
          return exchange
        }),
      )
      const rejected = results.find((result) => result.status === 'rejected')
      if (rejected !== undefined) throw rejected.reason
      return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    },

    async flood(messages, what) {
      const queue = [...messages]
      let problem: string | null = null
      const lane = async () => {
        for (let next = queue.shift(); next && problem === null; next = queue.shift()) {
          if (performance.now() > until) throw new OutOfTime()
          sent += 1
          tally.deliveries += 1
          const exchange = await client.send(next)
          tally.accepted.set(next.id, performance.now())
          const wrong = notAccepted(exchange, deadlineMs)
          if (wrong !== null) problem ??= `${next.label}: ${wrong}, got ${outcome(exchange)}`
        }
      }
      const results = await Promise.allSettled(Array.from({ length: floodLanes }, lane))
      for (const result of results) if (result.status === 'rejected') throw result.reason
      session.tell(`${messages.length} deliveries of ${what}, ${floodLanes} at a time`)
      if (problem !== null) fail(problem)
    },

    async refuse(message, { known = false, cut = false } = {}) {
      const exchange = await session.post(message, ({ status }) => {
        if (status === null) return cut ? null : 'expected an answer that refuses it'
        return isSuccess(status) ? 'expected a refusal' : null
      })
      if (!known) session.ban(message.id)
      return exchange
    },

    ban(id) {
      banned.add(id)
      tally.banned.set(id, session.transcript)
    },

    tell: (line) => void lines.push(`   ${line}`),

    acting: (ids) =>
      ids.filter((id) => {
        const type = tally.types.get(id)
        return type === undefined || familyOf(type) === 'review' || tally.acted.has(type)
      }),

    eachOnce(ids) {
      const acting = session.acting(ids)
      const rest = ids.filter((id) => !acting.includes(id))
      return (seen) => eachOnce(acting)(seen) ?? noneTwice(rest)(seen) ?? allStored(rest)(seen)
    },

    read: ({ ids = [], reviewCaseIds = [] }) => target.read({ ids, reviewCaseIds }),

    async settle(asked, check, { afterKill = false } = {}) {
      const most = () => (afterKill && isExtended() ? target.resumeMs : patienceMs())
      const end = afterKill ? target.until : until
      let startedAt = performance.now()
      const hasMoved = seesProgress(target)
      for (let wait = 1; ; wait = Math.min(wait * 2, 100)) {
        const seen = await session.read(asked)
        const problem = check(seen)
        const elapsed = performance.now() - startedAt
        if (problem === null) {
          if (!afterKill) tally.slowestSettle = Math.max(tally.slowestSettle, elapsed)
          return seen
        }
        if (isExtended() && (await hasMoved(elapsed / most()))) {
          if (performance.now() > end) throw new OutOfTime()
          startedAt = performance.now()
        } else if (elapsed > most()) {
          session.tell(`read after ${Math.round(elapsed)} ms: ${problem}`)
          return fail(problem)
        }
        await pause(wait)
      }
    },

    async expectNoTrace() {
      if (banned.size === 0) return
      const seen = await session.read({ ids: [...banned] })
      for (const id of banned) {
        const trace = traceOf(id, seen)
        if (trace !== null) fail(`${short(id)} had to be refused and ${trace}`)
      }
    },
  }
  return session
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

function notAccepted({ status, ms }: Exchange, deadlineMs: number): string | null {
  if (status === null || !isSuccess(status)) return 'expected 2xx'
  return ms > deadlineMs ? `expected 2xx within ${deadlineMs} ms` : null
}

export function outcome({ status, error, ms, body }: Exchange): string {
  const time = `in ${Math.round(ms)} ms`
  if (status === null) return `${error} ${time}`
  const trimmed = body.trim().replaceAll(/\s+/g, ' ')
  const text = trimmed.startsWith('<') ? '(a page)' : trimmed
  return `${status} ${time}${text === '' ? '' : ` ${text.slice(0, 80)}`}`
}

export { allStored, eachOnce, effectOf, fail, keptAsSent, OutOfTime } from './expectations.ts'
