import type { Outgoing } from '../../base/events/outgoing.ts'
import type { Put } from '../../base/ports/store.ts'
import type { SessionKey } from '../../content/records.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { type EventHead, legacyEvent } from '../events.ts'
import { type SessionFlag, sessionFlags } from './records.ts'

type NewFlag = Pick<SessionFlag, 'flag' | 'source' | 'severity' | 'note' | 'raisedBy'>

/** The put and the event of a new flag; the caller raises the session's `openFlags`. */
export function raiseFlag(
  { tenantId, applicationId, sessionId }: SessionKey,
  given: NewFlag,
  made: { readonly flagId: string; readonly head: EventHead },
): { readonly row: SessionFlag; readonly put: Put; readonly event: Outgoing } {
  const { flagId, head } = made
  const row: SessionFlag = {
    tenantId,
    applicationId,
    sessionId,
    flagId,
    ...given,
    state: 'open',
    raisedAt: head.at,
    clearedBy: null,
    clearedAt: null,
  }
  const { flag, severity, source } = row
  const flaggedAt = isoTime(head.at)
  return {
    row,
    put: put(sessionFlags, row, null),
    event: legacyEvent(head, 'session.flagged', {
      sessionId,
      flagId,
      flag,
      severity,
      source,
      flaggedAt,
    }),
  }
}
