import type { MemberActor } from '../../kernel/callers/actor.ts'
import { refuseErrors, wrong } from '../../kernel/ledger/input-errors.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { type RefusalCode, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { RowsOf } from '../../kernel/shape.ts'
import { anyText } from '../../kernel/shape.ts'
import type { Lookup, Unit } from '../../kernel/unit.ts'
import { optional } from '../../kernel/wrap.ts'
import { settingDigest } from '../../proof/webauthn/statement.ts'
import { caller } from '../access/caller.ts'
import { members } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { changeAssertion } from '../authenticators/assertion.ts'
import { ownOf, proveChange } from '../authenticators/unit.ts'
import { tooManyHashes } from '../members/new-member.ts'
import { isPossible, normalPassword } from '../passwords/password.ts'

/**
 * What proves an admin beside their session: either of the two, the assertion for a change `weaken` of the organization
 * to what is set.
 */
export const proof = {
  password: optional(anyText(longest.password)),
  assertion: optional(changeAssertion),
  ...caller,
}
/** A proof as it is given. */
export interface Proof extends RowsOf<typeof proof> {}

/** With what an operation refuses that takes a proof. */
export const ofProof = [
  'invalid_credentials',
  'too_many_attempts',
  'busy',
  'signature_invalid',
  'authenticator_revoked',
  'authenticator_cloned',
] as const
type ProofCode = (typeof ofProof)[number]

/** Runs an operation with a proof; wrong passwords count against the member alone, as those of a change of it. */
export function countingProof<T, Code extends RefusalCode>(
  { by, tools }: { readonly by: MemberActor; readonly tools: AccessTools },
  given: Proof,
  run: () => Promise<Result<T, Code>>,
): Promise<Result<T, Code | 'too_many_attempts' | 'invalid_request'>> {
  const { password, assertion } = given
  if ((password === undefined) === (assertion === undefined))
    return Promise.resolve(
      refuseErrors([wrong('/password', 'expected either a password or an assertion')]),
    )
  if (password === undefined) return run()
  const keys = { device: `password of ${by.memberId}` }
  return tools.tries.logins.count(given, { keys, failure: 'invalid_credentials' }, run)
}

/** The hash of the member's password, which is the one that was given; null for an assertion. */
export async function checkedPassword<Code extends RefusalCode>(
  lookup: Lookup<MemberActor, Code | ProofCode, AccessTools>,
  { password, signal }: Proof,
): Promise<string | null> {
  if (password === undefined) return null
  const { by, tools } = lookup
  const { member } = await lookup.ask({ member: members.get(by.tenantId, by.memberId) })
  const hash = member?.row.passwordHash ?? null
  const matches =
    isPossible(password) &&
    (await tools.passwords.verify(normalPassword(password), hash, 'known', signal))
  if (matches === null) return lookup.orRefuse(tooManyHashes())
  return matches ? hash : lookup.orRefuse(wrongPassword())
}

/** Ends the operation unless the assertion is for all that it sets, or the password is still the one that was checked. */
export async function prove<Code extends RefusalCode>(
  unit: Unit<MemberActor, Code | ProofCode, AccessTools>,
  operation: string,
  given: Proof,
  hash: string | null,
): Promise<void> {
  const { assertion } = given
  const { tenantId, memberId } = unit.by
  const { member, own } = await unit.ask({
    member: members.get(tenantId, memberId),
    own: ownOf(tenantId, memberId),
  })
  if (assertion) {
    const set = Object.entries(given).filter(([name]) => !Object.hasOwn(proof, name))
    const setting = settingDigest(operation, Object.fromEntries(set))
    const expected = { change: 'weaken', subject: tenantId, settingDigest: setting } as const
    await proveChange(unit, expected, assertion, own.rows)
  } else if (member?.row.passwordHash !== hash || hash === null) unit.orRefuse(wrongPassword())
}

/** The refusal of another password than the member's. */
export function wrongPassword(): ReturnType<typeof refuse<'invalid_credentials'>> {
  return refuse('invalid_credentials', 'the current password is wrong')
}
