import type { Collection } from '../../ports/store.ts'

/** The last computed governance of an application. */
export interface ApplicationScore {
  readonly tenantId: string
  readonly applicationId: string
  /** Name of the scorer. */
  readonly scorer: string
  /** 0 to 100; null where there was nothing to compute from. */
  readonly governance: number | null
  readonly components: Readonly<Record<string, number>>
  readonly qualityMean: number | null
  /** Completed in the window. */
  readonly sessions: number
  /** A breach is told; false after one until the score is well above the threshold. */
  readonly armed: boolean
  /** That `armed` is about. */
  readonly threshold: number | null
  /** Ms. */
  readonly computedAt: number
}

export const applicationScores: Collection<ApplicationScore> = {
  name: 'applicationScores',
  key: ['tenantId', 'applicationId'],
  columns: { tenantId: 'text', applicationId: 'text' },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { bounded: 'one per application' },
}
