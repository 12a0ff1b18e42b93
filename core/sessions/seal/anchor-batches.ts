import type { AnchorEntry, Anchoring, AnchorLedger } from '../../base/ports/anchor.ts'
import type { Versioned } from '../../base/ports/store.ts'
import type { TimeStampAuthority } from '../../base/ports/time-stamps.ts'
import { type Anchor, anchors, type Batch, batches } from '../../content/seal-records.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { list, many, one } from '../../kernel/ledger/reads.ts'
import { queryOf } from '../../kernel/query.ts'
import { handler, type WorkHandler } from '../../kernel/work/handler.ts'
import { anchorHashOf } from '../../proof/commitment.ts'
import {
  anchorKind,
  anchorRefreshKind,
  ensureScheduled,
  sealAfter,
  sealDelayMs,
  sealKind,
  timeStampKind,
  workItem,
} from '../work-kinds.ts'
import { stampAfter } from './stamp-anchors.ts'

/** Batches that one commit anchors, and entries that one asks for. */
const most = 50
/** A ledger elsewhere is asked so often what became of an entry. */
export const refreshEveryMs: number = 60_000

/** Where batches are anchored, and whether a time-stamping authority is asked to witness the entries. */
export interface Anchored {
  readonly anchors: AnchorLedger
  readonly timeStamps?: TimeStampAuthority
}

/** Writes the commitments of a tenant's batches into the ledger. */
export function createAnchoring({ anchors: ledger, timeStamps }: Anchored): WorkHandler {
  return handler({
    kind: anchorKind,
    run: async (unit, { tenantId }) => {
      const where = [['tenantId', '=', tenantId] as const, ['anchorDue', '>', 0] as const]
      const waiting = list(batches, { by: 'byAnchorDue', where, take: most })
      const ofTenant = [['tenantId', '=', tenantId] as const]
      const newest = list(anchors, { where: ofTenant, newest: true, take: 1 })
      const { due, last, refreshing, stamping } = await unit.ask({
        due: queryOf([waiting], ([found]) => many(batches, found)),
        last: queryOf([newest], ([found]) => one(anchors, found)?.row ?? null),
        refreshing: workItem(anchorRefreshKind, tenantId),
        stamping: workItem(timeStampKind, tenantId),
      })
      if (due.length === 0) return null
      const commitments = due.map(({ row: { commitment } }, at) => ({
        sequence: (last?.sequence ?? 0) + 1 + at,
        commitment,
      }))
      const made = await ledger.submit({
        tenantId,
        commitments,
        last: last && { entry: anchorEntry(last), entryHash: last.entryHash },
        now: unit.now,
      })
      for (const [at, was] of due.entries()) {
        const row = anchorRow(tenantId, checked(ledger, made[at], commitments[at]), {
          merkleRoot: was.row.merkleRoot,
          now: unit.now,
          isStamped: timeStamps !== undefined,
        })
        unit.put(anchors, row)
        unit.put(batches, { ...was.row, anchorDue: null, anchorSequence: row.sequence }, was)
      }
      for (const applicationId of submittersOf(due)) {
        const { sealing } = await unit.ask({ sealing: workItem(sealKind, applicationId) })
        unit.include(sealAfter({ tenantId, applicationId }, unit.now + sealDelayMs, sealing))
      }
      if (made.some(({ status }) => status === 'submitted')) {
        const work = { kind: anchorRefreshKind, ref: tenantId, tenantId, applicationId: null }
        unit.include(ensureScheduled({ ...work, due: unit.now + refreshEveryMs }, refreshing))
      }
      if (timeStamps && made.some(({ status }) => status !== 'submitted'))
        unit.include(stampAfter(tenantId, unit.now, stamping))
      return due.length === most ? unit.now : null
    },
  })
}

/** Applications whose batches have no leaf of the audit log: one of the service follows, which has. */
function submittersOf(due: readonly Versioned<Batch>[]): ReadonlySet<string> {
  const own = due.filter(({ row }) => row.auditPosition === null)
  return new Set(own.map(({ row }) => row.applicationId))
}

/** Asks the ledger again for entries that it had taken and not yet included. */
export function createAnchorRefresh({ anchors: ledger, timeStamps }: Anchored): WorkHandler {
  return handler({
    kind: anchorRefreshKind,
    run: async (unit, { tenantId }) => {
      const [found] = await unit.read([
        list(anchors, {
          by: 'byRefreshDue',
          where: [
            ['tenantId', '=', tenantId],
            ['refreshDue', '>', 0],
          ],
          take: most,
        }),
      ])
      // In the order of their due times: an entry that was asked for goes to the end.
      const [first] = many(anchors, found)
      if (!first) return null
      const due = many(anchors, found).filter(({ row }) => (row.refreshDue ?? 0) <= unit.now)
      const { stamping } = await unit.ask({ stamping: workItem(timeStampKind, tenantId) })
      let isThere = false
      for (const was of due) {
        const entry = anchorEntry(was.row)
        const answered = await ledger.refresh({ tenantId, entry, now: unit.now })
        const anchoring = checked(ledger, answered, entry)
        isThere ||= anchoring.status !== 'submitted'
        const { merkleRoot } = was.row
        const given = { merkleRoot, now: unit.now, isStamped: timeStamps !== undefined }
        unit.put(anchors, anchorRow(tenantId, anchoring, given), was)
      }
      if (timeStamps && isThere) unit.include(stampAfter(tenantId, unit.now, stamping))
      return due.length === 0 ? (first.row.refreshDue ?? unit.now) : unit.now
    },
  })
}

/** Throws for an answer that is about something else than was asked for: a broken port. */
function checked(
  { name }: AnchorLedger,
  anchoring: Anchoring | undefined,
  asked: Pick<AnchorEntry, 'sequence' | 'commitment'> | undefined,
): Anchoring {
  const { ledger, sequence, commitment, anchoredAt = '' } = anchoring?.entry ?? {}
  if (
    !anchoring ||
    ledger !== name ||
    sequence !== asked?.sequence ||
    commitment !== asked?.commitment ||
    anchoredAt !== isoTime(Date.parse(anchoredAt))
  )
    throw new Error(
      `the ledger ${name} answered for entry ${sequence} of ${ledger} (${commitment}) at ${anchoredAt}: expected ${asked?.sequence} (${asked?.commitment}) at a time in ISO 8601 UTC with milliseconds`,
    )
  return anchoring
}

function anchorRow(
  tenantId: string,
  { entry, status }: Anchoring,
  {
    merkleRoot,
    now,
    isStamped,
  }: { readonly merkleRoot: string; readonly now: number; readonly isStamped: boolean },
): Anchor {
  const { ledger, sequence, commitment, previousHash, anchoredAt, keyId, signature } = entry
  return {
    tenantId,
    sequence,
    ledger,
    commitment,
    merkleRoot,
    previousHash,
    anchoredAt: Date.parse(anchoredAt),
    keyId,
    signature,
    entryHash: anchorHashOf(entry),
    status,
    refreshDue: status === 'submitted' ? now + refreshEveryMs : null,
    timeStamp: null,
    // An entry that is only submitted may still become another.
    stampDue: isStamped && status !== 'submitted' ? now : null,
  }
}

/** An entry as the ledger has it. */
export function anchorEntry(anchor: Anchor): AnchorEntry {
  const { ledger, sequence, commitment, previousHash, anchoredAt, keyId, signature } = anchor
  return {
    anchorVersion: '1.0',
    ledger,
    sequence,
    commitment,
    previousHash,
    anchoredAt: isoTime(anchoredAt),
    keyId,
    signature,
  }
}
