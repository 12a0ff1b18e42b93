import type { Versioned } from '../../base/ports/store.ts'
import { mapped, type Query, Refused, rowUnder } from '../../kernel/query.ts'
import { type Tenant, tenants } from './records.ts'
import { changeableTenant } from './standing.ts'

/** An organization, be it suspended or deleted. */
export function organizationOf(tenantId: string): Query<Versioned<Tenant>, 'not_found'> {
  return mapped(rowUnder(tenants, [tenantId]), (tenant) => tenant ?? unknown())
}

/** As `organizationOf`, where it can be changed. */
export function changeable(tenantId: string): Query<Versioned<Tenant>, 'not_found'> {
  const row = rowUnder(tenants, [tenantId])
  return { ...row, of: ([found]) => changeableTenant(found) ?? unknown() }
}

function unknown(): Refused<'not_found'> {
  return new Refused('not_found', 'no such organization')
}
