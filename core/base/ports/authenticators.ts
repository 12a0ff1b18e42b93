/** Algorithms of credentials (COSE): Ed25519, ES256 on P-256, RS256. */
export const credentialAlgorithms = [-8, -7, -257] as const
/** One of `credentialAlgorithms`. */
export type CredentialAlgorithm = (typeof credentialAlgorithms)[number]

/** A public key as a JSON Web Key (RFC 7517); members in unpadded base64url. */
export type CredentialKey =
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }

/** What a browser answers to `navigator.credentials.create`, in unpadded base64url. */
export interface NewCredential {
  readonly id: string
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string }
}

/** A credential whose registration was verified. */
export interface RegisteredCredential {
  readonly credentialId: string
  readonly publicKey: CredentialKey
  readonly algorithm: CredentialAlgorithm
  /** Of the model, as the authenticator says it: a UUID. */
  readonly aaguid: string
  /** It says that it may be copied to other devices (the flag BE). */
  readonly backedUp: boolean
  readonly signCount: number
  /**
   * SHA-256 in hex of the root certificate (DER) to which an attestation of the model leads; null: the model is only
   * what the authenticator says.
   */
  readonly attestedBy: string | null
}

/** Verifies registrations of authenticators (WebAuthn Level 3, 7.1). */
export interface Authenticators {
  /** Models whose attestations it verifies, by root certificates that the host gave for them; absent: none. */
  readonly models?: ReadonlySet<string>
  /**
   * Null for a registration that does not verify: another challenge, origin or relying party, without presence or
   * verification of the user, or a key that is no valid one of `credentialAlgorithms`.
   */
  verifyRegistration(registration: {
    readonly credential: NewCredential
    /** Unpadded base64url. */
    readonly challenge: string
    readonly rpId: string
    readonly origins: readonly string[]
    /** Ms: when certificates of an attestation must be valid. */
    readonly now: number
  }): Promise<RegisteredCredential | null>
  /**
   * Verifies ES256 (DER) and RS256 (PKCS #1 v1.5) of a key that was registered, faster than portable code can; absent:
   * that does. False, never an exception, for any bytes that are no signature.
   */
  verifySignature?(given: {
    readonly publicKey: CredentialKey
    readonly signed: Uint8Array
    readonly signature: Uint8Array
  }): boolean
}
