/** What one organization, or one case, may hold; beyond it a command is refused with the code named. */
export interface Limits {
  /** `webhook_limit`. */
  readonly webhooksPerTenant: number
}

/** Those that a host may change. */
export const defaultLimits: Limits = { webhooksPerTenant: 100 }

/** Questions of one case: `follow_up_limit`. */
export const followUpsPerCase = 20

/** Bytes that a case holds of its callers' texts and documents, as JSON in UTF-8: `case_too_large`. */
export const caseBytes: number = 2 * 1_048_576

/** Of `caseBytes`: kept for the decision and the report of what followed, so that a full case can still be closed. */
export const caseBytesToClose = 262_144

/** The defaults with these changes; throws a RangeError for a limit that is no whole number of at least 1. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...given }
  for (const [name, value] of Object.entries(limits))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`limit ${name}: expected an integer of at least 1, got ${value}`)
  return limits
}
