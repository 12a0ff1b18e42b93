import type {
  CaseHead,
  HeadChange,
  Inbox,
  InboxEntry,
  InboxTurn,
  Stored,
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
  const heads = new Map<string, HeadChange>()
  const find = (id: string) => kept.find(({ entry }) => entry.id === id)

  return {
    store(entry: InboxEntry): Stored {
      const before = find(entry.id)
      if (before)
        return { kind: 'duplicate', sameBody: before.entry.body.join() === entry.body.join() }
      kept.push({ entry, turnAt: entry.receivedAt, attempts: 0, held: false, handled: false })
      return { kind: 'stored' }
    },
    head: (reviewCaseId: string): CaseHead | null => heads.get(reviewCaseId)?.head ?? null,
    raise(head: CaseHead): HeadChange {
      const current = heads.get(head.reviewCaseId)
      const higher =
        !current ||
        head.caseVersion > current.head.caseVersion ||
        (head.caseVersion === current.head.caseVersion &&
          head.eventSequence > current.head.eventSequence)
      if (!higher) return current
      const change = { head, previous: current?.head ?? null }
      heads.set(head.reviewCaseId, change)
      return change
    },
    take({ topic, now, holdUntil, limit }: Take): InboxTurn[] {
      const turns: InboxTurn[] = []
      const waiting = kept.filter(({ handled }) => !handled)
      const busy = new Set(
        waiting
          .filter(({ held, turnAt }) => held && turnAt > now)
          .map(({ entry }) => entry.reviewCaseId),
      )
      busy.delete(null)
      const due = waiting
        .filter(({ entry, turnAt }) => entry.topic === topic && turnAt <= now)
        .sort((a, b) => a.turnAt - b.turnAt)
      for (const one of due) {
        const { reviewCaseId } = one.entry
        if (turns.length >= limit || busy.has(reviewCaseId)) continue
        if (reviewCaseId !== null) busy.add(reviewCaseId)
        one.attempts += 1
        one.held = true
        one.turnAt = holdUntil
        turns.push({ entry: one.entry, attempt: one.attempts })
      }
      return turns
    },
    hold(ids: readonly string[], until: number): void {
      for (const one of kept) if (one.held && ids.includes(one.entry.id)) one.turnAt = until
    },
    handled(id: string): void {
      const one = find(id)
      if (one) one.handled = true
    },
    failed(id: string, retryAt: number): void {
      const one = find(id)
      if (!one) return
      one.held = false
      one.turnAt = retryAt
    },
    has: (ids: readonly string[]): boolean[] => ids.map((id) => find(id) !== undefined),
  }
}

export type InboxModel = ReturnType<typeof createInboxModel>
