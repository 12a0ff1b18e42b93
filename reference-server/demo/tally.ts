import type { ReviewEvent } from '@countersign/core/events'

/** What the sender's database says of one delivery of an event. */
export interface SentEvent {
  readonly id: string
  readonly status: string
  readonly body: Uint8Array
}

/** What the receiver's inbox keeps of one event. */
export interface KeptEvent {
  readonly id: string
  readonly body: Uint8Array
  /** How often it came; beyond the first they were dropped. */
  readonly copies: number
}

export interface Evidence {
  readonly cases: readonly { readonly reviewCaseId: string; readonly outcome: string }[]
  readonly sent: readonly SentEvent[]
  readonly kept: readonly KeptEvent[]
  readonly outcomesKept: readonly KeptEvent[]
}

/** The play in numbers; `lost` and `stale` must be 0. */
export interface Tally {
  readonly cases: number
  readonly events: number
  readonly deliveries: number
  readonly delivered: number
  readonly stored: number
  readonly duplicatesDropped: number
  readonly lost: number
  readonly stale: number
  readonly callbacks: number
  readonly outcomes: Readonly<Record<string, number>>
}

/** Holds the ledger of the sender beside the inbox of the receiver. */
export function tally({ cases, sent, kept, outcomesKept }: Evidence): Tally {
  const inbox = new Set(kept.map(({ id }) => id))
  const outcomes: Record<string, number> = {}
  for (const { outcome } of cases) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  return {
    cases: cases.length,
    events: new Set(sent.map(({ id }) => id)).size,
    deliveries: sent.length,
    delivered: sent.filter(({ status }) => status === 'delivered').length,
    stored: kept.length,
    duplicatesDropped: [...kept, ...outcomesKept].reduce((sum, { copies }) => sum + copies - 1, 0),
    lost: sent.filter(({ id }) => !inbox.has(id)).length,
    stale: staleCases(sent, kept).length,
    callbacks: outcomesKept.length,
    outcomes,
  }
}

/** Cases whose head at the receiver is below the highest of their public events. */
export function staleCases(
  sent: readonly SentEvent[],
  kept: readonly KeptEvent[],
): readonly string[] {
  const known = heads(kept)
  return [...heads(sent)]
    .filter(([reviewCaseId, head]) => {
      const seen = known.get(reviewCaseId)
      return !seen || comesBefore(seen, head)
    })
    .map(([reviewCaseId]) => reviewCaseId)
}

type Position = Pick<ReviewEvent, 'reviewCaseId' | 'caseVersion' | 'eventSequence'>

export function heads(
  events: readonly { readonly body: Uint8Array }[],
): ReadonlyMap<string, Position> {
  const highest = new Map<string, Position>()
  for (const { body } of events) {
    const event = JSON.parse(new TextDecoder().decode(body)) as Partial<Position>
    if (event.reviewCaseId === undefined) continue
    const position = event as Position
    const before = highest.get(position.reviewCaseId)
    if (!before || comesBefore(before, position)) highest.set(position.reviewCaseId, position)
  }
  return highest
}

function comesBefore(a: Position, b: Position): boolean {
  return (
    a.caseVersion < b.caseVersion ||
    (a.caseVersion === b.caseVersion && a.eventSequence < b.eventSequence)
  )
}
