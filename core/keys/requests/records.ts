import { type CustomerKeyType, customerKeyTypes } from '../../kernel/callers/actor.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { object, showAll } from '../../kernel/members.ts'
import {
  line,
  name,
  type OutsOf,
  oneOf,
  type RowsOf,
  stored,
  text,
  time,
} from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { orNull } from '../../kernel/wrap.ts'
import { memberName } from '../../organizations/members/member-name.ts'

/** What can be asked of staff (interface, Key request). */
export const keyRequestActions = [
  'issue-customer-key',
  'issue-secondary-key',
  'revoke-key',
  'rotate-tenant-key',
] as const
/** One of `keyRequestActions`. */
export type KeyRequestAction = (typeof keyRequestActions)[number]

/** States of a key request. */
export const keyRequestStatuses = [
  'submitted',
  'approved',
  'executing',
  'executed',
  'failed',
  'rejected',
  'cancelled',
] as const
/** One of `keyRequestStatuses`. */
export type KeyRequestStatus = (typeof keyRequestStatuses)[number]

const failure = { code: line(longest.label), detail: text(longest.detail) }
/** A refusal that ended an execution. */
export interface ExecutionFailure extends RowsOf<typeof failure> {}

/** Days that a request stays once it ended; the audit log keeps what was done. */
export const endedKeyRequestDays = 90

/** The members of a key request that are shown as they are stored. */
const asked = {
  action: oneOf(keyRequestActions),
  /** Of the key to issue, or of the key to revoke. */
  applicationId: orNull(line(longest.id)),
  /** Of the key to issue. */
  type: orNull(oneOf(customerKeyTypes)),
  /** Of the key to revoke. */
  keyId: orNull(line(longest.id)),
  status: oneOf(keyRequestStatuses),
  requestedBy: memberName,
  requestedAt: time,
  /** Who let it execute, as in the audit log. */
  executedBy: orNull(line(longest.id)),
  executedAt: orNull(time),
  /** The requester's. */
  reason: name(longest.keyRequestReason),
  /** What staff said at its last step. */
  staffReason: orNull(text(longest.staffReason)),
}

/** The members that the organization sees of a key request. */
export const shownKeyRequest = {
  id: line(longest.id),
  ...asked,
  /** Null until an execution ended. */
  result: orNull(
    object({
      /** Of the key that was issued, which exists once its value is revealed, or that was revoked. */
      keyId: orNull(line(longest.id)),
      /** Until when its requester may be shown the value. */
      revealUntil: orNull(time),
      revealedAt: orNull(time),
      /** Why the last execution failed. */
      failure: orNull(object(failure)),
    }),
  ),
}
/** As staff sees it. */
export const staffKeyRequest = { tenantId: line(longest.id), ...shownKeyRequest }

/** What admins ask of staff. */
export const keyRequests = table({
  name: 'keyRequests',
  members: {
    tenantId: line(longest.id),
    requestId: line(longest.id),
    ...asked,
    /** The application, the key, or empty, and the type or empty: a unique rule takes no null. */
    target: stored<string>('text'),
    targetType: stored<CustomerKeyType | ''>('text'),
    /** 1 while it is submitted, approved or executing, then 0. */
    open: stored<0 | 1>('int'),
    /** When it ended; null while it is open. */
    endedAt: orNull(time),
    /** The id that the key to issue will have. */
    issuedKeyId: orNull(line(longest.id)),
    revealUntil: orNull(time),
    /** When its requester was shown the value, which was made then. */
    revealedAt: orNull(time),
    /** Of the tenant's encryption key, under which everything will lie. */
    rotatesTo: stored<number | null>(),
    failure: stored<ExecutionFailure | null>(),
  },
  key: ['requestId'],
  indexes: {
    byTenant: ['tenantId'],
    byApplication: ['applicationId'],
    byAge: ['endedAt'],
    byStatus: ['status'],
    byTarget: ['tenantId', 'action', 'target', 'targetType', 'open'],
  },
  unique: {
    open: {
      on: ['tenantId', 'action', 'target', 'targetType'],
      when: { column: 'open', is: 1 },
    },
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { by: 'endedAt', days: endedKeyRequestDays },
})

/** A key request. */
export interface KeyRequest extends RowsOf<typeof keyRequests.members> {}
/** A key request as it is shown to the organization. */
export interface KeyRequestView extends OutsOf<typeof shownKeyRequest> {}
/** A key request as staff sees it. */
export interface StaffKeyRequestView extends OutsOf<typeof staffKeyRequest> {}

/** A request as callers get it, staff with the organization's id. */
export function staffKeyRequestView(request: KeyRequest): StaffKeyRequestView {
  return showAll(staffKeyRequest, { ...request, id: request.requestId, result: resultOf(request) })
}

/** A request as its organization gets it. */
export function keyRequestView(request: KeyRequest): KeyRequestView {
  const { tenantId: _, ...view } = staffKeyRequestView(request)
  return view
}

function resultOf(request: KeyRequest) {
  const { status, issuedKeyId, keyId, revealUntil, revealedAt, failure } = request
  if (status !== 'executed' && status !== 'failed') return null
  const ofKey = issuedKeyId ?? (status === 'executed' ? keyId : null)
  return { keyId: ofKey, revealUntil, revealedAt, failure }
}
