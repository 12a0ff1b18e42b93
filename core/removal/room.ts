import type { Collection } from '../base/ports/store.ts'
import type { ApplicationPart, ErasureDeps } from './erasure/deps.ts'
import { createErasure } from './erasure/erase.ts'
import { holdOperations } from './erasure/holds.ts'
import {
  erasureRequests,
  holdBoards,
  legalHolds,
  owedOutcomes,
  removedSubjects,
} from './erasure/records.ts'
import { erasureOperations, subjectOperations } from './erasure/requests.ts'
import { createSessionRetention } from './erasure/retention.ts'
import { rowsOfSessions } from './erasure/session-rows.ts'
import { lifecycleOperations } from './lifecycle/application-operations.ts'
import type { PurgeDeps } from './lifecycle/deps.ts'
import { createTenantEnd, rowsOfTenants } from './lifecycle/end-tenant.ts'
import { poisonOperations } from './lifecycle/poison.ts'
import { createPurge } from './lifecycle/purge.ts'
import { purgePlanOf } from './lifecycle/purge-plan.ts'
import { purges } from './lifecycle/records.ts'
import { createRemains } from './lifecycle/remains.ts'
import { purgeSweep } from './lifecycle/sweep.ts'
import { cancelTenantDeletion, requestTenantDeletion } from './lifecycle/tenant-deletion.ts'

type Host = ErasureDeps &
  PurgeDeps & {
    /** All that the service has. */
    readonly collections: readonly Collection[]
    readonly packagesPart: ApplicationPart
  }

/** What this room contributes to the service. */
export const room = {
  tables: [legalHolds, holdBoards, removedSubjects, erasureRequests, owedOutcomes, purges],
  groups: {
    applications: lifecycleOperations,
    erasureRequests: erasureOperations,
    legalHolds: holdOperations,
    purgePoison: poisonOperations,
    subjects: subjectOperations,
    tenants: [requestTenantDeletion, cancelTenantDeletion],
  } as const,
  handlers: (host: Host) => [
    createErasure(host),
    createSessionRetention(host, rowsOfSessions(host.collections, ['sessions', 'bundles'])),
    createPurge(host, purgePlanOf(host.collections, host.packagesPart)),
    createRemains(host),
    purgeSweep,
    createTenantEnd(host, rowsOfTenants(host.collections)),
  ],
}
