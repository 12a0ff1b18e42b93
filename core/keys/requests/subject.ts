import { takingData } from '../../applications/load.ts'
import type { CustomerKeyType } from '../../kernel/callers/actor.ts'
import { checkName } from '../../kernel/ledger/check-text.ts'
import { wrong } from '../../kernel/ledger/input-errors.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import type { FieldError } from '../../kernel/ledger/refusal.ts'
import { answered, mapped, type Query, Refused, rowUnder } from '../../kernel/query.ts'
import { customerKeys } from '../../organizations/api-keys/key-records.ts'
import { type KeyRequest, type KeyRequestAction, keyRequestActions } from './records.ts'

/** What each action is about, and of which types the key may be that it issues: the first unless another is given. */
const actions: Readonly<Record<KeyRequestAction, Subject>> = {
  'issue-customer-key': { of: 'applicationId', types: ['primary ingest', 'management'] },
  'issue-secondary-key': { of: 'applicationId', types: ['secondary'] },
  'revoke-key': { of: 'keyId', types: [] },
  'rotate-tenant-key': { of: null, types: [] },
}

interface Subject {
  readonly of: 'applicationId' | 'keyId' | null
  readonly types: readonly CustomerKeyType[]
}

/** What a request names; which of it there must be depends on the action. */
interface Named {
  readonly action: string
  readonly applicationId?: string | undefined
  readonly keyId?: string | undefined
  readonly type?: CustomerKeyType | undefined
}

/** The action of this name, or null. */
export function actionOf(name: string): KeyRequestAction | null {
  return keyRequestActions.find((action) => action === name) ?? null
}

/** Faults of what an action takes, or does not; none where there is no such action. */
export function subjectFaults(input: Named): readonly FieldError[] {
  const action = actionOf(input.action)
  if (!action) return []
  const { of, types } = actions[action]
  const named = (['applicationId', 'keyId'] as const).flatMap((member) => {
    const pointer = `/${member}`
    if (member === of) return checkName(input[member] ?? '', pointer, longest.id)
    return input[member] === undefined ? [] : [wrong(pointer, `${action} takes no ${member}`)]
  })
  const { type } = input
  const expected = types.length > 0 ? `expected ${types.join(' or ')}` : `${action} takes no type`
  return [
    ...named,
    ...(type === undefined || types.includes(type) ? [] : [wrong('/type', expected)]),
  ]
}

/** What a request is about, once it was looked up; it stays so until the commit. */
type About = Pick<KeyRequest, 'applicationId' | 'keyId' | 'type' | 'target' | 'targetType'>

/** What an action is about. */
export function subjectOf(
  tenantId: string,
  action: KeyRequestAction,
  { applicationId = '', keyId = '', type }: Named,
): Query<About, 'not_found' | 'application_gone' | 'invalid_transition'> {
  const { of, types } = actions[action]
  const none = { applicationId: null, keyId: null, type: null, target: '', targetType: '' } as const
  if (of === null) return answered(none)
  if (of === 'keyId')
    return mapped(rowUnder(customerKeys, [tenantId, keyId]), (key) => {
      if (!key) return new Refused('not_found', 'no such customer key')
      return key.row.revokedAt === null
        ? { ...none, applicationId: key.row.applicationId, keyId, target: keyId }
        : new Refused('invalid_transition', 'the customer key is Revoked, expected Active')
    })
  const issued = type ?? types[0] ?? null
  return mapped(takingData(tenantId, applicationId), () => ({
    ...none,
    applicationId,
    type: issued,
    target: applicationId,
    targetType: issued ?? '',
  }))
}
