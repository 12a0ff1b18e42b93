import { api } from '../client/api.ts'
import { loadScript } from '../client/load.ts'
import { session } from '../session.ts'
import { signChallenge } from './browser.ts'
import { NotSigned } from './not-signed.ts'

/** What an own authenticator signs for, and which authenticator, application or organization it is about. */
export interface Change {
  readonly change: 'add' | 'remove' | 'weaken'
  readonly subject?: string
  /** What is set, for `weaken`: the operation and its input without proofs. */
  readonly setting?: { readonly operation: string; readonly value: object }
}

/**
 * Signs a change by an own authenticator. A statement of anything else, such as a decision, is not signed. Rejects with
 * `NotSigned`.
 */
export async function signChange({ change, subject, setting }: Change) {
  const { challengeOf, settingDigest } = await loadScript(() => import('./challenge.ts'))
  const digest = setting ? settingDigest(setting.operation, setting.value) : null
  const asked = {
    change,
    ...(subject !== undefined && { subject }),
    ...(digest !== null && { settingDigest: digest }),
  }
  const { statement, options } = await api.authenticators.stateChange(asked)
  const expected = {
    statementVersion: '1.0',
    statementType: 'authenticator-change',
    tenantId: session.value?.tenantId,
    memberId: session.value?.member.memberId,
    change,
    subject: subject ?? null,
    settingDigest: digest,
  }
  const members = new Map<string, unknown>(Object.entries(statement))
  const isOther = Object.entries(expected).some(([name, value]) => members.get(name) !== value)
  if (isOther)
    throw new NotSigned(
      'The service asked to sign something else than this change. Nothing was signed; tell an admin.',
    )
  return { statement, ...(await signChallenge(options, challengeOf(statement))) }
}
