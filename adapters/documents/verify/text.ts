import {
  type EvidenceKeys,
  type Finding,
  type KnownEvidence,
  kindOfDocument,
  type ReviewerKeys,
  type StampSink,
  verifyDocument,
} from '@countersign/core/evidence'
import { otherForm } from './one-form.ts'
import { repeatedMember } from './repeated-member.ts'

/** The value of a JSON text or, with `lines`, of one on each line; undefined for any other text. */
function parse(text: string, lines: boolean): unknown {
  try {
    return lines
      ? text
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map((line): unknown => JSON.parse(line))
      : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How a text is verified. */
export interface TextPlace {
  /** Whether it is a value on each line. */
  readonly lines: boolean
  /** Whether the signature of a pack covers it. */
  readonly isCovered: boolean
  readonly known: KnownEvidence | null
  readonly stamps: StampSink | null
  /** Keys of reviewers' authenticators; absent or null where none are at hand. */
  readonly reviewers?: ReviewerKeys | null
}

const malformed = (detail: string): readonly Finding[] => [
  { result: 'failed', check: 'form', about: 'document', detail },
]

/** The text of bytes in UTF-8, a byte order mark included; null for other bytes. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * Verifies the document that a text holds, null for bytes that are none; no findings where it holds none that can be
 * verified.
 */
export function verifyText(
  text: string | null,
  keys: EvidenceKeys,
  { lines, ...place }: TextPlace,
): readonly Finding[] {
  if (text === null) return malformed('It is no UTF-8.')
  const document = parse(text, lines)
  if (document === undefined) return []
  const repeated = repeatedMember(text)
  if (repeated !== null)
    return malformed(
      `An object has the member "${repeated}" twice: what a person reads need not be what was signed.`,
    )
  const other = otherForm(text)
  if (other !== null)
    return malformed(`Its issuer would not write ${other.slice(0, 80)}: readers may differ in it.`)
  return kindOfDocument(document) === null ? [] : verifyDocument(document, keys, place)
}
