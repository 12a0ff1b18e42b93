import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomFillSync,
} from 'node:crypto'
import type { Sealer } from '@countersign/core/ports'

const format = 1
const keyBytes = 32
const keyIdBytes = 8
const nonceBytes = 12
const tagBytes = 16
const headerBytes = 1 + keyIdBytes

/** Master keys of `sealer`. */
export interface SealerOptions {
  /** 32 bytes; everything new is sealed under it. */
  readonly masterKey: Uint8Array
  /** Keys that it replaced, as long as something is sealed under them. */
  readonly previousKeys?: readonly Uint8Array[]
}

/**
 * AES-256-GCM: format (1 byte), key id (8), nonce (12), ciphertext, tag (16). Format, key id and context are
 * authenticated. Nonces are random, so one key is good for 2^32 seals (NIST SP 800-38D 8.3).
 */
export function sealer(options: SealerOptions): Sealer {
  const keys = [options.masterKey, ...(options.previousKeys ?? [])].map(loadKey)
  const [current] = keys
  if (!current) throw new TypeError('expected a master key')

  return {
    seal(plain, context) {
      const nonce = nextNonce()
      const cipher = createCipheriv('aes-256-gcm', current.secret, nonce)
      cipher.setAAD(additionalData(current.header, context))
      const sealed = pooled(headerBytes + nonceBytes + plain.length + tagBytes)
      sealed.set(current.header)
      sealed.set(nonce, headerBytes)
      sealed.set(cipher.update(plain), headerBytes + nonceBytes)
      cipher.final()
      sealed.set(cipher.getAuthTag(), sealed.length - tagBytes)
      return sealed
    },
    open(sealed, context) {
      if (sealed.length < headerBytes + nonceBytes + tagBytes || sealed[0] !== format)
        throw new Error(`expected sealed bytes of format ${format}, got ${sealed.length} others`)
      const key = keys.find(({ header }) => startsWith(sealed, header))
      if (!key)
        throw new Error(
          `sealed under the key ${keyIdOf(sealed)}, which is not among those given: ${keys.map(({ header }) => keyIdOf(header)).join(', ')}`,
        )
      const nonce = sealed.subarray(headerBytes, headerBytes + nonceBytes)
      const decipher = createDecipheriv('aes-256-gcm', key.secret, nonce, {
        authTagLength: tagBytes,
      })
      decipher.setAAD(additionalData(key.header, context))
      decipher.setAuthTag(sealed.subarray(-tagBytes))
      const ciphertext = sealed.subarray(headerBytes + nonceBytes, -tagBytes)
      const plain = decipher.update(ciphertext)
      decipher.final()
      // As a plain Uint8Array: `slice` of a Buffer shares memory, which the core does not expect.
      return new Uint8Array(plain.buffer, plain.byteOffset, plain.length)
    },
    isCurrent: (sealed) => startsWith(sealed, current.header),
  }
}

interface LoadedKey {
  readonly secret: KeyObject
  /** Format and key id, which lead every seal under this key. */
  readonly header: Uint8Array
}

function loadKey(bytes: Uint8Array): LoadedKey {
  if (bytes.length !== keyBytes)
    throw new TypeError(`expected a master key of ${keyBytes} bytes, got ${bytes.length}`)
  const digest = createHash('sha256').update('countersign-master-key').update(bytes).digest()
  const header = Uint8Array.of(format, ...digest.subarray(0, keyIdBytes))
  return { secret: createSecretKey(bytes), header }
}

/** Random bytes for so many nonces: a call of the system for each would cost more than the encryption. */
const nonces = Buffer.alloc(256 * nonceBytes)
let used = nonces.length

function nextNonce(): Uint8Array {
  if (used === nonces.length) {
    randomFillSync(nonces)
    used = 0
  }
  used += nonceBytes
  return nonces.subarray(used - nonceBytes, used)
}

/** The key's id in hex; reveals nothing about the key. */
function keyIdOf(sealed: Uint8Array): string {
  return Buffer.from(sealed.subarray(1, headerBytes)).toString('hex')
}

function additionalData(header: Uint8Array, context: string): Uint8Array {
  return Buffer.concat([header, Buffer.from(context, 'utf8')])
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, at) => bytes[at] === byte)
}

/** From Buffer's pool: memory of its own for each small seal costs as much as its encryption. */
function pooled(length: number): Uint8Array {
  const { buffer, byteOffset } = Buffer.allocUnsafe(length)
  return new Uint8Array(buffer, byteOffset, length)
}
