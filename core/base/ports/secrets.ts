/**
 * Authenticated encryption at rest: what is sealed under one context does not open under another. The first byte of
 * sealed bytes is below 0x20, so that no text is taken for them.
 */
export interface Sealer {
  seal(plain: Uint8Array, context: string): Uint8Array
  /** Throws when the bytes were changed, moved to another context, or sealed under a key that is gone. */
  open(sealed: Uint8Array, context: string): Uint8Array
  /** False for a value under a previous key: seal it again before that key is given up. */
  isCurrent(sealed: Uint8Array): boolean
}

/** Where a check of a password waits: who is known, by a device that logged in before, does not wait behind strangers. */
export type PasswordQueue = 'strangers' | 'known'

/** Whether the caller of a check still waits for its answer; an AbortSignal is one. */
export interface CallerSignal {
  readonly aborted: boolean
}

/** Slow password hashes; both calls answer null when too many wait already. */
export interface Passwords {
  /** A PHC string. */
  hash(password: string): Promise<string | null>
  /**
   * A null stored hash does the same work and answers false. A full queue must not hold up the other. Null too for a
   * caller who has left when the turn comes; who left takes no place in the queue.
   */
  verify(
    password: string,
    stored: string | null,
    queue: PasswordQueue,
    caller?: CallerSignal,
  ): Promise<boolean | null>
}

/** What a session token says. */
export interface SessionClaims {
  readonly memberId: string
  readonly tenantId: string
  readonly sessionVersion: number
  readonly tokenId: string
  /** The passkey that signed the sign-in, whose revocation ends the session; absent: none did. */
  readonly authenticatorId?: string
  /** When the organization's provider signed the member in, seconds since the epoch; absent: it did not. */
  readonly providerAt?: number
  /** Seconds since the epoch. */
  readonly issuedAt: number
  readonly expiresAt: number
}

/** What a device holds of an earlier login from it. It opens nothing: it only tells the device from strangers. */
export interface DeviceClaims {
  readonly deviceId: string
  /** Names the e-mail address that logged in, without telling it. */
  readonly subject: string
  /** Seconds since the epoch. */
  readonly issuedAt: number
  readonly expiresAt: number
}

/** Session and device tokens (JWT, one pinned algorithm); neither passes for the other. */
export interface SessionTokens {
  issue(claims: SessionClaims): Promise<string>
  /** Null for anything that is not a token of ours valid at `now` (ms). */
  verify(token: string, now: number): Promise<SessionClaims | null>
  issueDevice(claims: DeviceClaims): Promise<string>
  /** Null for anything that is not a device token of ours valid at `now` (ms). */
  verifyDevice(token: string, now: number): Promise<DeviceClaims | null>
}
