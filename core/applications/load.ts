import { answered, mapped, type Query, Refused, rowUnder } from '../kernel/query.ts'
import { get, one } from '../ledger/reads.ts'
import { ok, type Result, refuse } from '../ledger/refusal.ts'
import type { Found, Read, Versioned } from '../ports/store.ts'
import { type Application, applications } from './records.ts'

/** The read whose answer `existing` and `active` take. */
export function applicationOf(tenantId: string, applicationId: string): Read {
  return get(applications, [tenantId, applicationId])
}

/** The application, in whatever state; `not_found` for an unknown one and for another tenant's. */
export function existing(found: Found | undefined): Result<Versioned<Application>, 'not_found'> {
  const application = one(applications, found)
  return application ? ok(application) : refuse('not_found', 'no such application')
}

/** The application as long as it takes data; `application_gone` from the start of its deletion. */
export function active(
  found: Found | undefined,
): Result<Versioned<Application>, 'not_found' | 'application_gone'> {
  const loaded = existing(found)
  return loaded.ok ? stillActive(loaded.value) : loaded
}

/** As `active`, of an application that was loaded. */
export function stillActive(
  application: Versioned<Application>,
): Result<Versioned<Application>, 'application_gone'> {
  const { lifecycleState } = application.row
  if (lifecycleState === 'active') return ok(application)
  return refuse('application_gone', `the application is ${lifecycleState}, expected active`)
}

/** The application as long as it takes data, at the commit too; null asks for none. */
export function takingData(
  tenantId: string,
  applicationId: string | null,
): Query<Versioned<Application> | null, 'not_found' | 'application_gone'> {
  if (applicationId === null) return answered(null)
  return mapped(rowUnder(applications, [tenantId, applicationId]), (application) => {
    if (application === null) return new Refused('not_found', 'no such application')
    const { lifecycleState } = application.row
    if (lifecycleState === 'active') return application
    return new Refused('application_gone', `the application is ${lifecycleState}, expected active`)
  })
}
