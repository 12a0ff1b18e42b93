import { bytesToHex } from '@noble/hashes/utils.js'

/** What a time stamp says (RFC 3161); that an authority signed it is not checked. */
export interface TimeStamp {
  /** Hex SHA-256 that was stamped. */
  readonly digest: string
  /** When, ms. */
  readonly stampedAt: number
  /** Hex of the request's nonce; null where it has none. */
  readonly nonce: string | null
}

/** Longest answer of an authority that is taken, in bytes. */
export const longestTimeStamp: number = 65_536

const [integer, octets, oid, sequence, set, context] = [0x02, 0x04, 0x06, 0x30, 0x31, 0xa0]
const generalizedTime = 0x18
/** 1.2.840.113549.1.7.2 */
const signedData = '2a864886f70d010702'
/** 1.2.840.113549.1.9.16.1.4 */
const stampInfo = '2a864886f70d0109100104'
/** 2.16.840.1.101.3.4.2.1 */
const sha256 = '608648016503040201'

interface Element {
  readonly tag: number
  readonly content: Uint8Array
}

/**
 * Reads an authority's answer (`TimeStampResp`, DER): null unless it grants a token over a SHA-256 digest. The path to
 * the token's content is walked by hand, for the libraries that know CMS are larger than the whole verifier.
 */
export function readTimeStamp(answer: Uint8Array): TimeStamp | null {
  try {
    const [status, token] = partsIn(only(answer), sequence)
    const [granted] = partsIn(status, sequence)
    if (!['00', '01'].includes(hexIn(granted, integer))) return null
    const [type, wrapped] = partsIn(token, sequence)
    const signed = partsIn(only(contentIn(wrapped, context)), sequence)
    const [kind, held] = partsIn(signed[2], sequence)
    if (hexIn(type, oid) !== signedData || hexIn(kind, oid) !== stampInfo) return null
    const info = partsIn(only(contentIn(only(contentIn(held, context)), octets)), sequence)
    const [algorithm, digest] = partsIn(info[2], sequence)
    if (hexIn(partsIn(algorithm, sequence)[0], oid) !== sha256) return null
    const stamped = hexIn(digest, octets)
    const stampedAt = timeIn(contentIn(info[4], generalizedTime))
    const nonce = info.slice(5).find(({ tag }) => tag === integer)
    if (stamped.length !== 64 || signed.at(-1)?.tag !== set) return null
    return { digest: stamped, stampedAt, nonce: nonce ? bytesToHex(nonce.content) : null }
  } catch (error) {
    if (error instanceof Malformed) return null
    throw error
  }
}

class Malformed extends Error {}

/** The elements that follow one another in these bytes. */
function elementsOf(bytes: Uint8Array): readonly Element[] {
  const found: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, first = 0x80] = bytes.subarray(at, at + 2)
    const size = first < 0x80 ? 0 : first - 0x80
    const length = bytes.subarray(at + 2, at + 2 + size)
    // No tags of several bytes, no length without an end, none beyond 16 MiB.
    if ((tag & 0x1f) === 0x1f || first === 0x80 || size > 3 || length.length < size)
      throw new Malformed()
    const count = size === 0 ? first : length.reduce((sum, byte) => sum * 256 + byte, 0)
    const start = at + 2 + size
    if (start + count > bytes.length) throw new Malformed()
    found.push({ tag, content: bytes.subarray(start, start + count) })
    at = start + count
  }
  return found
}

/** The one element of these bytes. */
function only(bytes: Uint8Array): Element {
  const [first, second] = elementsOf(bytes)
  if (!first || second) throw new Malformed()
  return first
}

function contentIn(element: Element | undefined, tag: number): Uint8Array {
  if (element?.tag !== tag) throw new Malformed()
  return element.content
}

function partsIn(element: Element | undefined, tag: number): readonly Element[] {
  return elementsOf(contentIn(element, tag))
}

function hexIn(element: Element | undefined, tag: number): string {
  return bytesToHex(contentIn(element, tag))
}

/** A GeneralizedTime as RFC 3161 has it: UTC, with a fraction of any length or none. */
function timeIn(content: Uint8Array): number {
  const text = new TextDecoder().decode(content)
  const [, year, month, day, hour, minute, second, fraction = ''] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/.exec(text) ?? []
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(ms)) throw new Malformed()
  return ms + Math.trunc(Number(`0${fraction}`) * 1000)
}
