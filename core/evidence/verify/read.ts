import { isObject } from '../../base/events/shape.ts'
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
