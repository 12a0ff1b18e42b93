import type { Versioned } from '../base/ports/store.ts'
import { revokedKeysPerApplication } from '../kernel/ledger/limits.ts'

/** The oldest revoked ones of an application's keys beyond the limit, to be removed; the audit log keeps their history. */
export function outdated<Key extends { readonly revokedAt: number | null }>(
  keys: readonly Versioned<Key>[],
): readonly Versioned<Key>[] {
  return keys
    .filter(({ row }) => row.revokedAt !== null)
    .toSorted((a, b) => (a.row.revokedAt ?? 0) - (b.row.revokedAt ?? 0))
    .slice(0, -revokedKeysPerApplication)
}
