import type { Invitation, InvitationStatus } from './records.ts'

/** How long an invitation's token is valid (interface, Limits). */
export const invitationMs: number = 72 * 60 * 60 * 1_000

/** The state at a time: a pending invitation has expired from `expiresAt` on, recorded or not. */
export function invitationStatus({ status, expiresAt }: Invitation, now: number): InvitationStatus {
  return status === 'pending' && now >= expiresAt ? 'expired' : status
}

/** The invitation with a new token, which is valid for 72 hours. */
export function sentAgain(invitation: Invitation, tokenHash: string, now: number): Invitation {
  const expiresAt = now + invitationMs
  return { ...invitation, tokenHash, expiresAt, endsAt: expiresAt }
}

/** The invitation as it ends. */
export function ended(
  invitation: Invitation,
  status: Exclude<InvitationStatus, 'pending'>,
  now: number,
): Invitation {
  return { ...invitation, status, endsAt: now }
}
