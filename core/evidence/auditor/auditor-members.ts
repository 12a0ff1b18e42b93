import type { Application } from '../../applications/records.ts'
import type { Where } from '../../base/ports/store.ts'
import { type Anchor, anchors } from '../../content/seal-records.ts'
import { permissionsOf } from '../../kernel/callers/authorize.ts'
import { planOf } from '../../kernel/callers/plans.ts'
import { auditLog } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { type Reader, rowsOf } from '../../kernel/ledger/pages.ts'
import { unwrap } from '../../kernel/ledger/refusal.ts'
import { type Member, members, type Tenant } from '../../organizations/access/records.ts'
import {
  erasureRequests,
  erasureView,
  holdView,
  legalHolds,
} from '../../removal/erasure/records.ts'
import { anchorView } from '../../sessions/present.ts'
import type { Cell } from '../csv.ts'
import type { PackageDeps } from '../deps.ts'
import type { PackMember } from '../pack.ts'
import { authenticatorsMember } from '../packages/authenticators.ts'
import { mapped } from '../packages/items.ts'
import { logEntries } from '../packages/log-entries.ts'
import type { LogEnd, Making } from '../packages/order.ts'
import { stampMember } from '../packages/stamp-member.ts'
import { csvPieces, gathered, linePieces, objectPieces } from '../packages/text-pieces.ts'
import { applicationMembers } from './application-members.ts'
import { auditLines } from './audit-lines.ts'

/** The newest time stamps are members of their own, too; each covers the ledger up to its entry. */
const mostStamps = 100

const json = 'application/json'
const lines = 'application/x-ndjson'
const utf8 = new TextEncoder()

/** What an auditor's pack is about. */
export interface AuditorScope {
  readonly tenant: Tenant
  readonly applications: readonly Application[]
  /** The end of the audit log as the pack begins. */
  readonly auditLog: LogEnd
}

/** The members of an auditor's pack; every list is read in pieces, as it is written. */
export async function* auditorMembers(
  deps: PackageDeps,
  { tenant, applications, auditLog: begun }: AuditorScope,
  { now, tally }: Making,
): AsyncGenerator<PackMember, void, undefined> {
  const { tenantId } = tenant
  const reader: Reader = { read: (reads) => deps.ledger.read(tenantId, reads) }
  const ofTenant: Where = [['tenantId', '=', tenantId]]
  const onSession = () => {
    tally.sessionCount++
  }
  let end = begun
  // A batch that is made meanwhile commits to more of the log, which goes on to that.
  const onHead = (head: LogEnd) => {
    const { position, hash } = head
    if (position > end.position) end = { position, hash }
  }
  for (const application of applications)
    yield* applicationMembers(reader, application, { host: deps, onSession, onHead })
  // As they are shown: an entry may be stamped while the pack is made.
  const stamped: Anchor[] = []
  yield {
    path: 'anchors.jsonl',
    mediaType: lines,
    content: linePieces(
      mapped(rowsOf(reader, anchors, { where: ofTenant }), (anchor) => {
        if (anchor.timeStamp !== null) stamped.push(anchor)
        if (stamped.length > mostStamps) stamped.shift()
        return anchorView({ nonce: null, commitment: anchor.commitment }, anchor)
      }),
    ),
  }
  for (const { sequence, timeStamp } of stamped)
    yield* stampMember(`time-stamps/${sequence}.tsr`, timeStamp)
  tally.auditLog = end
  yield {
    path: 'audit-log.jsonl',
    mediaType: lines,
    content: gathered(auditLines(logEntries(reader, auditLog, tenantId, end.position))),
  }
  yield {
    path: 'members.csv',
    mediaType: 'text/csv',
    content: csvPieces(
      memberColumns,
      mapped(rowsOf(reader, members, { where: ofTenant }), memberCells),
    ),
  }
  yield {
    path: 'retention-and-holds.json',
    mediaType: json,
    content: objectPieces(
      {
        generatedAt: isoTime(now),
        organizationName: tenant.name,
        plan: planOf(tenant).name,
        retentionDays: planOf(tenant).retentionDays,
      },
      {
        legalHolds: mapped(
          rowsOf(reader, legalHolds, { where: ofTenant, by: 'byTenant' }),
          holdView,
        ),
        erasureRequests: mapped(
          rowsOf(reader, erasureRequests, { where: ofTenant, by: 'byTenant' }),
          (request) => erasureView(request, deps.portalUrl),
        ),
      },
    ),
  }
  yield authenticatorsMember(reader, tenantId)
  yield {
    path: 'verification-keys.json',
    mediaType: json,
    content: utf8.encode(JSON.stringify(unwrap(await deps.signers.keySet(tenantId)))),
  }
}

const memberColumns = [
  'member_id',
  'name',
  'email',
  'role',
  'permissions',
  'status',
  'added_at',
] as const

function memberCells(member: Member): readonly Cell[] {
  const { memberId, name, email, role, granted, status, createdAt } = member
  return [
    memberId,
    name,
    email,
    role,
    permissionsOf(role, granted).join(';'),
    status,
    isoTime(createdAt),
  ]
}
