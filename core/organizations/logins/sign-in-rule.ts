import type { Member, SignInMode, Tenant } from '../access/records.ts'

/** How members of an organization sign in. */
export function modeOf({ signIn = 'password_and_passkey' }: Pick<Tenant, 'signIn'>): SignInMode {
  return signIn
}

/**
 * Whether a password, or a passkey, opens sessions of a member. Where passkeys are asked for, a password still does for
 * who has none: so one can be enrolled, and whoever lost theirs is not locked out once it is revoked.
 */
export function opens(
  means: 'password' | 'passkey',
  tenant: Pick<Tenant, 'signIn'>,
  member: Pick<Member, 'closesPassword'>,
): boolean {
  const mode = modeOf(tenant)
  if (means === 'passkey') return mode !== 'password'
  return mode !== 'passkey' || member.closesPassword === undefined
}
