import { staffActor, staffOption } from './staff.ts'
import { CommandError, type Subcommand, UsageError } from './subcommand.ts'
import { withService } from './with-service.ts'

/** `suspend` and `resume`: the same act in both directions. */
export const suspend: Subcommand = {
  summary: 'suspend an organization',
  help: `Usage: countersign suspend TENANT --reason TEXT [--as NAME] [--json]

From then on every call of the organization's members and keys is answered 503, in open sessions
too. What was committed before is still sent. A suspended organization stays as it is. Needs the
settings of the server, from its environment; the server may run.

  TENANT         the organization's id, ten_...
  --reason TEXT  kept with the organization, for staff alone
  --as NAME      who does it, for the audit log: staff:NAME; else system

  countersign suspend ten_01m7ynaym003y8285nwmpa7esh --reason 'Ticket 4711' --as ada
`,
  ...changing('suspend'),
}

export const resume: Subcommand = {
  summary: "end an organization's suspension",
  help: `Usage: countersign resume TENANT --reason TEXT [--as NAME] [--json]

Lets the organization's members and keys in again. An active organization stays as it is. Takes
what countersign suspend takes.

  countersign resume ten_01m7ynaym003y8285nwmpa7esh --reason 'Ticket 4711, paid' --as ada
`,
  ...changing('resume'),
}

function changing(act: 'suspend' | 'resume'): Pick<Subcommand, 'options' | 'positionals' | 'run'> {
  return {
    options: { reason: { type: 'string' }, ...staffOption },
    positionals: ['TENANT'],
    run: ({ values, positionals: [tenantId = ''] }, around) => {
      const { reason } = values
      if (typeof reason !== 'string')
        throw new UsageError('expected a reason for staff: give --reason TEXT')
      const actor = staffActor(values)
      return withService(around, async ({ tenants }) => {
        const changed = await tenants[act](actor, { tenantId, reason })
        if (!changed.ok) throw new CommandError(`${tenantId}: ${changed.refusal.detail}`)
        const { status, statusChangedAt, statusChangedBy } = changed.value
        return {
          ok: true,
          text: `${tenantId}: ${status} since ${statusChangedAt ?? 'its beginning'}\n`,
          facts: { tenantId, status, statusChangedAt, statusChangedBy },
        }
      })
    },
  }
}
