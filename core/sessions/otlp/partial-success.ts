import { type RejectionReason, rejectionReasons } from '../../content/span.ts'
import { object } from '../../kernel/members.ts'
import { type OutsOf, pattern, text } from '../../kernel/shape.ts'
import { optional } from '../../kernel/wrap.ts'

const answer = {
  partialSuccess: optional(
    object({
      /** A 64-bit integer, which JSON writes as text. */
      rejectedSpans: pattern(/^\d+$/, 'a whole number as text', 20),
      errorMessage: text(Number.MAX_SAFE_INTEGER),
    }),
  ),
}
/** The answer to an export (ExportTraceServiceResponse): empty where every span was taken. */
export interface ExportAnswer extends OutsOf<typeof answer> {}
/** The shape of an `ExportAnswer`. */
export const exportShape = object(answer, 'Export')

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
