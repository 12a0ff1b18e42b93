import type { Passwords } from '../../base/ports/secrets.ts'
import type { Read } from '../../base/ports/store.ts'
import type { Permission, Role } from '../../kernel/callers/actor.ts'
import { checkName } from '../../kernel/ledger/check-text.ts'
import { refuseErrors, wrong } from '../../kernel/ledger/input-errors.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { list } from '../../kernel/ledger/reads.ts'
import { type FieldError, ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { checkEmail, emailKeyOf } from '../access/email.ts'
import { type Member, members } from '../access/records.ts'
import type { NewMember } from '../access/view.ts'
import { checkPassword, normalPassword } from '../passwords/password.ts'

/** Reads the member with this address in any tenant, as the system. */
export function memberByEmail(email: string): Read {
  return list(members, { where: [['emailKey', '=', emailKeyOf(email)]], take: 1 })
}

/** What is wrong with a new member's data; `at` is the JSON pointer of the object that holds it. */
export function checkNewMember(input: NewMember, at: string): readonly FieldError[] {
  return [
    ...checkName(input.name, `${at}/name`, longest.name),
    ...checkEmail(input.email, `${at}/email`),
    ...checkPassword(input.password, `${at}/password`),
  ]
}

export function emailTaken(at: string): ReturnType<typeof refuse> {
  return refuseErrors([wrong(`${at}/email`, 'expected an address that no member has yet')])
}

/** The hash of a chosen password, or `busy`. */
export async function hashed(passwords: Passwords, password: string): Promise<Result<string>> {
  const hash = await passwords.hash(normalPassword(password))
  return hash === null ? tooManyHashes() : ok(hash)
}

export function tooManyHashes(): ReturnType<typeof refuse> {
  return refuse('busy', 'too many passwords are being checked at this moment', { retryAfter: 1 })
}

/** An active member of version 1. */
export function newMember(
  input: NewMember & { readonly role: Role; readonly permissions: readonly Permission[] },
  made: {
    readonly tenantId: string
    readonly memberId: string
    readonly passwordHash: string
    readonly now: number
  },
): Member {
  return {
    tenantId: made.tenantId,
    memberId: made.memberId,
    name: input.name.trim(),
    email: input.email.trim(),
    emailKey: emailKeyOf(input.email),
    role: input.role,
    granted: input.permissions,
    status: 'Active',
    passwordHash: made.passwordHash,
    sessionVersion: 1,
    createdAt: made.now,
    updatedAt: made.now,
  }
}
