import { type RejectionReason, rejectionReasons } from '../../content/span.ts'

/** The answer to an export (ExportTraceServiceResponse): empty where every span was taken. */
export interface ExportAnswer {
  readonly partialSuccess?: {
    /** A 64-bit integer, which JSON writes as text. */
    readonly rejectedSpans: string
    readonly errorMessage: string
  }
}

/** The answer to an export of which so many spans were rejected, by reason. */
export function exportAnswer(
  rejected: Readonly<Partial<Record<RejectionReason, number>>>,
): ExportAnswer {
  const reasons = Object.keys(rejectionReasons) as RejectionReason[]
  const counted = reasons.flatMap((reason) => {
    const count = rejected[reason] ?? 0
    return count === 0 ? [] : [{ count, why: rejectionReasons[reason] }]
  })
  if (counted.length === 0) return {}
  const all = counted.reduce((sum, { count }) => sum + count, 0)
  const listed = counted.map(({ count, why }) => `${count} ${why}`).join('; ')
  return {
    partialSuccess: { rejectedSpans: String(all), errorMessage: `spans rejected: ${listed}` },
  }
}
