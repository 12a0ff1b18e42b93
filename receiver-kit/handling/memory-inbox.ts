import type { CaseHead, CasePosition, Inbox, InboxEntry, TurnKey } from '@countersign/core/ports'
import { fold } from '../events/fold.ts'

interface Kept {
  readonly entry: InboxEntry
  turnAt: number
  attempts: number
  held: boolean
}

/** An inbox in memory, for tests: lost when the process ends. */
export function memoryInbox(): Inbox {
  const stored = new Map<string, Kept>()
  const waiting = new Map<string, Kept>()
  const heads = new Map<string, CaseHead>()
  let closed = false

  function raise(position: CasePosition): CaseHead {
    const current = heads.get(position.reviewCaseId)
    if (current && fold(current.head, position).kind !== 'head') return current
    const change = { head: position, previous: current?.head ?? null }
    heads.set(position.reviewCaseId, change)
    return change
  }

  function heldFor({ id, attempt }: TurnKey): Kept | null {
    const kept = waiting.get(id)
    return kept?.held && kept.attempts === attempt ? kept : null
  }

  return {
    async store(entry) {
      if (closed) throw new Error('the inbox is closed')
      const before = stored.get(entry.id)
      if (before) return { kind: 'duplicate', sameBody: equalBytes(before.entry.body, entry.body) }
      // A copy: the host may reuse the buffer.
      const kept = {
        entry: { ...entry, body: entry.body.slice() },
        turnAt: entry.receivedAt,
        attempts: 0,
        held: false,
      }
      stored.set(entry.id, kept)
      waiting.set(entry.id, kept)
      return { kind: 'stored' }
    },

    async take({ topic, now, holdUntil, limit }) {
      const busyCases = new Set<string>()
      const due: Kept[] = []
      for (const kept of waiting.values()) {
        if (kept.held && kept.turnAt > now) {
          if (kept.entry.position) busyCases.add(kept.entry.position.reviewCaseId)
        } else if (kept.entry.topic === topic && kept.turnAt <= now) due.push(kept)
      }
      const turns = []
      for (const kept of due.sort((a, b) => a.turnAt - b.turnAt)) {
        if (turns.length === limit) break
        const { position } = kept.entry
        if (position && busyCases.has(position.reviewCaseId)) continue
        if (position) busyCases.add(position.reviewCaseId)
        kept.held = true
        kept.turnAt = holdUntil
        kept.attempts += 1
        const caseHead = position && raise(position)
        turns.push({ entry: kept.entry, attempt: kept.attempts, caseHead })
      }
      return turns
    },

    async hold(turns, until) {
      for (const turn of turns) {
        const kept = heldFor(turn)
        if (kept) kept.turnAt = until
      }
    },

    async handled(turn) {
      if (!heldFor(turn)) return 'stale'
      waiting.delete(turn.id)
      return 'settled'
    },

    async failed(turn, retryAt) {
      const kept = heldFor(turn)
      if (!kept) return 'stale'
      kept.held = false
      kept.turnAt = retryAt
      return 'settled'
    },

    async head(reviewCaseId) {
      return heads.get(reviewCaseId)?.head ?? null
    },

    async has(ids) {
      return ids.map((id) => stored.has(id))
    },

    async close() {
      closed = true
    },
  }
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
