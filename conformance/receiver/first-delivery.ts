import { quickAnswerMs } from './budget.ts'
import type { Exchange } from './client.ts'
import { isHeldUp } from './lag.ts'
import { reviewEvent } from './messages.ts'
import { createSession, isSuccess, outcome } from './session.ts'
import type { Target } from './target.ts'
import { allTypes, eventOf, familiesOf, familyOf, typeOf } from './types.ts'

export interface FirstDelivery {
  readonly id: string
  /** Why nothing can be judged; null for a receiver that takes a plain event. */
  readonly unusable: string | null
}

/** A plain, properly signed event: a receiver that does not take it would pass every test of what must be refused. */
export async function firstDelivery(target: Target, waitMs: number): Promise<FirstDelivery> {
  const startedAt = performance.now()
  for (;;) {
    const first = await tryOnce(target)
    const waitedMs = performance.now() - startedAt
    if (first.unusable === null || (waitedMs >= waitMs && !first.isHeldUp)) return first
    if (performance.now() > target.until) return first
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function tryOnce(target: Target): Promise<FirstDelivery & { readonly isHeldUp: boolean }> {
  const { deadlineMs } = target
  const { id, exchange } = await deliverPlain(target)
  return {
    id,
    unusable: unusableFor(exchange, deadlineMs),
    isHeldUp: isHeldUp(exchange, deadlineMs),
  }
}

function unusableFor(exchange: Exchange, deadlineMs: number): string | null {
  const { status, ms } = exchange
  if (status === null) return `no answer to a plain delivery: ${outcome(exchange)}`
  if (!isSuccess(status))
    return `a plain, properly signed event got ${outcome(exchange)}: does the receiver have the key, the right path, and the right time?`
  return ms > deadlineMs ? `a plain delivery took ${Math.round(ms)} ms` : null
}

export async function deliverPlain(target: Target): Promise<{ id: string; exchange: Exchange }> {
  const event = reviewEvent()
  const message = createSession(target).sign(event)
  target.tally.deliveries += 1
  const exchange = await target.client.send(message)
  const { status, ms } = exchange
  // Before the receiver listens, or has its key, nothing is stored and nothing says how fast it is.
  if (status !== null && isSuccess(status)) {
    target.tally.plainMs.push(ms)
    if (target.tally.firstEvents.length === 0) target.tally.firstEvents.push(event)
  }
  return { id: message.id, exchange }
}

const fewPlain = 8
const mostEffectMs = 2_500

/**
 * Ms from the answers to a few events that came together until all had their effects, at most 2,500; 0 where the probe
 * tells no effects, or where the first answer took long: that receiver works before it answers.
 */
export async function effectMsOf(target: Target): Promise<number> {
  if (!target.has.has('effects') || Math.min(...target.tally.plainMs) > quickAnswerMs) return 0
  const deliveries = Array.from({ length: fewPlain }, () => deliverPlain(target))
  const ids = (await Promise.all(deliveries)).map(({ id }) => id)
  const startedAt = performance.now()
  for (let elapsed = 0; elapsed < mostEffectMs; elapsed = performance.now() - startedAt) {
    const { effects = [] } = await target.read({ ids, reviewCaseIds: [] })
    if (ids.every((id) => effects.some((effect) => effect.id === id)))
      return performance.now() - startedAt
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return mostEffectMs
}

/** Ms of a plain answer between which it is worth to see how long several take. */
const [leastSeveralMs, mostSeveralMs] = [10, 500]

/** Ms that a few plain deliveries took that came together; infinite where that was not tried, or one was refused. */
export async function severalMsOf(target: Target): Promise<number> {
  const answerMs = Math.min(...target.tally.plainMs)
  if (!(answerMs >= leastSeveralMs && answerMs <= mostSeveralMs)) return Number.POSITIVE_INFINITY
  const several = Array.from({ length: fewPlain }, () => deliverPlain(target))
  const exchanges = (await Promise.all(several)).map(({ exchange }) => exchange)
  if (!exchanges.every(({ status }) => status !== null && isSuccess(status)))
    return Number.POSITIVE_INFINITY
  return Math.max(...exchanges.map(({ ms }) => ms))
}

const leastActMs = 1_000
/** A receiver that takes longer for each answer has better things to do with its time. */
const mostActAnswerMs = 200
const actFactor = 4

/**
 * Has one event of each type beside those of review events read, with nothing beside it: of a type on which the receiver
 * is seen to act, it has to act on every event, whatever else goes on. Which of them mean anything to it is its own
 * business. Where each answer takes long, one event of each family is sent, and whether it acts on them is not tried.
 */
export async function learnActs(target: Target, effectMs: number): Promise<void> {
  const { client, tally, has, read } = target
  if (!has.has('effects')) return
  const isSlow = Math.min(...tally.plainMs) > mostActAnswerMs
  const session = createSession(target)
  const all = allTypes.filter((type) => familyOf(type) !== 'review')
  const types = isSlow ? familiesOf(all).map((family) => typeOf(all, family)) : all
  const events = types.map((type) => eventOf(type))
  tally.deliveries += events.length
  const answers = await Promise.all(events.map((event) => client.send(session.sign(event))))
  for (const family of familiesOf(types)) {
    const at = types.findIndex((type) => familyOf(type) === family)
    const [event, status] = [events[at], answers[at]?.status ?? null]
    if (event && status !== null && isSuccess(status)) tally.firstEvents.push(event)
  }
  if (isSlow) return
  tally.triedActs = true
  const ids = events.map(({ id }) => id)
  const end = performance.now() + Math.min(mostEffectMs, Math.max(leastActMs, actFactor * effectMs))
  while (!types.every((type) => tally.acted.has(type)) && performance.now() < end) {
    await read({ ids, reviewCaseIds: [] })
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
