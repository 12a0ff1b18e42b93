import { bytesToHex } from '@noble/hashes/utils.js'
import type { Found, LogEntry, Read } from '../base/ports/store.ts'
import { chainStart } from '../base/store-kit/log-chain.ts'
import { type AuditEntry, auditLog } from '../kernel/ledger/audit.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { longest, usualPageSize } from '../kernel/ledger/limits.ts'
import type { Rows } from '../kernel/ledger/read-part.ts'
import { faultsOfPart, type PageUnder, part, partShape } from '../kernel/list.ts'
import { object } from '../kernel/members.ts'
import { reading } from '../kernel/operation.ts'
import { placeOf } from '../kernel/page.ts'
import { type InsOf, line, type OutsOf, type RowsOf, stored, time, whole } from '../kernel/shape.ts'
import { digest, fromOne } from '../kernel/usual.ts'
import { optional, orNull, shownBy } from '../kernel/wrap.ts'

/** Entries that one answer looks at, at most, where it filters. */
const mostLookedAt = 10_000
/** Entries that one read brings. */
const piece = 500

const shownEntry = {
  /** From 1, without gaps. */
  position: fromOne,
  at: time,
  actor: line(longest.id),
  action: line(longest.id),
  subject: line(longest.id),
  detail: shownBy(stored<AuditEntry['detail']>(), (detail) => detail, {
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  }),
  /** Hex: of the entry before, 64 zeros at the first. */
  previousHash: digest,
  /** Hex SHA-256 of the previous hash's bytes and the entry's own text. */
  hash: digest,
}

/** Which entries are asked for; all that are given must hold. */
const filter = {
  actor: optional(line(longest.id)),
  action: optional(line(longest.id)),
  subject: optional(line(longest.id)),
  /** `from ≤ at < until`. */
  from: optional(time),
  until: optional(time),
}

const bound = optional(whole(1, 999_999_999))
/** Entries before a position, which is the cursor of a list too; without one, from the newest. */
const asked = { ...part, after: bound, before: bound, ...filter }

/** One entry of the audit log. */
export interface AuditEntryView extends OutsOf<typeof shownEntry> {}
/** Which part of the audit log is asked for. */
export interface AuditQuery extends InsOf<typeof asked> {}
/** A part of the audit log. */
export type AuditPart = (PageUnder<'entries', AuditEntryView> | Rows<AuditEntryView>) & {
  /** The lowest position that was looked at: entries before it may fit too. Null where none are left. */
  readonly scannedTo: number | null
}

/** Entries of the audit log, the newest first. With a filter at most 10,000 are looked at. */
export const listAuditLog = reading({
  name: 'auditLog.list',
  doc: 'List entries of the audit log, newest first',
  right: 'readAuditLog',
  takes: asked,
  also: ({ page, pageSize, after, limit }) =>
    faultsOfPart({ page, pageSize, after: after?.toString(), limit }),
  gives: partShape<AuditPart>(
    'entries',
    object(shownEntry, 'AuditEntry'),
    {},
    { scannedTo: orNull(fromOne) },
  ),
  refuses: [],
  async run({ by: { tenantId }, read }, { page = 1, pageSize, after, limit, before, ...fitting }) {
    const query = { page, pageSize: pageSize ?? limit ?? usualPageSize }
    const bounds = [after, before].flatMap((each) => each ?? [])
    const found = await entriesOf({ tenantId, read }, query, Math.min(...bounds), fitting)
    const { entries, totalCount, scannedTo } = found
    if (after === undefined && limit === undefined)
      return { entries, ...placeOf(totalCount, query), scannedTo }
    // Goes on behind the last row, or behind what was looked at.
    const last = entries.length < totalCount ? entries.at(-1)?.position : scannedTo
    return { rows: entries, next: last ? String(last) : null, totalCount, scannedTo }
  },
})

/** The audit log (interface, Portal host). */
export const auditLogOperations = [listAuditLog] as const

interface Log {
  readonly tenantId: string
  readonly read: (reads: readonly Read[]) => Promise<readonly Found[]>
}

/** A page of the entries before a position. Positions have no gaps, so a page without a filter is read by its positions alone. */
async function entriesOf(
  log: Log,
  { page, pageSize }: { readonly page: number; readonly pageSize: number },
  before: number,
  fitting: RowsOf<typeof filter>,
): Promise<{
  readonly entries: readonly AuditEntryView[]
  /** Entries that fit, of those that were looked at. */
  readonly totalCount: number
  readonly scannedTo: number | null
}> {
  const [end] = await log.read([{ log: auditLog.name, partition: log.tenantId, after: 0, take: 0 }])
  const last = Math.min(end?.total ?? 0, Math.max(0, before - 1))
  const skip = (page - 1) * pageSize
  if (Object.values(fitting).every((value) => value === undefined)) {
    const entries = skip < last ? await entriesUpTo(log, last - skip, pageSize) : []
    return { entries, totalCount: last, scannedTo: null }
  }
  const found: AuditEntryView[] = []
  const stop = Math.max(0, last - mostLookedAt)
  let at = last
  while (at > stop) {
    const take = Math.min(piece, at - stop)
    const entries = await entriesUpTo(log, at, take)
    found.push(...entries.filter((entry) => fits(entry, fitting)))
    at -= take
  }
  const entries = found.slice(skip, skip + pageSize)
  return { entries, totalCount: found.length, scannedTo: at > 0 ? at + 1 : null }
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
    .filter((entry) => entry.position > after)
    .toReversed()
}

function entryView(logged: LogEntry, previous: Uint8Array): AuditEntryView {
  const { at, actor, action, subject, detail } = JSON.parse(
    fromUtf8.decode(logged.entry),
  ) as AuditEntry
  const chain = { previousHash: bytesToHex(previous), hash: bytesToHex(logged.hash) }
  return { position: logged.position, at, actor, action, subject, detail, ...chain }
}

function fits(entry: AuditEntryView, fitting: RowsOf<typeof filter>): boolean {
  const { actor, action, subject, from, until } = fitting
  return (
    (actor === undefined || entry.actor === actor) &&
    (action === undefined || entry.action === action) &&
    (subject === undefined || entry.subject === subject) &&
    (from === undefined || entry.at >= isoTime(from)) &&
    (until === undefined || entry.at < isoTime(until))
  )
}
