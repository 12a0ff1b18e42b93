import { staffActor, staffOption } from './staff.ts'
import { CommandError, type Subcommand, UsageError } from './subcommand.ts'
import { withService } from './with-service.ts'

/** `countersign reset-password`: the link of a reset, for a deployment without mail. */
export const resetPassword: Subcommand = {
  summary: 'print the link with which a member chooses another password',
  help: `Usage: countersign reset-password --email EMAIL [--as NAME] [--json]

The link is good once, for an hour, and takes the place of one that was sent before. Whoever has it
can log in as the member: hand it over in person, or by a channel of which you know who reads it.
Refused where no active member of an active organization has the address. Needs the settings of the
server, from its environment; the server may run.

  --email EMAIL  the member's address
  --as NAME      who does it, for the audit log: staff:NAME; else system

  countersign reset-password --email eve@acme.example --as ada
`,
  options: { email: { type: 'string' }, ...staffOption },
  positionals: [],
  run: ({ values }, around) => {
    const { email } = values
    if (typeof email !== 'string' || email === '')
      throw new UsageError("expected the member's address: give --email EMAIL")
    const actor = staffActor(values)
    return withService(around, async ({ auth }) => {
      const issued = await auth.issuePasswordReset(actor, { email })
      if (!issued.ok) throw new CommandError(issued.refusal.detail)
      const { resetUrl, expiresAt, tenantId, memberId } = issued.value
      return {
        ok: true,
        text: `${resetUrl}\ngood once, until ${expiresAt}\n`,
        facts: { tenantId, memberId, resetUrl, expiresAt },
      }
    })
  },
}
