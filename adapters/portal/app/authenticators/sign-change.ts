import { api } from '../client/api.ts'
import { loadScript } from '../client/load.ts'
import { session } from '../session.ts'
import { signChallenge } from './browser.ts'
import { NotSigned } from './not-signed.ts'

/** What an own authenticator signs for, and which authenticator or application it is about. */
export interface Change {
  readonly change: 'add' | 'remove' | 'weaken'
  readonly subject?: string
}

/**
 * Signs a change by an own authenticator. A statement of anything else, such as a decision, is not signed. Rejects with
 * `NotSigned`.
 */
export async function signChange({ change, subject }: Change) {
  const { challengeOf } = await loadScript(() => import('./challenge.ts'))
  const asked = { change, ...(subject !== undefined && { subject }) }
  const { statement, options } = await api.authenticators.stateChange(asked)
  const expected = {
    statementVersion: '1.0',
    statementType: 'authenticator-change',
    tenantId: session.value?.tenantId,
    memberId: session.value?.member.memberId,
    change,
    subject: subject ?? null,
  }
  const members = new Map<string, unknown>(Object.entries(statement))
  const isOther = Object.entries(expected).some(([name, value]) => members.get(name) !== value)
  if (isOther)
    throw new NotSigned(
      'The service asked to sign something else than this change. Nothing was signed; tell an admin.',
    )
  return { statement, ...(await signChallenge(options, challengeOf(statement))) }
}
