/** What the quality of a completed session is computed from. */
export interface QualityFacts {
  readonly steps: number
  readonly errors: number
  /** A step without a parent has an error. */
  readonly failed: boolean
  readonly guardrails: number
  readonly guardrailsOk: number
  /** Mean of the ingested scores within 0 to 1; null without any. */
  readonly meanScore: number | null
}

/** What the governance of an application is computed from, over `windowDays`. */
export interface GovernanceFacts {
  /** Completed in the window. */
  readonly sessions: number
  readonly sessionsWithoutDenial: number
  /** Closed in the window. */
  readonly cases: number
  readonly casesInTime: number
  readonly casesByHuman: number
  /** 0 to 100; null where no session was scored. */
  readonly meanQuality: number | null
}

/** A score from 0 to 100 with one decimal, and its parts, each from 0 to 100. */
export interface Score {
  readonly score: number
  readonly components: Readonly<Record<string, number>>
}

/** Computes scores; pure. Null where there is nothing to compute from. */
export interface Scorer {
  /** Told with each score; another formula takes another name. */
  readonly name: string
  quality(facts: QualityFacts): Score | null
  governance(facts: GovernanceFacts): Score | null
}
