import type { Clock } from '../base/ports/clock.ts'
import type { AttemptRecord, Delivery } from './records.ts'

/** Those who wait for the next outcome of one delivery. */
export function createWatch(clock: Clock) {
  const waiting = new Map<string, Set<(record: AttemptRecord | null) => void>>()
  const name = (endpointId: string, messageId: string) => `${endpointId} ${messageId}`

  return {
    next: (endpointId: string, messageId: string, withinMs: number) =>
      new Promise<AttemptRecord | null>((resolve) => {
        const key = name(endpointId, messageId)
        const calls = waiting.get(key) ?? new Set()
        waiting.set(key, calls)
        const call = (record: AttemptRecord | null) => {
          cancel()
          calls.delete(call)
          if (calls.size === 0) waiting.delete(key)
          resolve(record)
        }
        const cancel = clock.after(withinMs, () => call(null))
        calls.add(call)
      }),
    /** The delivery was settled; null when nothing was sent. */
    tell(delivery: Delivery, record: AttemptRecord | null): void {
      if (waiting.size === 0) return
      const calls = waiting.get(name(delivery.endpointId, delivery.messageId))
      for (const call of [...(calls ?? [])]) call(record)
    },
  }
}
