import { actorName, type CustomerKeyType } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { customerKeys, rosters } from '../access/records.ts'
import { active, applicationOf } from '../applications/load.ts'
import { applications } from '../applications/records.ts'
import { checkName } from '../ledger/check-text.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { commit, refusal, type UnitOfWork } from '../ledger/ledger.ts'
import { longest } from '../ledger/limits.ts'
import { get, list, one, put, unchanged } from '../ledger/reads.ts'
import { type FieldError, ok, type Result, refuse } from '../ledger/refusal.ts'
import type { Check, Read } from '../ports/store.ts'
import { requestEntry } from './audit.ts'
import type { KeyRequestDeps } from './deps.ts'
import { keyRequestView } from './present.ts'
import {
  type KeyRequest,
  type KeyRequestAction,
  keyRequestActions,
  keyRequests,
} from './records.ts'
import type { KeyRequestUseCases } from './use-cases.ts'
import type { KeyRequestInput } from './view.ts'

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

/** What a request is about, once it was looked up; and the checks that it stays so. */
type About = Pick<KeyRequest, 'applicationId' | 'keyId' | 'type' | 'target' | 'targetType'> & {
  readonly checks: readonly Check[]
}

export function submitKeyRequest({ ledger }: KeyRequestDeps): KeyRequestUseCases['submit'] {
  return async (actor, asked, input) => {
    const member = authorizeMember(actor, 'manageCustomerKeys')
    if (!member.ok) return member
    const action = keyRequestActions.find((one) => one === asked)
    if (!action)
      return refuse('not_found', `no such action, expected one of ${keyRequestActions.join(', ')}`)
    const malformed = refuseErrors(checkInput(action, input))
    if (malformed) return malformed
    return executeAs(ledger, actor, 'manageCustomerKeys', async (unit, by) => {
      const { tenantId } = by
      const about = await lookUp(unit, tenantId, action, input)
      if (!about.ok) return refusal(about)
      const { checks, ...subject } = about.value
      const [same, foundRoster] = await unit.read([
        openLike({ tenantId, action, ...subject }),
        get(rosters, [tenantId]),
      ])
      const roster = one(rosters, foundRoster)
      if (!roster) return refusal(refuse('authentication_required', 'the organization is no more'))
      const pending = one(keyRequests, same)
      if (pending) return refusal(requestPending(pending.row))
      const request: KeyRequest = {
        tenantId,
        requestId: unit.id('req'),
        action,
        ...subject,
        status: 'submitted',
        open: 1,
        endedAt: null,
        requestedBy: actorName(by),
        requestedAt: unit.now,
        reason: input.reason.trim(),
        executedBy: null,
        executedAt: null,
        staffReason: null,
        issuedKeyId: null,
        revealUntil: null,
        revealedAt: null,
        rotatesTo: null,
        failure: null,
      }
      return commit(
        {
          checks,
          puts: [
            put(keyRequests, request, null),
            // Written, not only checked: who ends this admin's rights at once must see this request.
            put(rosters, roster.row, roster),
          ],
          appends: [requestEntry(request, request.requestedBy, unit.now)],
        },
        keyRequestView(request),
      )
    })
  }
}

/** The read of the open request for the same. */
export function openLike(
  like: Pick<KeyRequest, 'tenantId' | 'action' | 'target' | 'targetType'>,
): Read {
  return list(keyRequests, {
    by: 'byTarget',
    where: [
      ['tenantId', '=', like.tenantId],
      ['action', '=', like.action],
      ['target', '=', like.target],
      ['targetType', '=', like.targetType],
      ['open', '=', 1],
    ],
    take: 1,
  })
}

export function requestPending({ requestId, status }: KeyRequest): ReturnType<typeof refuse> {
  return refuse('request_pending', `the same is asked for by ${requestId}, which is ${status}`)
}

function checkInput(action: KeyRequestAction, input: KeyRequestInput): readonly FieldError[] {
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
    ...checkName(input.reason, '/reason', longest.keyRequestReason),
  ]
}

async function lookUp(
  { read }: UnitOfWork,
  tenantId: string,
  action: KeyRequestAction,
  { applicationId = '', keyId = '', type }: KeyRequestInput,
): Promise<Result<About>> {
  const { of, types } = actions[action]
  if (of === 'keyId') {
    const [found] = await read([get(customerKeys, [tenantId, keyId])])
    const key = one(customerKeys, found)
    if (!key) return refuse('not_found', 'no such customer key')
    if (key.row.revokedAt !== null)
      return refuse('invalid_transition', 'the customer key is Revoked, expected Active')
    const check: Check = { in: customerKeys.name, key: [tenantId, keyId], version: key.version }
    const { applicationId: ofKey } = key.row
    const subject = { applicationId: ofKey, keyId, type: null, target: keyId, targetType: '' }
    return ok({ ...subject, checks: [check] })
  }
  if (of === null)
    return ok({
      applicationId: null,
      keyId: null,
      type: null,
      target: '',
      targetType: '',
      checks: [],
    })
  const [found] = await read([applicationOf(tenantId, applicationId)])
  const application = active(found)
  if (!application.ok) return application
  const check = unchanged(applications, application.value)
  const issued = type ?? types[0] ?? null
  const target = { target: applicationId, targetType: issued ?? '' }
  return ok({ applicationId, keyId: null, type: issued, ...target, checks: [check] })
}
