import type { Json } from '../../content/span.ts'
import { ingestLimits } from '../../kernel/ledger/limits.ts'

/** A content within its limit, and whether something was cut off. */
export interface Fitted<T> {
  readonly value: T
  readonly cut: boolean
}

/** A content whose JSON takes `most` bytes at most: a text's start, or the start of a list's JSON as a text. */
export function fitContent(value: Json, most: number = ingestLimits.contentBytes): Fitted<Json> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return fitMembers(value as { readonly [name: string]: Json }, most)
  if (bytesUpTo(value, most) <= most) return { value, cut: false }
  return { value: startOf(asText(value), most), cut: true }
}

/**
 * An object within its limit. The largest members give way, all down to the same size, so that a small one is never cut
 * for a large one's sake.
 */
export function fitMembers<T extends { readonly [name: string]: Json }>(
  members: T,
  most: number,
): Fitted<T> {
  const sizes = Object.entries(members).map(([name, value]) => ({
    name,
    value,
    frame: jsonBytes(name) + 2,
    bytes: bytesUpTo(value, most),
  }))
  const total = (level: number) =>
    // The last member has no comma.
    sizes.reduce((sum, { frame, bytes }) => sum + frame + Math.min(bytes, level), 1)
  if (total(Number.POSITIVE_INFINITY) <= most) return { value: members, cut: false }
  let level = most
  // 2 bytes hold the empty text.
  while (level > 2 && total(level) > most) level = Math.floor(level / 2)
  const fitted: Record<string, Json> = {}
  for (const { name, value, bytes } of sizes)
    fitted[name] = bytes <= level ? value : startOf(asText(value), level)
  return { value: fitted as T, cut: true }
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Bytes of a value's JSON; `most + 1`, without counting, for a text that is longer than `most` anyway. */
function bytesUpTo(value: Json, most: number): number {
  return typeof value === 'string' && value.length > most ? most + 1 : jsonBytes(value)
}

/** Bytes of a value's JSON in UTF-8. */
export function jsonBytes(value: Json): number {
  if (typeof value === 'string') return textBytes(value, 0, value.length) + 2
  return textLength(JSON.stringify(value))
}

/** Bytes of a text in UTF-8. */
function textLength(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) bytes += utf8Bytes(text.charCodeAt(at))
  return bytes
}

function textBytes(text: string, from: number, to: number): number {
  let bytes = 0
  for (let at = from; at < to; at++) bytes += unitBytes(text.charCodeAt(at))
  return bytes
}

/** Of a UTF-16 unit; half a pair counts half of what the pair takes. */
function utf8Bytes(unit: number): number {
  if (unit < 0x80) return 1
  if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) return 2
  return 3
}

/** Of a unit within a JSON text. */
function unitBytes(unit: number): number {
  if (unit >= 0x20) return unit === 0x22 || unit === 0x5c ? 2 : utf8Bytes(unit)
  // \b \t \n \f \r have a short escape, other controls \u00XX.
  return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b ? 2 : 6
}

/** The start of a text whose JSON takes `most` bytes at most, without half a pair at its end. */
function startOf(text: string, most: number): string {
  let bytes = 2
  let end = 0
  while (end < text.length) {
    bytes += unitBytes(text.charCodeAt(end))
    if (bytes > most) break
    end++
  }
  const last = text.charCodeAt(end - 1)
  return text.slice(0, end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end)
}
