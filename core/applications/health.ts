import type { Collection, Read } from '../base/ports/store.ts'
import { get } from '../kernel/ledger/reads.ts'
import type { Application } from './records.ts'
import type { HealthStatus, ShownHealth } from './view.ts'

/** How an application, or the organization as a whole, was judged last; times are ms. */
export interface ApplicationHealth {
  readonly tenantId: string
  /** Empty: the organization. */
  readonly applicationId: string
  readonly status: HealthStatus
  readonly since: number
  /** The status of the last judgement where it was another: the next one that agrees changes the status. */
  readonly candidate: HealthStatus | null
  /** When its last session completed, as far as that is known. */
  readonly lastSessionAt: number | null
}

export const applicationHealths: Collection<ApplicationHealth> = {
  name: 'applicationHealths',
  key: ['tenantId', 'applicationId'],
  columns: { tenantId: 'text', applicationId: 'text' },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { bounded: 'one per application, and one per tenant' },
}

/** The read of an application's health. */
export function healthOf(tenantId: string, applicationId: string): Read {
  return get(applicationHealths, [tenantId, applicationId])
}

/** The health that is shown: null while the application is being deleted, `unknown` from its begin until it is judged. */
export function shownHealth(
  { lifecycleState, createdAt }: Application,
  health: ApplicationHealth | null,
): ShownHealth | null {
  if (lifecycleState !== 'active') return null
  return health ?? { status: 'unknown', since: createdAt }
}
