import type { Passwords } from '../../base/ports/secrets.ts'
import type { Read } from '../../base/ports/store.ts'
import type { Permission, Role } from '../../kernel/callers/actor.ts'
import { refuseErrors, wrong } from '../../kernel/ledger/input-errors.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { list } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { type InsOf, name } from '../../kernel/shape.ts'
import { emailAddress, emailKeyOf } from '../access/email.ts'
import { type Member, members } from '../access/records.ts'
import { chosenPassword, normalPassword } from '../passwords/password.ts'

/** Reads the member with this address in any tenant, as the system. */
export function memberByEmail(email: string): Read {
  return list(members, { where: [['emailKey', '=', emailKeyOf(email)]], take: 1 })
}

/** The members of an input that creates a member. */
export const newMemberInput = {
  name: name(longest.name),
  email: emailAddress,
  password: chosenPassword,
}
/** A member to create. */
export interface NewMember extends InsOf<typeof newMemberInput> {}

/** The refusal of an address that a member has; `at` is the JSON pointer of the object that holds it. */
export function emailTaken(at: string): ReturnType<typeof refuseErrors> & object {
  return refuseErrors([wrong(`${at}/email`, 'expected an address that no member has yet')])
}

/** The hash of a chosen password, or `busy`. */
export async function hashed(
  passwords: Passwords,
  password: string,
): Promise<Result<string, 'busy'>> {
  const hash = await passwords.hash(normalPassword(password))
  return hash === null ? tooManyHashes() : ok(hash)
}

export function tooManyHashes(): ReturnType<typeof refuse<'busy'>> {
  return refuse('busy', 'too many passwords are being checked at this moment', { retryAfter: 1 })
}

/** An active member of version 1. */
export function newMember(
  { name, email, role, permissions: granted }: Pick<NewMember, 'name' | 'email'> & Rights,
  made: Pick<Member, 'tenantId' | 'memberId' | 'passwordHash'> & { readonly now: number },
): Member {
  const { now, ...rest } = made
  const who = { name, email, emailKey: emailKeyOf(email), role, granted }
  return { ...rest, ...who, status: 'Active', sessionVersion: 1, createdAt: now, updatedAt: now }
}

interface Rights {
  readonly role: Role
  readonly permissions: readonly Permission[]
}
