import type { ReceiverEvents, ReceiverObserver } from './observed-events.ts'

const problems: ReadonlySet<keyof ReceiverEvents> = new Set<keyof ReceiverEvents>([
  'receiver.refused',
  'receiver.store_slow',
  'receiver.store_failed',
  'receiver.unreadable',
  'receiver.body_differs',
  'receiver.on_problem_failed',
  'handler.failed',
  'handler.stale_completion',
  'inbox.failed',
])

/** An observer that logs problems, one line each, to `write` (default `console.warn`). Facts hold no secrets or bodies. */
export function logProblems(write: (line: string) => void = console.warn): ReceiverObserver {
  return {
    event(name, fields) {
      if (problems.has(name)) write(`countersign ${name} ${JSON.stringify(fields)}`)
    },
  }
}
