import { type KeyRequestStatus, keyRequestStatuses } from '@countersign/core'
import { staffActor, staffOption } from './staff.ts'
import { CommandError, type Subcommand, UsageError } from './subcommand.ts'
import { withService } from './with-service.ts'

const mostShown = 100
const acts = ['approve', 'execute', 'reject'] as const

export const keyRequests: Subcommand = {
  summary: 'list key requests of all organizations',
  help: `Usage: countersign key-requests [--status STATUS] [--json]

Prints the newest ${mostShown} key requests: id, organization, status, action and when it was asked. Needs
the settings of the server, from its environment; the server may run.

  --status STATUS  such as submitted, approved or failed

  countersign key-requests --status submitted
`,
  options: { status: { type: 'string' } },
  positionals: [],
  run: ({ values: { status } }, around) =>
    withService(around, async (service) => {
      const page = { page: 1, pageSize: mostShown }
      const asked = typeof status === 'string' ? { status: statusNamed(status) } : {}
      const listed = await service.keyRequests.listForStaff(
        { kind: 'system' },
        { ...asked, ...page },
      )
      if (!listed.ok) throw new CommandError(listed.refusal.detail)
      const { keyRequests: items, totalCount } = listed.value
      const lines = items.map((each) =>
        [each.id, each.tenantId, each.status.padEnd(9), each.requestedAt, each.action].join('  '),
      )
      const more = totalCount > items.length ? [`${totalCount - items.length} more`] : []
      return {
        ok: true,
        text: `${[...(lines.length === 0 ? ['none'] : lines), ...more].join('\n')}\n`,
        facts: { keyRequests: items, totalCount },
      }
    }),
}

export const keyRequest: Subcommand = {
  summary: 'approve, execute or reject a key request',
  help: `Usage: countersign key-request ${acts.join('|')} REQUEST [--reason TEXT] [--as NAME] [--json]

Takes a key request a step on. Its organization reads the reason. A value that an execution issues
is shown to the requester alone, in the portal. Needs the settings of the server, from its
environment; the server may run, and must for the rotation of an encryption key to end.

  REQUEST        the request's id, req_...
  --reason TEXT  for the organization
  --as NAME      who does it, for the audit log: staff:NAME; else system

  countersign key-request approve req_01m7ynaym003y8285nwmpa7esh --as ada
`,
  options: { reason: { type: 'string' }, ...staffOption },
  positionals: ['ACT', 'REQUEST'],
  run: ({ values, positionals: [given = '', requestId = ''] }, around) => {
    const act = acts.find((each) => each === given)
    if (!act) throw new UsageError(`expected one of ${acts.join(', ')}, got ${given}`)
    const actor = staffActor(values)
    const { reason } = values
    const step = typeof reason === 'string' ? { reason } : {}
    return withService(around, async ({ keyRequests: requests }) => {
      const done = await requests[act](actor, { requestId, ...step })
      if (!done.ok) throw new CommandError(`${requestId}: ${done.refusal.detail}`)
      const { tenantId, status, result } = done.value
      const failure = result?.failure ?? null
      return {
        ok: status !== 'failed',
        text: `${requestId}: ${status}${failure === null ? '' : `, ${failure.code}: ${failure.detail}`}\n`,
        facts: { requestId, tenantId, status, failure },
      }
    })
  },
}

function statusNamed(text: string): KeyRequestStatus {
  const found = keyRequestStatuses.find((each) => each === text)
  if (found) return found
  throw new UsageError(`expected one of ${keyRequestStatuses.join(', ')}, got ${text}`)
}
