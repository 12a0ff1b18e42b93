import { bytesToHex } from '@noble/hashes/utils.js'
import { authorizeMember } from '../access/authorize.ts'
import { type AuditEntry, auditLog } from '../ledger/audit.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { checkPage } from '../ledger/page.ts'
import { ok } from '../ledger/refusal.ts'
import type { Found, LogEntry, Read } from '../ports/store.ts'
import { chainStart } from '../store-kit/log-chain.ts'
import type { OrganizationDeps } from './deps.ts'
import type { OrganizationUseCases } from './use-cases.ts'
import type { AuditEntryView, AuditFilter } from './view.ts'

/** Entries that one answer looks at, at most, where it filters. */
const mostLookedAt = 10_000
/** Entries that one read brings. */
const piece = 500

interface Log {
  readonly tenantId: string
  readonly read: (reads: readonly Read[]) => Promise<readonly Found[]>
}

const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

/** The last `take` entries up to a position, the newest first; `take` of them or all. */
async function entriesUpTo(
  { tenantId, read }: Log,
  last: number,
  take: number,
): Promise<readonly AuditEntryView[]> {
  const after = Math.max(0, last - take)
  // One more, for the hash before the first.
  const from = Math.max(0, after - 1)
  const [found] = await read([
    { log: auditLog.name, partition: tenantId, after: from, take: last - from },
  ])
  const entries = (found?.rows ?? []).map(({ row }) => row as LogEntry)
  return entries
    .map((entry, at) => entryView(entry, entries[at - 1]?.hash ?? chainStart))
    .filter(({ position }) => position > after)
    .toReversed()
}

function entryView({ position, entry, hash }: LogEntry, previous: Uint8Array): AuditEntryView {
  const { at, actor, action, subject, detail } = JSON.parse(fromUtf8.decode(entry)) as AuditEntry
  const chain = { previousHash: bytesToHex(previous), hash: bytesToHex(hash) }
  return { position, at, actor, action, subject, detail, ...chain }
}

function fits(entry: AuditEntryView, filter: AuditFilter): boolean {
  const { actor, action, subject, from, until } = filter
  return (
    (actor === undefined || entry.actor === actor) &&
    (action === undefined || entry.action === action) &&
    (subject === undefined || entry.subject === subject) &&
    (from === undefined || entry.at >= isoTime(from)) &&
    (until === undefined || entry.at < isoTime(until))
  )
}

/** Positions have no gaps, so that a page without a filter is read where it stands. */
export function readAuditLog({ ledger }: OrganizationDeps): OrganizationUseCases['readAuditLog'] {
  return async (actor, { page, pageSize, before, filter }) => {
    const member = authorizeMember(actor, 'readAuditLog')
    if (!member.ok) return member
    const paging = checkPage({ page, pageSize })
    if (!paging.ok) return paging
    const { tenantId } = member.value
    const log: Log = { tenantId, read: (reads) => ledger.read(tenantId, reads) }
    const [end] = await log.read([{ log: auditLog.name, partition: tenantId, after: 0, take: 0 }])
    const head = end?.total ?? 0
    const last = before === null ? head : Math.min(head, Math.max(0, before - 1))
    const skip = (page - 1) * pageSize
    if (Object.values(filter).every((value) => value === undefined)) {
      const entries = skip < last ? await entriesUpTo(log, last - skip, pageSize) : []
      return ok({ entries, totalCount: last, scannedTo: null })
    }
    const fitting: AuditEntryView[] = []
    const stop = Math.max(0, last - mostLookedAt)
    let at = last
    while (at > stop) {
      const take = Math.min(piece, at - stop)
      const entries = await entriesUpTo(log, at, take)
      fitting.push(...entries.filter((entry) => fits(entry, filter)))
      at -= take
    }
    const scannedTo = at > 0 ? at + 1 : null
    const entries = fitting.slice(skip, skip + pageSize)
    return ok({ entries, totalCount: fitting.length, scannedTo })
  }
}
