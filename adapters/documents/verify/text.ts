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
import { structureOf } from './repeated-member.ts'

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

/** Levels of objects and lists within each other that a document has at most. */
const mostLevels = 1_000
const tooDeep = 'It is nested deeper than any document.'

/** What is wrong with the form of a JSON text; null for one in the form that its issuer writes. */
export function formFault(text: string): string | null {
  const { repeated, levels } = structureOf(text)
  if (repeated !== null)
    return `An object has the member "${repeated}" twice: what a person reads need not be what was signed.`
  if (levels > mostLevels) return tooDeep
  const other = otherForm(text)
  return other && `Its issuer would not write ${other.slice(0, 80)}: readers may differ in it.`
}

/** A decoder that takes UTF-8 alone, and keeps a byte order mark. */
export function strictDecoder(): TextDecoder {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
}

/** The text of a piece of bytes; null where they are no UTF-8. */
export function decoded(decoder: TextDecoder, piece: Uint8Array): string | null {
  try {
    return decoder.decode(piece, { stream: true })
  } catch {
    return null
  }
}

/** The text of bytes in UTF-8, a byte order mark included; null for other bytes. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return strictDecoder().decode(bytes)
  } catch {
    return null
  }
}

/** A text, and what is wrong with its form. */
export interface ReadText {
  /** The value of its JSON, or of each line; undefined where it is none, null where it is nested too deeply to be read. */
  readonly document: unknown
  readonly faults: readonly Finding[]
}

/** Reads the JSON of a text, or with `lines` of each of its lines; null for bytes that are no text. */
export function readText(text: string | null, lines: boolean): ReadText {
  if (text === null) return { document: undefined, faults: malformed('It is no UTF-8.') }
  const document = parse(text, lines)
  const fault = document === undefined ? null : formFault(text)
  return {
    document: fault === tooDeep ? null : document,
    faults: fault === null ? [] : malformed(fault),
  }
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
