import { SigningKeyError } from './key-error.ts'

/** 24 to 64 bytes (Standard Webhooks); we make 32. */
export function requireSecretLength(secret: Uint8Array): void {
  requireLength(secret, 'a shared secret', 24, 64)
}

export function requireSeedLength(seed: Uint8Array): void {
  requireLength(seed, 'an Ed25519 seed', 32, 32)
}

export function requirePublicKeyLength(publicKey: Uint8Array): void {
  requireLength(publicKey, 'an Ed25519 public key', 32, 32)
}

function requireLength(bytes: Uint8Array, what: string, least: number, most: number): void {
  if (bytes.length >= least && bytes.length <= most) return
  const expected = least === most ? `${least}` : `${least} to ${most}`
  throw new SigningKeyError(
    'invalid_length',
    `expected ${what} of ${expected} bytes, got ${bytes.length}`,
  )
}
