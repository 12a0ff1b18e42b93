import { auditLog } from '../../kernel/ledger/audit.ts'
import { type Reader, rowsOf } from '../../kernel/ledger/pages.ts'
import { authenticators } from '../../organizations/authenticators/records.ts'
import { reviewerKeyView } from '../../organizations/authenticators/reviewer-keys.ts'
import { auditLines } from '../auditor/audit-lines.ts'
import type { PackMember } from '../pack.ts'
import { logEntries } from './log-entries.ts'
import { objectPieces } from './text-pieces.ts'

interface Entry {
  readonly at: string
  readonly action: string
  readonly subject: string
}

/**
 * The keys of reviewers' authenticators, by which signed decisions are checked, each with the entries of the audit log
 * that tell of it. It comes after the decisions, so that each of their keys is in it.
 */
export function authenticatorsMember(reader: Reader, tenantId: string): PackMember {
  return {
    path: 'authenticators.json',
    mediaType: 'application/json',
    content: objectPieces({}, { authenticators: keysWithEntries(reader, tenantId) }),
  }
}

async function* keysWithEntries(
  reader: Reader,
  tenantId: string,
): AsyncGenerator<object, void, undefined> {
  const signing = new Map<string, ReturnType<typeof shownOf>>()
  for await (const row of rowsOf(reader, authenticators, { where: [['tenantId', '=', tenantId]] }))
    if (row.use === 'signing') signing.set(row.authenticatorId, shownOf(row))
  // A log may be long, and most organizations have no such keys.
  if (signing.size === 0) return
  for await (const line of auditLines(logEntries(reader, auditLog, tenantId))) {
    if (!line.includes('"action":"authenticator.')) continue
    const entry = JSON.parse(line) as Entry
    signing.get(entry.subject)?.entries.push(entry)
  }
  for (const { key, rpId, entries } of signing.values()) {
    const revoked = entries.find(({ action }) => action === 'authenticator.revoked')
    // As the log has it: a revocation may come between the two reads.
    yield { ...key, rpId, until: revoked?.at ?? null, entries }
  }
}

function shownOf(row: Parameters<typeof reviewerKeyView>[0]) {
  const entries: Entry[] = []
  return { key: reviewerKeyView(row), rpId: row.rpId, entries }
}
