/** A time-stamping authority (RFC 3161): whoever trusts it learns since when a digest has existed. */
export interface TimeStampAuthority {
  /**
   * Has a SHA-256 digest stamped. Resolves to the authority's whole answer (`TimeStampResp`, DER), which grants a token
   * over just this digest. Rejects where none is granted or the authority can't be reached, and is asked again later;
   * a digest may be stamped twice.
   */
  stamp(digest: Uint8Array): Promise<Uint8Array>
}
