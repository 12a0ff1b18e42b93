import { isCount } from '../../base/events/shape.ts'
import type { Report } from './finding.ts'
import { type Json, objectAt, textAt } from './read.ts'
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
    timeAt(document, 'requestedAt') <= timeAt(document, 'completedAt')
  if (!isWhole)
    report.failed(
      'form',
      'Expected whose data was erased, where, when, how much, and what remains.',
    )
}

function textsAt(document: Json, name: string): readonly string[] | null {
  const value = document[name]
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : null
}

/** Ms of a time as the issuer writes it, else NaN. */
function timeAt(document: Json, name: string): number {
  const text = textAt(document, name) ?? ''
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text ? ms : Number.NaN
}
