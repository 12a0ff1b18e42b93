import { readAuditLog } from './audit-log.ts'
import type { OrganizationDeps } from './deps.ts'
import { checkFeature, readEntitlements } from './entitlements.ts'
import { readProfile, updateProfile } from './profile.ts'
import { setPlan } from './set-plan.ts'
import type { OrganizationUseCases } from './use-cases.ts'

/** The use cases of an organization. */
export function createOrganization(deps: OrganizationDeps): OrganizationUseCases {
  return {
    readProfile: readProfile(deps),
    updateProfile: updateProfile(deps),
    entitlements: readEntitlements(deps),
    checkFeature: checkFeature(deps),
    setPlan: setPlan(deps),
    readAuditLog: readAuditLog(deps),
  }
}
