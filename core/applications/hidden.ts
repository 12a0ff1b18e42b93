import type { Found, Read } from '../base/ports/store.ts'
import type { ListSource } from '../kernel/ledger/listing.ts'
import type { Omission } from '../kernel/ledger/listing-without.ts'
import { everyRow, list, many } from '../kernel/ledger/reads.ts'
import { applications } from './records.ts'
import type { LifecycleState } from './view.ts'

const hiddenStates: readonly LifecycleState[] = ['pending_deletion', 'purging']

/** The reads whose answers `hiddenOf` takes. */
export function hiddenReads(tenantId: string): readonly Read[] {
  return hiddenStates.map((state) =>
    list(applications, {
      by: 'byState',
      where: [
        ['tenantId', '=', tenantId],
        ['lifecycleState', '=', state],
      ],
      take: everyRow,
    }),
  )
}

/** Ids of a tenant's applications that are being deleted: lists and sums leave out their rows (decision 103). */
export function hiddenOf(found: readonly (Found | undefined)[]): readonly string[] {
  return found.flatMap((each) => many(applications, each).map(({ row }) => row.applicationId))
}

/** A row of an application. */
interface Owned {
  readonly applicationId: string
}

/** Leaves the rows of some applications out of a list, whose collection has the index `byApplication`. */
export function ofApplications<R extends Owned, T>(
  { collection, where, cursor, newest }: ListSource<R, T>,
  applicationIds: readonly string[],
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Omission<R> {
  const ids = new Set(applicationIds)
  // Filters beyond the index are left to the store, which may have one that counts without reading a row.
  const held = new Set<string>([
    collection.tenant,
    ...collection.key,
    ...(collection.indexes.byApplication ?? []),
  ])
  const by = where.every(([column]) => held.has(column)) ? 'byApplication' : 'key'
  return {
    has: ({ applicationId }) => ids.has(applicationId),
    count: async (ahead) => {
      const place = ahead === null ? [] : [[cursor, newest ? '>' : '<', ahead] as const]
      const found = await read(
        applicationIds.map((id) =>
          list(collection, {
            by,
            where: [...where, ['applicationId', '=', id], ...place],
            take: 0,
            count: true,
          }),
        ),
      )
      return found.reduce((sum, { total }) => sum + (total ?? 0), 0)
    },
  }
}
