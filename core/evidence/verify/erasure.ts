import { isCount } from '../../base/events/shape.ts'
import type { Report } from './finding.ts'
import { type Json, objectAt, plainMsOf, textAt, textsAt } from './read.ts'
import { checkSignatures } from './signature.ts'

const named = ['organizationName', 'tenantId', 'erasureRequestId', 'dataSubjectId'] as const

/** Checks a certificate of erasure: its signature, and that what it certifies is whole and possible. */
export function checkErasure(document: Json, report: Report): void {
  checkSignatures(document, report)
  const { certificateVersion, method } = document
  const [ids, left] = [textsAt(document, 'applicationIds'), textsAt(document, 'retained')]
  const counts = Object.values(objectAt(document, 'counts') ?? { none: null })
  const isWhole =
    certificateVersion === '1.0' &&
    method === 'crypto-shredding' &&
    named.every((name) => textAt(document, name)) &&
    new Set(ids).size === ids?.length &&
    left?.length &&
    counts.every(isCount) &&
    plainMsOf(document.requestedAt) <= plainMsOf(document.completedAt)
  if (!isWhole)
    report.failed(
      'form',
      'Expected whose data was erased, where, when, how much, and what remains.',
    )
}
