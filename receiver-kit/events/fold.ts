import { comparePositions, type Position } from '@countersign/core/events'

/** Result of folding an event into its case. */
export type Fold<P extends Position = Position> =
  /** The new head. `skipped` sequence numbers lie between: late events, or steps without a public event. */
  | {
      readonly kind: 'head'
      readonly head: P
      readonly previous: P | null
      readonly skipped: number
    }
  /** The present head again. */
  | { readonly kind: 'same'; readonly head: P }
  /** Below the head: history. */
  | { readonly kind: 'stale'; readonly head: P }

/**
 * Folds one event into its case: the highest position is the head, whatever the order of arrival.
 *
 * @example
 * ```ts
 * import { fold } from '@countersign/receiver-kit'
 *
 * const head = { caseVersion: 3, eventSequence: 4 }
 * const late = fold(head, { caseVersion: 2, eventSequence: 2 })
 * console.log(late.kind) // stale
 * ```
 */
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
