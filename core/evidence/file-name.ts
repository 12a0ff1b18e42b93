import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * A file name for an id that an application chose: its first 80 characters, all but letters, digits and `._-` as `_`,
 * then `-` and 8 hex digits of its SHA-256, so that no two ids share a name and no system reserves it.
 */
export function fileNameOf(id: string): string {
  const readable = id.slice(0, 80).replaceAll(/[^A-Za-z0-9._-]/g, '_')
  return `${readable}-${bytesToHex(sha256(utf8ToBytes(id))).slice(0, 8)}`
}
