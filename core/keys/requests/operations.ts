import { keyIssued } from '../../applications/customer-keys.ts'
import { issueKey } from '../../applications/new-customer-key.ts'
import { actorName, customerKeyTypes } from '../../kernel/callers/actor.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { rowsBy } from '../../kernel/list.ts'
import { object } from '../../kernel/members.ts'
import { command, list, reading } from '../../kernel/operation.ts'
import { mapped, Refused, rowUnder } from '../../kernel/query.ts'
import { line, oneOf } from '../../kernel/shape.ts'
import { optional } from '../../kernel/wrap.ts'
import { rosters } from '../../organizations/access/records.ts'
import { customerKeyView, newCustomerKeyShape } from '../../organizations/api-keys/key-records.ts'
import { auditRequest } from './audit.ts'
import { existing, noneLike } from './load.ts'
import { decide, decideReveal, isDone } from './machine.ts'
import {
  type KeyRequest,
  keyRequestActions,
  keyRequests,
  keyRequestView,
  shownKeyRequest,
} from './records.ts'
import { approveKeyRequest, executeKeyRequest, listForStaff, rejectKeyRequest } from './staff.ts'
import { actionOf, subjectFaults, subjectOf } from './subject.ts'

const keyRequestShape = object(shownKeyRequest, 'KeyRequest')
const id = { requestId: line(longest.id) }

/** Asks for one of `keyRequestActions`. */
export const submitKeyRequest = command({
  name: 'keyRequests.submit',
  doc: 'Ask staff to issue-customer-key, issue-secondary-key, revoke-key or rotate-tenant-key',
  right: 'manageCustomerKeys',
  takes: {
    action: line(longest.id),
    applicationId: optional(line(longest.id)),
    type: optional(oneOf(customerKeyTypes)),
    keyId: optional(line(longest.id)),
    reason: shownKeyRequest.reason,
  },
  also: subjectFaults,
  gives: keyRequestShape,
  refuses: [
    'not_found',
    'application_gone',
    'invalid_transition',
    'request_pending',
    'authentication_required',
  ],
  async run(unit, input) {
    const { now } = unit
    const { tenantId } = unit.by
    const action = actionOf(input.action)
    if (!action)
      return unit.refuse(
        'not_found',
        `no such action, expected one of ${keyRequestActions.join(', ')}`,
      )
    const { about, roster } = await unit.ask({
      about: subjectOf(tenantId, action, input),
      roster: rosterOf(tenantId),
    })
    await unit.ask({ same: noneLike({ tenantId, action, ...about }) })
    const request: KeyRequest = {
      tenantId,
      requestId: unit.id('req'),
      action,
      ...about,
      status: 'submitted',
      open: 1,
      endedAt: null,
      requestedBy: actorName(unit.by),
      requestedAt: now,
      reason: input.reason,
      executedBy: null,
      executedAt: null,
      staffReason: null,
      issuedKeyId: null,
      revealUntil: null,
      revealedAt: null,
      rotatesTo: null,
      failure: null,
    }
    unit.put(keyRequests, request)
    // Written, not only checked: a concurrent commit that ends this admin's rights must see this request.
    unit.put(rosters, roster.row, roster)
    auditRequest(unit, request)
    return keyRequestView(request)
  },
})

/** A part of the tenant's requests, newest first. */
export const listKeyRequests = list({
  name: 'keyRequests.list',
  doc: 'List key requests, newest first',
  right: 'readCustomerKeys',
  filter: {},
  items: 'keyRequests',
  item: keyRequestShape,
  refuses: [],
  source: ({ by: { tenantId } }) =>
    rowsBy(keyRequests, {
      by: 'byTenant',
      where: { tenantId },
      cursor: 'requestId',
      newest: true,
      show: keyRequestView,
    }),
})

/** One request. */
export const readKeyRequest = reading({
  name: 'keyRequests.read',
  doc: 'Read a key request',
  right: 'readCustomerKeys',
  takes: id,
  gives: keyRequestShape,
  refuses: ['not_found'],
  async run({ ask }, { requestId }) {
    const { request } = await ask({ request: existing(requestId) })
    return keyRequestView(request.row)
  },
})

/** Withdraws a request that nobody has approved. */
export const cancelKeyRequest = command({
  name: 'keyRequests.cancel',
  doc: 'Withdraw a key request that nobody has approved',
  right: 'manageCustomerKeys',
  takes: id,
  gives: keyRequestShape,
  refuses: ['not_found', 'invalid_transition'],
  async run(unit, { requestId }) {
    const { was } = await unit.ask({ was: existing(requestId) })
    if (isDone(was.row, { act: 'cancel' })) return keyRequestView(was.row)
    const cancelled = unit.orRefuse(decide(was.row, { act: 'cancel' }, unit.now))
    unit.put(keyRequests, cancelled, was)
    auditRequest(unit, cancelled)
    return keyRequestView(cancelled)
  },
})

/**
 * Issues the key of an executed request and shows its value to the requester, once and within 24 hours. Key and value
 * are made in this commit, so that a value which nobody was shown opens nothing.
 */
export const revealKey = command({
  name: 'keyRequests.reveal',
  doc: 'Issue the key of an executed request and show its value to the requester, once',
  right: 'manageCustomerKeys',
  takes: id,
  gives: newCustomerKeyShape,
  refuses: [
    'not_found',
    'forbidden',
    'invalid_transition',
    'reveal_expired',
    'application_gone',
    'too_many_keys',
  ],
  async run(unit, { requestId }) {
    const { was } = await unit.ask({ was: existing(requestId) })
    const { tenantId, applicationId, type, issuedKeyId, requestedBy } = was.row
    if (requestedBy !== actorName(unit.by))
      unit.refuse('forbidden', 'the value is for the member who asked for it, and nobody else')
    const revealed = unit.orRefuse(decideReveal(was.row, unit.now))
    if (applicationId === null || type === null || issuedKeyId === null)
      throw new Error(`the key request ${requestId} issues a key and names none`)
    const toIssue = { tenantId, applicationId, type, keyId: issuedKeyId, createdBy: requestedBy }
    const { key, value } = await issueKey(unit, toIssue)
    unit.put(keyRequests, revealed, was)
    unit.include({ appends: [keyIssued(key, requestId)] })
    return { ...customerKeyView(key, unit.now), value }
  },
})

/** Key requests (interface, Key request). */
export const keyRequestOperations = [
  submitKeyRequest,
  listKeyRequests,
  readKeyRequest,
  cancelKeyRequest,
  revealKey,
  listForStaff,
  approveKeyRequest,
  executeKeyRequest,
  rejectKeyRequest,
] as const

function rosterOf(tenantId: string) {
  return mapped(
    rowUnder(rosters, [tenantId]),
    (roster) => roster ?? new Refused('authentication_required', 'the organization is no more'),
  )
}
