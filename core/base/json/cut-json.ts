import { isWrittenDouble } from '../text/exact-number.ts'
import { deepest, jsonFaults } from '../text/json-rules.ts'
import type { Edit, Piece } from './piece.ts'
import { readNumber } from './read-number.ts'

/** Bytes that are scanned between two pauses. */
const sliceBytes = 128 * 1024
/** Bytes of a text whose end is looked for byte by byte. */
const shortText = 32
/** More of one piece mark it as faulty: each costs memory beside the document. */
const mostEdits = 10_000

/** Where arrays lie whose elements are cut out: names of members, and null for each item of an array. */
export type CutPath = readonly (string | null)[]

/** What is kept of a document. */
export interface CutLimits {
  /** Elements of all arrays at the path together; those beyond are counted. */
  readonly pieces: number
  /**
   * Whether whole numbers beyond 2^53 stay numbers where a double is written so, and are faults elsewhere; else they become
   * texts of their digits.
   */
  readonly exactNumbers?: boolean
}

/** A document in pieces, none of which has been parsed yet. */
export interface Cut {
  readonly pieces: readonly Piece[]
  /** The document with `first,count` in place of the elements of each array at the path. */
  readonly rest: Piece
  /** Elements beyond the limit; their text has been skipped, not checked. */
  readonly over: number
}

/** Why a document can't be cut. */
export interface CutFault {
  readonly fault: string
}

const notWritten = 'expected a number that a double is written as (RFC 8785); send others as text'

const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const openArray = 0x5b
const backslash = 0x5c
const closeArray = 0x5d
const lowerU = 0x75
const openObject = 0x7b
const closeObject = 0x7d

interface Draft extends Piece {
  end: number
  readonly edits: Edit[]
  members: number
  values: number
  surrogates: boolean
  fault: string | null
}

function draftFrom(start: number): Draft {
  return { start, end: 0, edits: [], members: 0, values: 0, surrogates: false, fault: null }
}

function edit(draft: Draft, made: Edit): void {
  if (draft.edits.length < mostEdits) draft.edits.push(made)
  else draft.fault = `expected at most ${mostEdits} over-long numbers and cut lists`
}

/**
 * Cuts the elements of the arrays at `path` out of a JSON document, in one pass without recursion that pauses after
 * each 128 KiB, so that a large document holds up nobody. It finds what parsing would hide or must not meet: numbers
 * that no double holds (whole ones become texts of their digits), levels beyond 64. Syntax is left to the parser: a
 * document is JSON if each piece and the rest are.
 */
export function* cutJson(
  bytes: Uint8Array,
  path: CutPath,
  limits: CutLimits,
): Generator<undefined, Cut | CutFault> {
  const isArray = new Uint8Array(deepest)
  // How much of the path leads to an open object or array; -1 off the path.
  const matched = new Int8Array(deepest)
  const pieces: Piece[] = []
  const rest = draftFrom(0)
  let draft = rest
  let depth = 0
  // The depth within the array that is cut at present, where its elements begin, and the first one's number.
  let cutDepth = -1
  let cutStart = 0
  let first = 0
  let over = 0
  let nameStart = 0
  let nameEnd = 0
  // `matched` of the member whose name came last.
  let member = 0
  // The first one from where it was searched for last.
  let nextBackslash = -1
  let pauseAt = sliceBytes
  let at = 0

  while (at < bytes.length) {
    if (at >= pauseAt) {
      yield
      pauseAt = at + sliceBytes
    }
    const byte = bytes[at] as number
    switch (byte) {
      case quote: {
        const start = at + 1
        at = start
        // Most texts are short and have no escape; searching for the end of one pays from some length on.
        const near = start + shortText
        while (at < near && bytes[at] !== quote && bytes[at] !== backslash) at++
        if (at === near) {
          if (nextBackslash < at) nextBackslash = placeOf(bytes, backslash, at)
          const end = placeOf(bytes, quote, at)
          if (end < nextBackslash) at = end
        }
        for (let inner = bytes[at]; inner !== quote; inner = bytes[at]) {
          if (inner === undefined) return { fault: 'expected JSON: a text has no end' }
          if (inner === backslash) {
            if (bytes[at + 1] === lowerU) {
              if (isSurrogate(bytes, at)) draft.surrogates = true
              at += 6
            } else at += 2
          } else at++
          if (at < pauseAt) continue
          yield
          pauseAt = at + sliceBytes
        }
        nameStart = start
        nameEnd = at
        draft.values++
        at++
        break
      }
      case colon: {
        // What was taken for a value was its name.
        draft.values--
        draft.members++
        const above = depth > 0 ? (matched[depth - 1] as number) : -1
        const name = above >= 0 ? path[above] : null
        member =
          typeof name === 'string' && isName(bytes, nameStart, nameEnd, name) ? above + 1 : -1
        at++
        break
      }
      case openObject:
      case openArray: {
        if (depth === deepest) return { fault: jsonFaults.levels }
        let here = 0
        if (depth > 0) {
          const above = matched[depth - 1] as number
          here =
            isArray[depth - 1] === 0 ? member : above >= 0 && path[above] === null ? above + 1 : -1
        }
        draft.values++
        isArray[depth] = byte === openArray ? 1 : 0
        matched[depth] = here
        depth++
        member = -1
        at++
        if (byte === openArray && here === path.length) {
          cutDepth = depth
          cutStart = at
          first = pieces.length
          draft = draftFrom(at)
        }
        break
      }
      case closeObject:
      case closeArray: {
        if (depth === 0 || isArray[depth - 1] !== (byte === closeArray ? 1 : 0))
          return { fault: `expected JSON: ${String.fromCharCode(byte)} closes nothing` }
        if (depth === cutDepth) {
          // A name without its value counts as none: the parser refuses it.
          if (draft.values > 0 || draft.members > 0) over += keep(pieces, draft, at, limits.pieces)
          else if (draft.start > cutStart) return { fault: 'expected JSON: an item is missing' }
          draft = rest
          cutDepth = -1
          edit(rest, { at: cutStart, until: at, insert: `${first},${pieces.length - first}` })
        }
        depth--
        at++
        break
      }
      case comma:
        if (depth === cutDepth) {
          if (draft.values === 0) return { fault: 'expected JSON: an item is missing' }
          over += keep(pieces, draft, at, limits.pieces)
          draft = draftFrom(at + 1)
        }
        member = -1
        at++
        break
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        at++
        break
      default:
        draft.values++
        if (byte === minus || (byte >= zero && byte <= nine)) {
          const { end, insert, fault } = readNumber(bytes, at)
          if (fault !== null) draft.fault = fault
          if (insert !== null && limits.exactNumbers) {
            if (!isWrittenDouble(insert.slice(1, -1))) draft.fault = notWritten
          } else if (insert !== null) edit(draft, { at, until: end, insert })
          at = end
        } else {
          at++
          while (isLetter(bytes[at])) at++
        }
    }
  }
  if (depth > 0) return { fault: 'expected JSON: the document ends too early' }
  rest.end = bytes.length
  return { pieces, rest, over }
}

/** Ends a piece; the answer is how many are over. */
function keep(pieces: Piece[], draft: Draft, end: number, most: number): number {
  if (pieces.length === most) return 1
  draft.end = end
  pieces.push(draft)
  return 0
}

/** The next place of a byte; the document's end where there is none. */
function placeOf(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from)
  return at === -1 ? bytes.length : at
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x61 && byte <= 0x7a
}

/** Whether the escape at `at` (`\uXXXX`) stands for half a pair. */
function isSurrogate(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at + 2] as number) | 0x20) === 0x64 && (bytes[at + 3] as number) >= 0x38
}

/** Whether the text from `start` to `end` is `name`, which is ASCII; a name may be written with escapes. */
function isName(bytes: Uint8Array, start: number, end: number, name: string): boolean {
  const written = bytes.subarray(start, end)
  if (written.includes(backslash)) {
    // The longest way to write it.
    if (written.length > 6 * name.length) return false
    try {
      return JSON.parse(`"${String.fromCharCode(...written)}"`) === name
    } catch {
      return false
    }
  }
  return written.length === name.length && written.every((byte, at) => byte === name.charCodeAt(at))
}
