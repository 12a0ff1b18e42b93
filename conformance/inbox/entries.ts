import type { CasePosition, InboxEntry, TurnKey } from '@countersign/core/ports'

export const start = 1_800_000_000_000

const utf8 = new TextEncoder()

export function entry(id: string, more: Partial<InboxEntry> = {}): InboxEntry {
  return {
    id,
    topic: 'event',
    type: 'review.case.created',
    position: null,
    body: utf8.encode(`{"id":"${id}"}`),
    receivedAt: start,
    ...more,
  }
}

export function at(reviewCaseId: string, caseVersion: number, eventSequence: number): CasePosition {
  return { reviewCaseId, caseVersion, eventSequence }
}

export function turnOf(id: string, attempt = 1): TurnKey {
  return { id, attempt }
}
