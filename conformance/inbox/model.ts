import type {
  CaseHead,
  CasePosition,
  Inbox,
  InboxEntry,
  InboxTurn,
  Settled,
  Stored,
  TurnKey,
} from '@countersign/core/ports'

interface Kept {
  readonly entry: InboxEntry
  turnAt: number
  attempts: number
  held: boolean
  handled: boolean
}

type Take = Parameters<Inbox['take']>[0]

/** The inbox as its port describes it, written for reading: lists and loops, no index, no promise. */
export function createInboxModel() {
  const kept: Kept[] = []
  const heads = new Map<string, CaseHead>()
  const find = (id: string) => kept.find(({ entry }) => entry.id === id)
  const findTurn = ({ id, attempt }: TurnKey) =>
    kept.find((one) => one.entry.id === id && one.attempts === attempt && one.held)

  function raise(position: CasePosition): CaseHead {
    const current = heads.get(position.reviewCaseId)
    const higher =
      !current ||
      position.caseVersion > current.head.caseVersion ||
      (position.caseVersion === current.head.caseVersion &&
        position.eventSequence > current.head.eventSequence)
    if (!higher) return current
    const change = { head: position, previous: current?.head ?? null }
    heads.set(position.reviewCaseId, change)
    return change
  }

  return {
    store(entry: InboxEntry): Stored {
      const before = find(entry.id)
      if (before)
        return { kind: 'duplicate', sameBody: before.entry.body.join() === entry.body.join() }
      kept.push({ entry, turnAt: entry.receivedAt, attempts: 0, held: false, handled: false })
      return { kind: 'stored' }
    },
    head: (reviewCaseId: string): CasePosition | null => heads.get(reviewCaseId)?.head ?? null,
    take({ topic, now, holdUntil, limit }: Take): InboxTurn[] {
      const turns: InboxTurn[] = []
      const waiting = kept.filter(({ handled }) => !handled)
      const busy = new Set(
        waiting
          .filter(({ held, turnAt }) => held && turnAt > now)
          .map(({ entry }) => entry.position?.reviewCaseId),
      )
      busy.delete(undefined)
      const due = waiting
        .filter(({ entry, turnAt }) => entry.topic === topic && turnAt <= now)
        .sort((a, b) => a.turnAt - b.turnAt)
      for (const one of due) {
        const { position } = one.entry
        if (turns.length >= limit || busy.has(position?.reviewCaseId)) continue
        if (position) busy.add(position.reviewCaseId)
        one.attempts += 1
        one.held = true
        one.turnAt = holdUntil
        turns.push({
          entry: one.entry,
          attempt: one.attempts,
          caseHead: position && raise(position),
        })
      }
      return turns
    },
    /** How often the entry was handed out: the attempt of its newest turn. */
    attempts: (id: string): number => find(id)?.attempts ?? 0,
    hold(turns: readonly TurnKey[], until: number): void {
      for (const turn of turns) {
        const one = findTurn(turn)
        if (one) one.turnAt = until
      }
    },
    handled(turn: TurnKey): Settled {
      const one = findTurn(turn)
      if (!one) return 'stale'
      one.held = false
      one.handled = true
      return 'settled'
    },
    failed(turn: TurnKey, retryAt: number): Settled {
      const one = findTurn(turn)
      if (!one) return 'stale'
      one.held = false
      one.turnAt = retryAt
      return 'settled'
    },
    has: (ids: readonly string[]): boolean[] => ids.map((id) => find(id) !== undefined),
  }
}

export type InboxModel = ReturnType<typeof createInboxModel>
