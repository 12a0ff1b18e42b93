export type { AuditEntryView, AuditPart, AuditQuery } from './audit-log.ts'
export type { EntitlementsView } from './entitlements.ts'
export type { ProfileInput, ProfileView } from './profile.ts'
export { planRetention } from './set-plan.ts'
