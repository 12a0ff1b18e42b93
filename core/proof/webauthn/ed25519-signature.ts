import { SigningKeyError } from '../signing/key-error.ts'
import { portablePrimitives } from '../signing/portable.ts'

/** Whether an Ed25519 signature is the key's; false, never an exception, for bytes and keys that are none. */
export function verifyEd25519(
  point: Uint8Array,
  signed: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    return portablePrimitives.ed25519Verifier(point)('', signed, signature)
  } catch (error) {
    if (error instanceof SigningKeyError) return false
    throw error
  }
}
