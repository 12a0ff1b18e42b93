import type { LegacyEventType, PlatformEventType } from './catalogue.ts'

interface AlertData {
  readonly alertRuleId: string
  readonly alertRuleName: string
  readonly metricName: string
  readonly currentValue: number
  readonly threshold: number
  readonly severity: string
}

/** `data` by type, where it is settled; the rest is an open object. */
export interface LegacyData {
  readonly 'alert.triggered': AlertData
  readonly 'alert.resolved': AlertData
  readonly 'gdpr.erasure_completed': {
    readonly dataSubjectId: string
    readonly erasureRequestId: string
    readonly completedAt: string
    readonly certificateUrl: string
  }
}

type DataOf<T extends LegacyEventType> = T extends keyof LegacyData
  ? LegacyData[T]
  : Readonly<Record<string, unknown>>

/** The legacy envelope (alerts, sessions, GDPR, purge, quality, evidence package). */
export type LegacyEvent = {
  [T in LegacyEventType]: {
    readonly id: string
    readonly type: T
    readonly timestamp: string
    readonly tenantId: string
    readonly applicationId: string | null
    readonly data: DataOf<T>
  }
}[LegacyEventType]

/** `apiVersion` of platform events. */
export const platformApiVersion = '2026-01-01'

/** Session, application, health and compliance events have an envelope of their own. */
export type PlatformEvent = {
  [T in PlatformEventType]: {
    readonly id: string
    readonly type: T
    readonly timestamp: string
    readonly apiVersion: typeof platformApiVersion
    readonly customerId: string
    readonly application: { readonly id: string; readonly name: string } | null
    readonly data: Readonly<Record<string, unknown>>
  }
}[PlatformEventType]
