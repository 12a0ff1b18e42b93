import { CommandError, type Subcommand } from './subcommand.ts'
import { withService } from './with-service.ts'

const system = { kind: 'system' } as const

export const rotateTenantKey: Subcommand = {
  summary: "replace an organization's encryption key",
  help: `Usage: countersign rotate-tenant-key TENANT [--json]

Replaces the key under which the keys of an organization's data subjects lie, and forgets the old
one. Content and pseudonyms stay as they are, and everything stays readable meanwhile. Needs the
settings of the server, from its environment; the server may run. May be ended at any point: called
again, it goes on with the rotation that is under way, and so does a server.

  TENANT   the organization's id, ten_...

Called again after its end, it rotates again. A backup from before holds the old key.

  countersign rotate-tenant-key ten_01m7ynaym003y8285nwmpa7esh
`,
  options: {},
  positionals: ['TENANT'],
  run: ({ positionals: [tenantId = ''] }, around) =>
    withService(around, async ({ tenantKeys }) => {
      const currentState = async () => {
        const found = await tenantKeys.read(system, { tenantId })
        if (!found.ok) throw new CommandError(`${tenantId}: ${found.refusal.detail}`)
        return found.value
      }
      const started = !(await currentState()).rotating
      if (started) {
        const rotation = await tenantKeys.rotate(system, { tenantId })
        if (!rotation.ok) throw new CommandError(`${tenantId}: ${rotation.refusal.detail}`)
      }
      await tenantKeys.work(system)
      const { keyVersion, rotating } = await currentState()
      return {
        ok: true,
        text: [
          `${tenantId}: ${started ? 'a rotation was begun' : 'a rotation was under way'}`,
          rotating
            ? `a running server is at it; everything will lie under version ${keyVersion} of the key`
            : `everything lies under version ${keyVersion} of the key, the one before is forgotten`,
          '',
        ].join('\n'),
        facts: { tenantId, keyVersion, started, complete: !rotating },
      }
    }),
}
