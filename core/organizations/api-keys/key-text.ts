import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Random } from '../../base/ports/random.ts'
import { crc32 } from './crc32.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 40
const checkLength = 6
const utf8 = new TextEncoder()
const checkedForm = new RegExp(`^[0-9A-Za-z]{${secretLength + checkLength}}$`)

/** Random base62 characters; 40 of them hold 238 bits. */
export function randomBase62(random: Random, length: number): string {
  let text = ''
  while (text.length < length)
    // 248 is the largest multiple of 62 in a byte; larger values would bias the first characters.
    for (const byte of random.bytes(length))
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62)
  return text
}

/** 40 random base62 characters and their CRC-32 in 6 more. */
export function newSecret(random: Random): string {
  const text = randomBase62(random, secretLength)
  return `${text}${checksum(text)}`
}

/** Whether a text has the form and checksum of a secret; scanners and typing errors end here, before any read. */
export function isSecret(text: string): boolean {
  return (
    checkedForm.test(text) && checksum(text.slice(0, secretLength)) === text.slice(secretLength)
  )
}

/** The stored form of a key: hex SHA-256. No slow hash is needed: 238 random bits can't be guessed. */
export function hashKeyText(key: string): string {
  return bytesToHex(sha256(utf8.encode(key)))
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
