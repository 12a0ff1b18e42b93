import type { ChangeSet, Log } from '../../base/ports/store.ts'

/** The tenant's append-only history of privileged acts; each entry's hash covers the one before it. */
export const auditLog: Log = {
  name: 'audit',
  perTenant: true,
  retain: { keep: 'its chain proves every privileged act' },
}

/** One entry of a tenant's audit log; holds no person's name, no e-mail address and no free text. */
export interface AuditEntry {
  /** ISO 8601 UTC. */
  readonly at: string
  /** `member:<id>`, `application:<id>`, `key:<id>`, `staff:<name>` or `system`. */
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: Readonly<Record<string, string | number | boolean | null>>
}

const utf8 = new TextEncoder()

/** The append that records an act, for the same change set as the act itself. */
export function audit(
  tenantId: string,
  entry: AuditEntry,
): NonNullable<ChangeSet['appends']>[number] {
  return { log: auditLog.name, partition: tenantId, entry: utf8.encode(JSON.stringify(entry)) }
}
