import type { Actor } from '../access/actor.ts'
import type { PlanFeature, PlanName } from '../access/plans.ts'
import type { PageQuery } from '../ledger/page.ts'
import type { Result } from '../ledger/refusal.ts'
import type { AuditFilter, AuditPart, EntitlementsView, ProfileInput, ProfileView } from './view.ts'

/** The organization: its profile, plan and audit log. Each may refuse as `Service` says besides. */
export interface OrganizationUseCases {
  /** The organization's profile. */
  readProfile(actor: Actor): Promise<Result<ProfileView>>
  /** Replaces the profile. Refuses with `invalid_request`. */
  updateProfile(actor: Actor, input: ProfileInput): Promise<Result<ProfileView>>
  /** What the plan includes, and what of it is used this month. */
  entitlements(actor: Actor): Promise<Result<EntitlementsView>>
  /** Refuses with `plan_required` what the plan of the actor's organization does not include; staff and the system have none. */
  checkFeature(actor: Actor, feature: PlanFeature): Promise<Result<null>>
  /**
   * Sets an organization's plan, by staff or the system. `retentionDays` is Enterprise's alone, 365 to 3650; unless given
   * it stays where the plan stays the same, else it is the plan's own.
   * Features and quota change at once, a longer retention too; a shorter one after 7 days. Refuses with `not_found`,
   * `invalid_request`.
   */
  setPlan(
    actor: Actor,
    tenantId: string,
    input: { readonly plan: PlanName; readonly retentionDays?: number | null },
  ): Promise<Result<EntitlementsView>>
  /**
   * Entries before a position (null: from the newest), the newest first. With a filter at most 10,000 are looked at.
   * Refuses with `invalid_request`.
   */
  readAuditLog(
    actor: Actor,
    query: PageQuery & { readonly before: number | null; readonly filter: AuditFilter },
  ): Promise<Result<AuditPart>>
}
