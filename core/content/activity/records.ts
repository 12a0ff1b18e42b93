import { type Application, applications } from '../../applications/records.ts'
import type { Check, Put, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { put, unchanged } from '../../kernel/ledger/reads.ts'
import { count } from '../../kernel/page.ts'
import { line, oneOf, type RowsOf, stored, text, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import type { Activity } from './activity.ts'

/** Windows of metrics begin and end at whole slots. */
export const slotMs = 10_000
export const minuteMs = 60_000

const id = line(longest.id)

/** What applications did in each minute; the last step of what makes judging cheap: each session is read for it once. */
export const activityMinutes = table({
  name: 'activityMinutes',
  members: {
    tenantId: id,
    /** Empty: what belongs to no application. */
    applicationId: text(longest.id, 0),
    /** Its begin. */
    minute: time,
    /** By slot of the minute, 0 to 5; absent where nothing happened. */
    slots: stored<Readonly<Record<string, Activity>>>(),
  },
  key: ['tenantId', 'applicationId', 'minute'],
  indexes: { byApplication: ['applicationId'], byAge: ['minute'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  // A window is a day at most.
  retain: { by: 'minute', days: 2 },
})

/** What an application did in a minute. */
export interface ActivityMinute extends RowsOf<typeof activityMinutes.members> {}

/** What metrics count and no row of its own tells. */
export const occurrences = table({
  name: 'occurrences',
  members: {
    tenantId: id,
    /** Empty: of no application, or of one that takes no data. */
    applicationId: text(longest.id, 0),
    at: time,
    /** An id of what it is about: distinguishes those of one moment. */
    about: id,
    what: oneOf(['violations', 'deadLettered']),
    count,
  },
  key: ['tenantId', 'applicationId', 'at', 'about'],
  indexes: { byApplication: ['applicationId'], byAge: ['at'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { by: 'at', days: 2 },
})

type Occurrence = RowsOf<typeof occurrences.members>

/** Notes an occurrence, in the commit of what occurred. */
export function occurred(occurrence: Occurrence): Put {
  return put(occurrences, occurrence, null)
}

/**
 * Notes that a delivery was given up; under its application until the purge of that begins, so that a purge leaves
 * nothing of it and the organization's alerts leave out what is being deleted. `application` is what the same unit of
 * work found by the delivery's id.
 */
export function givenUp(
  { now }: Pick<UnitOfWork, 'now'>,
  { tenantId, deliveryId }: GivenUp,
  application: Versioned<Application> | null,
): { readonly puts: readonly Put[]; readonly checks: readonly Check[] } {
  const counting = application && hasRows(application.row) ? application : null
  const applicationId = counting?.row.applicationId ?? ''
  const what = 'deadLettered' as const
  return {
    puts: [occurred({ tenantId, applicationId, at: now, about: deliveryId, what, count: 1 })],
    checks: counting ? [unchanged(applications, counting)] : [],
  }
}

/** Whether rows about an application may still be written under its id. */
function hasRows({ lifecycleState }: Application): boolean {
  return lifecycleState === 'active' || lifecycleState === 'pending_deletion'
}

interface GivenUp {
  readonly tenantId: string
  readonly deliveryId: string
}
