// States of records, found in what the service answers by the members that only records of that kind have.

/** By machine: the member that has the state, and the members that tell such a record from others. */
const machines = [
  ['review case', 'state', ['reviewCaseId', 'state']],
  ['delivery', 'deliveryStatus', ['deliveryStatus']],
  ['subscription', 'status', ['eventTypes', 'statusReason']],
  ['application', 'lifecycleState', ['lifecycleState']],
  ['customer key', 'status', ['keyId', 'status', 'rotationDueAt']],
  ['key request', 'status', ['action', 'requestedBy', 'status']],
  ['member', 'status', ['memberId', 'addedAt', 'status']],
  ['session', 'status', ['sessionId', 'startedAt', 'status']],
  ['erasure', 'status', ['erasureRequestId', 'status']],
  ['tenant', 'status', ['tenantId', 'statusReason']],
  ['alert rule', 'state', ['alertRuleId', 'state']],
]

/** Deep enough for a list within an answer, and a record within its row. */
const deepest = 4
const most = 200

/** `review case: open` and the like, in an answer. */
export function* statesIn(value, depth = 0) {
  if (typeof value !== 'object' || value === null || depth > deepest) return
  if (ArrayBuffer.isView(value)) return
  if (Array.isArray(value)) {
    for (const each of value.slice(0, most)) yield* statesIn(each, depth + 1)
    return
  }
  for (const [machine, member, marks] of machines)
    if (marks.every((mark) => mark in value)) yield `${machine}: ${value[member]}`
  if (typeof value.health === 'object' && value.health !== null)
    yield `health: ${value.health.status}`
  for (const each of Object.values(value)) yield* statesIn(each, depth + 1)
}
