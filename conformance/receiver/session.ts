import type { SigningKey } from '@countersign/core/signing'
import type { Exchange } from './client.ts'
import { allStored, eachOnce, fail, noneTwice, OutOfTime } from './expectations.ts'
import { isHeldUp } from './lag.ts'
import {
  bytesOf,
  hasUsableId,
  labelOf,
  legacySigned,
  reviewEvent,
  short,
  signed,
} from './messages.ts'
import { seesProgress } from './progress.ts'
import type { Session, SessionOptions, SignChoice } from './session-forms.ts'
import { type Target, traceOf } from './target.ts'
import { eventOf, familyOf, noFamilies, typeAt } from './types.ts'
import { type Wire, wireOf } from './wire.ts'

const floodLanes = 16
/** For the first halves of what is sent together to be read. */
const togetherMs = 20
const mostTogetherMs = 1_000
/** Of the time of a plain answer, what one more connection may take to be accepted beside hundreds. */
const acceptFactor = 4
/** On a busy machine, as a multiple of the time that an effect may take, how long it is waited for. */
const lagFactor = 4
/** Of more requests at once a report shows none. */
const fewTogether = 30

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export function createSession(target: Target, options: SessionOptions = {}): Session {
  const { patienceMs = () => target.settleMs, isExtended = () => false } = options
  const { until = target.until, start = null, families = noFamilies() } = options
  let events = 0
  const { keys, client, tally, deadlineMs, lag } = target
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
      return eventOf(typeAt(target.types, start + events++), change)
    },

    message: (event) => target.messageOf(event),

    sign(event, choice = {}) {
      const message = target.messageOf(event)
      const { id, type } = message
      families[familyOf(type)] += 1
      tally.types.set(id, type)
      const { spell = (text) => text } = choice
      const body = bytesOf(spell(JSON.stringify(message)))
      return session.signBytes(id, body, labelOf(message), choice)
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
      if (problem !== null && isHeldUp(exchange, deadlineMs)) throw new OutOfTime()
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
          if (wrong !== null && isHeldUp(exchange, deadlineMs)) throw new OutOfTime()
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
      // What the machine was busy with is no time that the receiver had.
      const clock = () => performance.now() - lag.lagMs()
      const mostWaited = performance.now() + lagFactor * most()
      let startedAt = clock()
      const hasMoved = seesProgress(target)
      for (let wait = 1; ; wait = Math.min(wait * 2, 100)) {
        const seen = await session.read(asked)
        const problem = check(seen)
        const elapsed = clock() - startedAt
        if (problem === null) {
          if (!afterKill) tally.slowestSettle = Math.max(tally.slowestSettle, elapsed)
          return seen
        }
        if (isExtended() && (await hasMoved(elapsed / most()))) {
          if (performance.now() > end) throw new OutOfTime()
          startedAt = clock()
        } else if (elapsed > most()) {
          session.tell(`read after ${Math.round(elapsed)} ms: ${problem}`)
          return fail(problem)
        } else if (performance.now() > Math.max(mostWaited, end)) throw new OutOfTime()
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
export type { Session } from './session-forms.ts'
