import type { Found, Read, Versioned } from '../base/ports/store.ts'
import { get, one } from '../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { answered, fromResult, mapped, type Query, rowUnder } from '../kernel/query.ts'
import { type Application, applications } from './records.ts'

/** The read whose answer `existing` and `active` take. */
export function applicationOf(tenantId: string, applicationId: string): Read {
  return get(applications, [tenantId, applicationId])
}

type Loaded<Code extends 'not_found' | 'application_gone'> = Result<Versioned<Application>, Code>

/** The application in any state; `not_found` for an unknown one and for another tenant's. */
export function existing(found: Found | undefined): Loaded<'not_found'> {
  return known(one(applications, found))
}

/** The application as long as it takes data; `application_gone` from the start of its deletion. */
export function active(found: Found | undefined): Loaded<'not_found' | 'application_gone'> {
  const loaded = existing(found)
  return loaded.ok ? stillActive(loaded.value) : loaded
}

/** As `active`, of an application that was loaded. */
export function stillActive(application: Versioned<Application>): Loaded<'application_gone'> {
  const { lifecycleState } = application.row
  if (lifecycleState === 'active') return ok(application)
  return refuse('application_gone', `the application is ${lifecycleState}, expected active`)
}

function known(application: Versioned<Application> | null): Loaded<'not_found'> {
  return application ? ok(application) : refuse('not_found', 'no such application')
}

/** The application in any state, unchanged at the commit. */
export function existingApplication(
  tenantId: string,
  applicationId: string,
): Query<Versioned<Application>, 'not_found'> {
  const row = rowUnder(applications, [tenantId, applicationId])
  return mapped(row, (application) => fromResult(known(application)))
}

/** The application as long as it takes data, at the commit too. */
export function activeApplication(
  tenantId: string,
  applicationId: string,
): Query<Versioned<Application>, 'not_found' | 'application_gone'> {
  const found = existingApplication(tenantId, applicationId)
  return mapped(found, (application) => fromResult(stillActive(application)))
}

/** As `activeApplication`; null asks for none. */
export function takingData(
  tenantId: string,
  applicationId: string | null,
): Query<Versioned<Application> | null, 'not_found' | 'application_gone'> {
  return applicationId === null ? answered(null) : activeApplication(tenantId, applicationId)
}
