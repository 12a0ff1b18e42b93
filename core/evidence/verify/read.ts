import { canonicalize } from '../../base/canonical/canonicalize.ts'
import { isObject } from '../../base/events/shape.ts'
import { msOfWritten } from '../../base/text/written-time.ts'
import { documentLevels } from '../../proof/signed-text.ts'
import { decodeBase64 } from '../../proof/signing/encoding.ts'

/** A JSON object of a document that is not trusted. */
export type Json = Readonly<Record<string, unknown>>

/** A member that is an object, else null. */
export function objectAt(value: Json, name: string): Json | null {
  const member = value[name]
  return isObject(member) ? member : null
}

/** A member that is text, else null. */
export function textAt(value: Json, name: string): string | null {
  const member = value[name]
  return typeof member === 'string' ? member : null
}

/** A member that is an array of nothing but objects, else null. */
export function objectsAt(value: Json, name: string): readonly Json[] | null {
  const member = value[name]
  return Array.isArray(member) && member.every(isObject) ? member : null
}

/** A member that is an array of nothing but texts, else null. */
export function textsAt(value: Json, name: string): readonly string[] | null {
  const member = value[name]
  return Array.isArray(member) && member.every((each) => typeof each === 'string') ? member : null
}

/** A value as a finding shows it: text, numbers and the like as they are, of others what they are. */
export function textOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}

const isoTime = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](\d\d):(\d\d))$/

/** Ms of a time (ISO 8601, with seconds and zone); NaN for all else, what engines read beside that among it. */
export function msOf(value: unknown): number {
  const text = typeof value === 'string' ? value : ''
  const parts = isoTime
    .exec(text)
    ?.slice(1)
    .map((part) => Number(part ?? 0))
  if (!parts) return Number.NaN
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ...zone] = parts
  // Leap years are the same in every 400 years; of the first hundred, Date.UTC makes others.
  const isDay = new Date(Date.UTC(2000 + (year % 400), month - 1, day)).getUTCDate() === day
  const isTime =
    hour < 24 && (zone[0] ?? 0) < 24 && [minute, second, zone[1] ?? 0].every((each) => each < 60)
  return year >= 1 && month >= 1 && month <= 12 && isDay && isTime ? Date.parse(text) : Number.NaN
}

/** Ms of a time in the one form in which the service writes it, UTC with milliseconds; NaN for all else. */
export function plainMsOf(value: unknown): number {
  return typeof value === 'string' ? msOfWritten(value) : Number.NaN
}

/** Whether a value is the number of a revision: whole, from 1. */
export function isRevision(value: unknown): value is number {
  return Number.isSafeInteger(value) && numberOf(value) >= 1
}

/** A number; NaN for all else, a number in a text among it. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN
}

/**
 * A name for values under which a map has them: the same for the same JSON alone, but that absent is null and that what is
 * nested too deeply to have a canonical form goes by its kind.
 */
export function nameOf(...values: readonly unknown[]): string {
  return values
    .map((value) => (typeof value === 'string' ? JSON.stringify(value) : named(value)))
    .join()
}

function named(value: unknown): string {
  return bytesOrNull(() => canonicalize(value ?? null, documentLevels)) ?? textOf(value)
}

/** The 32 bytes of a SHA-256 in lower-case hex, else null. */
export function hashOf(value: unknown): Uint8Array | null {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value)) return null
  return Uint8Array.from({ length: 32 }, (_, at) =>
    Number.parseInt(value.slice(2 * at, 2 * at + 2), 16),
  )
}

/** The bytes of base64url without padding (RFC 4648 5), else null. */
export function base64UrlBytes(text: string): Uint8Array | null {
  if (!/^[\w-]*$/.test(text)) return null
  const standard = text.replaceAll('-', '+').replaceAll('_', '/')
  return decodeBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='))
}

/** What `make` yields; null where the value has no canonical form. */
export function bytesOrNull<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}
