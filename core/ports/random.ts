export interface Random {
  /** Unpredictable bytes, from a cryptographic source outside tests. */
  bytes(count: number): Uint8Array
}
