import { type Application, applications } from '../../applications/records.ts'
import type { Check, Collection, Put, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { put, unchanged } from '../../kernel/ledger/reads.ts'
import type { Activity } from './activity.ts'

/** Windows of metrics begin and end at whole slots. */
export const slotMs = 10_000
export const minuteMs = 60_000

/** What an application did in a minute; the last step of what makes judging cheap: each session is read for it once. */
export interface ActivityMinute {
  readonly tenantId: string
  /** Empty: what belongs to no application. */
  readonly applicationId: string
  /** Ms: its begin. */
  readonly minute: number
  /** By slot of the minute, 0 to 5; absent where nothing happened. */
  readonly slots: Readonly<Record<string, Activity>>
}

export const activityMinutes: Collection<ActivityMinute> = {
  name: 'activityMinutes',
  key: ['tenantId', 'applicationId', 'minute'],
  columns: { tenantId: 'text', applicationId: 'text', minute: 'int' },
  indexes: { byApplication: ['applicationId'], byAge: ['minute'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  // A window is a day at most.
  retain: { by: 'minute', days: 2 },
}

/** Something that a metric counts and no row of its own tells. */
export interface Occurrence {
  readonly tenantId: string
  /** Empty: of no application, or of one that takes no data. */
  readonly applicationId: string
  /** Ms. */
  readonly at: number
  /** An id of what it is about: distinguishes those of one moment. */
  readonly about: string
  readonly what: 'violations' | 'deadLettered'
  readonly count: number
}

export const occurrences: Collection<Occurrence> = {
  name: 'occurrences',
  key: ['tenantId', 'applicationId', 'at', 'about'],
  columns: { tenantId: 'text', applicationId: 'text', at: 'int', about: 'text' },
  indexes: { byApplication: ['applicationId'], byAge: ['at'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { by: 'at', days: 2 },
}

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
