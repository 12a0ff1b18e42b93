import { comparePositions, type Position } from '@countersign/core/events'

/** What an event does to the head of its case. */
export type Fold<P extends Position = Position> =
  /** The new head. `skipped` numbers lie between: they may come late, and steps without a public event never come. */
  | {
      readonly kind: 'head'
      readonly head: P
      readonly previous: P | null
      readonly skipped: number
    }
  /** The head once more. */
  | { readonly kind: 'same'; readonly head: P }
  /** Below the head: history. */
  | { readonly kind: 'stale'; readonly head: P }

/** Folds one event into its case: the highest (caseVersion, then eventSequence) is the head, in whatever order they come. */
export function fold<P extends Position>(head: P | null, event: P): Fold<P> {
  if (head === null)
    return {
      kind: 'head',
      head: event,
      previous: null,
      skipped: Math.max(0, event.eventSequence - 1),
    }
  const order = comparePositions(event, head)
  if (order === 0) return { kind: 'same', head }
  if (order < 0) return { kind: 'stale', head }
  const skipped = Math.max(0, event.eventSequence - head.eventSequence - 1)
  return { kind: 'head', head: event, previous: head, skipped }
}
