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

/** A text, and what is wrong with its form. */
export interface ReadText {
  /** The value of its JSON, or of each line; undefined where it is none. */
  readonly document: unknown
  readonly faults: readonly Finding[]
}

/** Reads the JSON of a text, or with `lines` of each of its lines; null for bytes that are no text. */
export function readText(text: string | null, lines: boolean): ReadText {
  if (text === null) return { document: undefined, faults: malformed('It is no UTF-8.') }
  const document = parse(text, lines)
  const repeated = document === undefined ? null : repeatedMember(text)
  const other = document === undefined || repeated !== null ? null : otherForm(text)
  const fault =
    repeated !== null
      ? `An object has the member "${repeated}" twice: what a person reads need not be what was signed.`
      : other !== null &&
        `Its issuer would not write ${other.slice(0, 80)}: readers may differ in it.`
  return { document, faults: fault ? malformed(fault) : [] }
}

/** Verifies the document of a text; no findings where it holds none that can be verified. */
export function verifyText(
  { document, faults }: ReadText,
  keys: EvidenceKeys,
  place: TextPlace,
): readonly Finding[] {
  if (faults.length > 0 || kindOfDocument(document) === null) return faults
  return verifyDocument(document, keys, place)
}
