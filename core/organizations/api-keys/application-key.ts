import type { Random } from '../../base/ports/random.ts'
import { hashKeyText, isSecret, newSecret } from './key-text.ts'

const prefix = 'svc_app_'

/** `svc_app_`, 40 random base62 characters (238 bits), and their CRC-32 in 6 more. */
export function newApplicationKey(random: Random): string {
  return `${prefix}${newSecret(random)}`
}

/** Whether a text has the form and checksum of a key; scanners and typing errors end here, before any read. */
export function isApplicationKey(text: string): boolean {
  return text.startsWith(prefix) && isSecret(text.slice(prefix.length))
}

/** The stored form of a key: hex SHA-256. */
export const hashApplicationKey: (key: string) => string = hashKeyText

/** The part that lists show. */
export function maskedApplicationKey(key: string): string {
  return key.slice(0, prefix.length + 4)
}
