/**
 * AES-256-GCM with a tag of 16 bytes (NIST SP 800-38D). Pure: the caller chooses the nonce, which must never come twice
 * under one key.
 */
export interface Cipher {
  /** The ciphertext with the tag behind it, after `room` bytes for the caller. `key` has 32 bytes, `nonce` 12. */
  encrypt(input: {
    readonly key: Uint8Array
    readonly nonce: Uint8Array
    readonly plain: Uint8Array
    /** Authenticated and not encrypted. */
    readonly additional: Uint8Array
    /** Bytes that are left in front; what they hold is not defined. None unless given. */
    readonly room?: number
  }): Uint8Array
  /** Null when key, nonce, bytes or additional data are not those of the encryption. */
  decrypt(input: {
    readonly key: Uint8Array
    readonly nonce: Uint8Array
    readonly sealed: Uint8Array
    readonly additional: Uint8Array
  }): Uint8Array | null
}
