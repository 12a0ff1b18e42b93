import { isAlphanumeric, isDigit, type Scan, type Span, type Text, unitAt } from './scan.ts'

const colon = 0x3a
const dot = 0x2e
/** Of the longest textual form, an IPv4-mapped IPv6 address (RFC 4291). */
const longest = 45

/**
 * IP addresses: dotted quads, and IPv6 in any form of RFC 4291, without its zone. A name before a colon and a port
 * behind one are no part of it.
 */
export const scanIpAddresses: Scan = (text, spans, from, until) => {
  let at = from
  while (at < until) {
    if (belongs(text.charCodeAt(at))) at = scanRun(text, spans, at, until)
    else at++
  }
  return at
}

/** Looks at pieces that colons join. Ends behind a colon only within a sequence that is too long for an IPv6 address. */
function scanRun(text: Text, spans: Span[], from: number, until: number): number {
  let sequence: Piece[] = []
  let isLong = unitAt(text, from - 1) === colon
  for (let at = from; ; at++) {
    const piece = pieceAt(text, at)
    at = piece.end
    const isPiecePart = piece.value !== null && isPart(piece.value)
    if (isPiecePart) sequence.push(piece)
    isLong ||= sequence.length > mostParts
    const isLast = unitAt(text, at) !== colon
    if (isLong) spans.push(...quadsOf(sequence))
    else if (!isPiecePart || isLast) spans.push(...addressesOf(sequence))
    if (isLong || !isPiecePart) sequence = []
    if (!isPiecePart) isLong = false
    if (isLast) return at
    if (isLong && at + 1 >= until) return at + 1
  }
}
/** No IPv6 address has more parts between colons, with punctuation at both ends. */
const mostParts = 12

/** The text between colons; `to` is before dots at its end. */
interface Piece extends Span {
  readonly end: number
  /** Null where it is too long for any part of an address. */
  readonly value: string | null
}

function belongs(unit: number): boolean {
  return isAlphanumeric(unit) || unit === colon || unit === dot
}

function pieceAt(text: Text, from: number): Piece {
  let end = from
  while (belongs(unitAt(text, end)) && unitAt(text, end) !== colon) end++
  let to = end
  while (to > from && unitAt(text, to - 1) === dot) to--
  if (to - from > longestQuad) return { from, to, end, value: null }
  let value = ''
  for (let at = from; at < to; at++) value += String.fromCharCode(unitAt(text, at))
  return { from, to, end, value }
}
const longestQuad = 15

function isPart(value: string): boolean {
  return value === '' || isHexGroup(value) || isIPv4(value)
}

/** The addresses in a sequence of parts: the whole, or else its dotted quads. */
function addressesOf(sequence: readonly Piece[]): readonly Span[] {
  // One empty piece at either end is punctuation, two are an abbreviation.
  const head = sequence[0]?.value === '' && sequence[1]?.value !== '' ? 1 : 0
  const tail = sequence.at(-1)?.value === '' && sequence.at(-2)?.value !== '' ? -1 : undefined
  const parts = sequence.slice(head, tail)
  const first = parts[0]
  const last = parts.at(-1)
  if (!first || !last) return []
  if (last.to - first.from <= longest && isIPv6(parts.map(({ value }) => value).join(':')))
    return [{ from: first.from, to: last.to }]
  return quadsOf(parts)
}

function quadsOf(sequence: readonly Piece[]): readonly Span[] {
  return sequence.filter(({ value }) => value !== null && isIPv4(value))
}

function isIPv4(value: string): boolean {
  const parts = value.split('.')
  return parts.length === 4 && parts.every(isOctet)
}

function isOctet(part: string): boolean {
  const digits = [...part].every((char) => isDigit(char.charCodeAt(0)))
  return digits && part.length >= 1 && part.length <= 3 && Number(part) <= 255
}

function isIPv6(value: string): boolean {
  const halves = value.split('::')
  const counts = halves.map(groupsOf)
  const [head, tail] = counts
  if (halves.length > 2 || head === null || head === undefined || tail === null) return false
  if (tail === undefined) return head === 8
  return head + tail >= 1 && head + tail <= 7
}

/** The number of 16-bit groups that a half spells; null where it spells none. */
function groupsOf(half: string): number | null {
  if (half === '') return 0
  const parts = half.split(':')
  const quad = parts.at(-1)?.includes('.') ?? false
  const groups = quad ? parts.slice(0, -1) : parts
  if (!groups.every(isHexGroup) || (quad && !isIPv4(parts.at(-1) ?? ''))) return null
  return groups.length + (quad ? 2 : 0)
}

function isHexGroup(part: string): boolean {
  return /^[0-9a-fA-F]{1,4}$/.test(part)
}
