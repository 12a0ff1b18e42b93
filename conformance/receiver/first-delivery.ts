import type { Exchange } from './client.ts'
import { reviewEvent } from './messages.ts'
import { createSession, isSuccess, outcome } from './session.ts'
import type { Target } from './target.ts'

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
    if (first.unusable === null || performance.now() - startedAt >= waitMs) return first
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function tryOnce(target: Target): Promise<FirstDelivery> {
  const { id, exchange } = await deliverPlain(target)
  const { status, ms } = exchange
  if (status === null)
    return { id, unusable: `no answer to a plain delivery: ${outcome(exchange)}` }
  if (!isSuccess(status))
    return {
      id,
      unusable: `a plain, properly signed event got ${outcome(exchange)}: does the receiver have the key, the right path, and the right time?`,
    }
  if (ms > target.deadlineMs) return { id, unusable: `a plain delivery took ${Math.round(ms)} ms` }
  return { id, unusable: null }
}

export async function deliverPlain(target: Target): Promise<{ id: string; exchange: Exchange }> {
  const event = reviewEvent()
  const message = createSession(target, () => target.settleMs).sign(event)
  target.tally.deliveries += 1
  const exchange = await target.client.send(message)
  target.tally.plainMs.push(exchange.ms)
  target.tally.firstEvent ??= event
  return { id: message.id, exchange }
}

const fewPlain = 3
const quickEffectsMs = 300

/** Whether the effects of a few events show soon; a receiver that works one by one would have a burst's queue for minutes. */
export async function actsQuickly(target: Target): Promise<boolean> {
  if (!target.has.has('effects')) return true
  const ids: string[] = []
  for (let sent = 0; sent < fewPlain; sent++) ids.push((await deliverPlain(target)).id)
  const startedAt = performance.now()
  while (performance.now() - startedAt < quickEffectsMs) {
    const { effects = [] } = await target.read({ ids, reviewCaseIds: [] })
    if (ids.every((id) => effects.some((effect) => effect.id === id))) return true
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return false
}
