export { createOrganization } from './create-organization.ts'
export type { OrganizationDeps } from './deps.ts'
export { planRetention } from './set-plan.ts'
export type { OrganizationUseCases } from './use-cases.ts'
export type {
  AuditEntryView,
  AuditFilter,
  AuditPart,
  EntitlementsView,
  ProfileInput,
  ProfileView,
} from './view.ts'
