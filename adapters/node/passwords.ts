import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { PasswordQueue, Passwords } from '@countersign/core/ports'
import { createGate } from './gate.ts'
import { formatPhc, parsePhc, type ScryptHash } from './phc.ts'

/** Cost and queue of password hashing. */
export interface PasswordOptions {
  /** Binary logarithm of scrypt's N; 17 takes some 400 ms and 128 MiB. */
  readonly logN?: number
  /** Hashes at the same time; each keeps one of libuv's four threads. */
  readonly atOnce?: number
  /** Callers that may wait for their turn in each queue; the next one is told null. */
  readonly waiting?: number
}

const r = 8
const p = 1
const saltBytes = 16
const hashBytes = 32
/** The default of Node, 32 MiB, is less than N = 2^17 needs. */
const maxmem = 256 * 1024 * 1024

/** Scrypt (RFC 7914) with N = 2^17, r = 8, p = 1, as PHC strings; what was hashed with other parameters is verified with those. */
export function passwords(options: PasswordOptions = {}): Passwords {
  const { logN = 17, atOnce = 2, waiting = 64 } = options
  const gate = createGate<PasswordQueue>({ queues: ['strangers', 'known'], atOnce, waiting })
  // Verified for unknown members, so that they cost the same; no password matches it.
  const nobody = { logN, r, p, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) }

  return {
    hash: (password) =>
      gate('known', async () => {
        const cost = { logN, r, p, salt: randomBytes(saltBytes) }
        return formatPhc({ ...cost, hash: await derive(password, cost, hashBytes) })
      }),
    verify: (password, stored, queue, caller) => {
      const known = stored === null ? nobody : parsePhc(stored)
      const check = async () => {
        const derived = await derive(password, known, known.hash.length)
        return timingSafeEqual(derived, known.hash) && stored !== null
      }
      return gate(queue, check, caller)
    },
  }
}

function derive(
  password: string,
  cost: Omit<ScryptHash, 'hash'>,
  length: number,
): Promise<Uint8Array> {
  const { logN, r, p, salt } = cost
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, { N: 2 ** logN, r, p, maxmem }, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}
