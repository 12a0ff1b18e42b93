import { faultOfName, jsonFaults } from '../text/json-rules.ts'
import { hasLoneSurrogate } from '../text/text-rules.ts'

/** Bytes that are decoded between two pauses. */
const decodedAtOnce = 1024 * 1024

/** Bytes `at` to `until` of a document, replaced by a text. */
export interface Edit {
  readonly at: number
  readonly until: number
  readonly insert: string
}

/** One JSON value of a document, as bytes `start` to `end`, and what was learned while it was cut out. */
export interface Piece {
  readonly start: number
  readonly end: number
  /** In the order of the text. */
  readonly edits: readonly Edit[]
  /** How many names of members it has; a repeated one counts each time. */
  readonly members: number
  /** How many texts, numbers, literals, objects and arrays it has. */
  readonly values: number
  /** Whether an escape stands for half a surrogate pair. */
  readonly surrogates: boolean
  /** What is wrong with it; it need not be read then. */
  readonly fault: string | null
}

/** Bytes of a piece after its edits, about. */
export function keptBytes(piece: Piece): number {
  return piece.edits.reduce(
    (kept, { at, until, insert }) => kept - (until - at) + insert.length,
    piece.end - piece.start,
  )
}

// A byte order mark within a document is no JSON, so the parser must see it.
const decoding = { fatal: true, ignoreBOM: true } as const
/** For pieces that are decoded whole; it keeps nothing from one to the next. */
const wholeDecoder = new TextDecoder('utf-8', decoding)

/** The text of a piece; null where it is no UTF-8. Pauses after each mebibyte. */
export function* textOf(
  bytes: Uint8Array,
  { start, end, edits }: Piece,
): Generator<undefined, string | null> {
  try {
    if (edits.length === 0 && end - start <= decodedAtOnce)
      return wholeDecoder.decode(bytes.subarray(start, end))
    const decoder = new TextDecoder('utf-8', decoding)
    let text = ''
    let from = start
    for (const { at, until, insert } of [...edits, { at: end, until: end, insert: '' }]) {
      for (; from < at; from += decodedAtOnce) {
        const to = Math.min(at, from + decodedAtOnce)
        text += decoder.decode(bytes.subarray(from, to), { stream: to < at })
        if (to < at) yield
      }
      text += insert
      from = until
    }
    return text
  } catch {
    return null
  }
}

/** The value of a piece's text, or what is wrong with it: parsing must change nothing (RFC 7493). */
export function parsePiece(
  text: string,
  piece: Pick<Piece, 'members' | 'surrogates'>,
): { readonly value: unknown } | { readonly fault: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { fault: `expected JSON in UTF-8: ${(error as Error).message}` }
  }
  const seen: Seen = { members: 0, fault: null }
  look(value, piece.surrogates, seen)
  if (seen.fault !== null) return { fault: seen.fault }
  // Of members that repeat, the parser keeps one.
  if (seen.members !== piece.members) return { fault: jsonFaults.repeatedName }
  return { value }
}

/** The value of a piece of a document, or what is wrong with it. Pauses after each mebibyte. */
export function* readPiece(
  bytes: Uint8Array,
  piece: Piece,
): Generator<undefined, { readonly value: unknown } | { readonly fault: string }> {
  if (piece.fault !== null) return { fault: piece.fault }
  const text = yield* textOf(bytes, piece)
  return text === null ? { fault: 'expected JSON in UTF-8' } : parsePiece(text, piece)
}

interface Seen {
  members: number
  fault: string | null
}

function look(value: unknown, surrogates: boolean, seen: Seen): void {
  if (typeof value === 'string') {
    if (surrogates && hasLoneSurrogate(value)) seen.fault = jsonFaults.halfPair
  } else if (Array.isArray(value)) {
    for (const item of value)
      if (surrogates || typeof item === 'object') look(item, surrogates, seen)
  } else if (typeof value === 'object' && value !== null) {
    for (const name in value) {
      seen.members++
      // UTF-8 has no half pairs: without an escape of one, every name is well-formed.
      const fault = faultOfName(name, !surrogates)
      if (fault !== null) seen.fault = jsonFaults[fault]
      const member = (value as Record<string, unknown>)[name]
      if (surrogates || typeof member === 'object') look(member, surrogates, seen)
    }
  }
}
