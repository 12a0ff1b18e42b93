import type { Read } from '../base/ports/store.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { get } from '../kernel/ledger/reads.ts'
import { line, oneOf, type RowsOf, text, time } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { orNull } from '../kernel/wrap.ts'
import type { Application } from './records.ts'
import { healthStatuses, type ShownHealth } from './view.ts'

/** How each application, and the organization as a whole, was judged last; times are ms. */
export const applicationHealths = table({
  name: 'applicationHealths',
  members: {
    tenantId: line(longest.id),
    /** Empty: the organization. */
    applicationId: text(longest.id, 0),
    status: oneOf(healthStatuses),
    since: time,
    /** The last judgement if it differed from `status`; a second one in a row that agrees becomes the status. */
    candidate: orNull(oneOf(healthStatuses)),
    /** When its last session completed, as far as that is known. */
    lastSessionAt: orNull(time),
  },
  key: ['tenantId', 'applicationId'],
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { bounded: 'one per application, and one per tenant' },
})
/** One of `applicationHealths`. */
export interface ApplicationHealth extends RowsOf<typeof applicationHealths.members> {}

/** The read of an application's health. */
export function healthOf(tenantId: string, applicationId: string): Read {
  return get(applicationHealths, [tenantId, applicationId])
}

/** The health that is shown: null while the application is being deleted, `unknown` before its first judgement. */
export function shownHealth(
  { lifecycleState, createdAt }: Application,
  health: ApplicationHealth | null,
): ShownHealth | null {
  if (lifecycleState !== 'active') return null
  return health ?? { status: 'unknown', since: createdAt }
}
