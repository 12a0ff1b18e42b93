/** A session of a member, as its holder knows it. */
export interface HeldSession {
  readonly token: string
  readonly tenantId: string
  readonly memberId: string
  /** Of the member when it was issued. */
  readonly sessionVersion: number
}

/** An invitation's token, as its invitee knows it. */
export interface HeldInvitation {
  readonly invitationId: string
  readonly email: string
  readonly token: string
  /** Answers that said it was accepted. */
  accepted: number
}

/** What was shown once, and is remembered by those whom it was shown to. */
export interface OrganizationMemory {
  /** Whole customer keys by their ids. */
  readonly keys: Map<string, string>
  /** Key requests that were answered, in their order. */
  readonly requests: string[]
  /** Requests whose value was shown. */
  readonly revealed: Set<string>
  readonly invitations: HeldInvitation[]
  readonly sessions: HeldSession[]
}

export function createOrganizationMemory(): OrganizationMemory {
  return { keys: new Map(), requests: [], revealed: new Set(), invitations: [], sessions: [] }
}
