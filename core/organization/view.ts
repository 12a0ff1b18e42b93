import type { PlanFeature, PlanName } from '../access/plans.ts'

/** The organization as its members see it. */
export interface ProfileView {
  /** The tenant's name: in evidence, archives, certificates and invitations. */
  readonly organizationName: string
  readonly contactEmail: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
  /** An IANA identifier. */
  readonly timezone: string | null
  readonly updatedAt: string
}

/** A profile as it is saved; what is absent is null from then on. */
export interface ProfileInput {
  readonly organizationName: string
  readonly contactEmail: string
  readonly country?: string | null
  readonly timezone?: string | null
}

/** What the organization's plan includes, and how much of it is used. */
export interface EntitlementsView {
  readonly plan: PlanName
  /** How long a session is kept after it completed. */
  readonly retentionDays: number
  /** Null: without a limit. */
  readonly sessionsPerMonth: number | null
  readonly sessionsUsed: number
  /** The UTC month that `sessionsUsed` counts. */
  readonly periodStart: string
  readonly periodEnd: string
  readonly features: Readonly<Record<PlanFeature, boolean>>
  /** Sentences for people about what is close to a duty of theirs, or about to change. */
  readonly notes: readonly string[]
}

/** One entry of the audit log. */
export interface AuditEntryView {
  /** From 1, without gaps. */
  readonly position: number
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: Readonly<Record<string, string | number | boolean | null>>
  /** Hex: of the entry before, 64 zeros at the first. */
  readonly previousHash: string
  /** Hex SHA-256 of the previous hash's bytes and the entry's own text. */
  readonly hash: string
}

/** Which entries are asked for; all that are given must hold. */
export interface AuditFilter {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  /** Ms: `from ≤ at < until`. */
  readonly from?: number
  readonly until?: number
}

/** A part of the audit log. */
export interface AuditPart {
  readonly entries: readonly AuditEntryView[]
  /** Entries that fit, of those that were looked at. */
  readonly totalCount: number
  /** The lowest position that was looked at: entries before it may fit too. Null where none are left. */
  readonly scannedTo: number | null
}
