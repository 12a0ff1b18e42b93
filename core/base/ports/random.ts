/** A source of unpredictable bytes. */
export interface Random {
  /** Unpredictable bytes, from a cryptographic source outside tests. */
  bytes(count: number): Uint8Array
}
