import { activityMinutes, occurrences } from './activity/records.ts'
import { awaitedSessions } from './awaited-records.ts'
import { erasureMarks } from './erasure-marks.ts'
import { bundles } from './payload-records.ts'
import { sessions, steps } from './records.ts'
import { anchors, batches, caseSeals, seals } from './seal-records.ts'
import { sessionAliases, traces } from './trace-records.ts'
import { tenantKeyOperations } from './vault/operations.ts'
import { erasedSubjects, sealedTenantKeys, subjectKeys, tenantKeys } from './vault/records.ts'
import { tenantKeyRotation } from './vault/rotate-tenant-key.ts'

/** What this room contributes to the service. */
export const room = {
  tables: [
    tenantKeys,
    subjectKeys,
    erasedSubjects,
    sessions,
    steps,
    traces,
    sessionAliases,
    awaitedSessions,
    bundles,
    batches,
    seals,
    caseSeals,
    anchors,
    activityMinutes,
    occurrences,
    erasureMarks,
  ],
  sealed: [sealedTenantKeys],
  groups: { tenantKeys: tenantKeyOperations } as const,
  handlers: (host: Parameters<typeof tenantKeyRotation>[0]) => [tenantKeyRotation(host)],
}
