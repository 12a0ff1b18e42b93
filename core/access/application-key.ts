import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Random } from '../ports/random.ts'
import { crc32 } from './crc32.ts'

const prefix = 'svc_app_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 40
const checkLength = 6
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checkLength}}$`)
const utf8 = new TextEncoder()

/** `svc_app_`, 40 random base62 characters (238 bits), and their CRC-32 in 6 more. */
export function newApplicationKey(random: Random): string {
  const text = randomBase62(random)
  return `${prefix}${text}${checksum(text)}`
}

/** Whether a text has the form and checksum of a key; scanners and typing errors end here, before any read. */
export function isApplicationKey(text: string): boolean {
  if (!form.test(text)) return false
  const body = text.slice(prefix.length)
  return checksum(body.slice(0, randomLength)) === body.slice(randomLength)
}

/** The stored form of a key: hex SHA-256. No slow hash is needed: 238 random bits can't be guessed. */
export function hashApplicationKey(key: string): string {
  return bytesToHex(sha256(utf8.encode(key)))
}

/** The part that lists show. */
export function maskedApplicationKey(key: string): string {
  return key.slice(0, prefix.length + 4)
}

function randomBase62(random: Random): string {
  let text = ''
  while (text.length < randomLength)
    // 248 is the largest multiple of 62 in a byte; larger values would bias the first characters.
    for (const byte of random.bytes(randomLength))
      if (byte < 248 && text.length < randomLength) text += alphabet.charAt(byte % 62)
  return text
}

function checksum(text: string): string {
  let value = crc32(utf8.encode(text))
  let digits = ''
  for (let at = 0; at < checkLength; at++) {
    digits = alphabet.charAt(value % 62) + digits
    value = Math.floor(value / 62)
  }
  return digits
}
