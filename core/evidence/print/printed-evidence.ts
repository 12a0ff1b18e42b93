import { evidenceLimits } from '../../kernel/ledger/limits.ts'
import type { EvidenceCase, EvidenceDocument } from '../model.ts'
import type { PrintedCase, PrintedEvidence, PrintedField, PrintedStep } from '../outputs.ts'

/** What of a whole document its printed form shows. */
export function printedEvidence(document: EvidenceDocument): PrintedEvidence {
  const {
    evidenceVersion: _,
    generatedAt: __,
    signatures: ___,
    steps,
    reviewCases,
    integrity: { leafInput: ____, leafInputStatus: _____, ...integrity },
    session,
    ...rest
  } = document
  return {
    ...rest,
    session: { ...session, metadata: null },
    steps: steps.map(({ payload, ...step }, at): PrintedStep => {
      const isPrinted = payload !== null && at < evidenceLimits.printedSteps
      const content = isPrinted
        ? printedNames.flatMap((name) => printedField(name, payload[name]) ?? [])
        : null
      return { ...step, content }
    }),
    reviewCases: reviewCases.map(printedCase),
    integrity,
  }
}

/** What of a review case its printed form shows. */
export function printedCase({ presentation, ...review }: EvidenceCase): PrintedCase {
  return { ...review, presentation: printedField('presentation', presentation) }
}

/** The fields of content that are printed, in order. */
export const printedNames: readonly Exclude<PrintedField['name'], 'presentation'>[] = [
  'input',
  'output',
  'attributes',
]

/** What is printed of a field; null where there is none. */
export function printedField(name: PrintedField['name'], value: unknown): PrintedField | null {
  if (value === null || value === undefined) return null
  const isText = typeof value === 'string'
  const whole = isText ? value : JSON.stringify(value, null, 2)
  const text = cut(whole, evidenceLimits.printedField)
  return { name, text, isText, missing: whole.length - text.length }
}

/** The beginning of a text, as a copy that does not keep the text; no character is cut in two. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  const begin = text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
  return JSON.parse(JSON.stringify(begin)) as string
}
