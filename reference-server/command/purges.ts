import { staffActor, staffOption } from './staff.ts'
import { CommandError, type Subcommand, UsageError } from './subcommand.ts'
import { withService } from './with-service.ts'

const mostShown = 100
const acts = ['requeue', 'resolve'] as const

export const purges: Subcommand = {
  summary: 'list purges that failed for the last time',
  help: `Usage: countersign purges [--json]

Prints the first ${mostShown} purges that were given up after five tries: message, organization,
application, step and error. Needs the settings of the server, from its environment; the server
may run.
`,
  options: {},
  positionals: [],
  run: (_, around) =>
    withService(around, async ({ purgePoison }) => {
      const page = { page: 1, pageSize: mostShown }
      const listed = await purgePoison.list({ kind: 'system' }, page)
      if (!listed.ok) throw new CommandError(listed.refusal.detail)
      const { messages, totalCount } = listed.value
      const lines = messages.map(({ messageId, tenantId, applicationId, step, lastError }) =>
        [messageId, tenantId, applicationId, `step ${step}`, lastError ?? ''].join('  '),
      )
      const more = totalCount > messages.length ? [`${totalCount - messages.length} more`] : []
      return {
        ok: totalCount === 0,
        text: `${[...(lines.length === 0 ? ['none'] : lines), ...more].join('\n')}\n`,
        facts: { purges: messages, totalCount },
      }
    }),
}

export const purge: Subcommand = {
  summary: 'take up a purge that failed',
  help: `Usage: countersign purge ${acts.join('|')} MESSAGE --note TEXT [--as NAME] [--json]

requeue tries the purge again at once, from the step where it stands; resolve leaves it to the
sweep at 02:00 UTC. Mend first what its error says. Needs the settings of the server, from its
environment; the server may run, and must for the purge to go on.

  MESSAGE      the message's id, prg_..., from countersign purges
  --note TEXT  what was done
  --as NAME    who does it, for the audit log: staff:NAME; else system

  countersign purge requeue prg_01m7ynaym003y8285nwmpa7esh --note 'disk replaced' --as ada
`,
  options: { note: { type: 'string' }, ...staffOption },
  positionals: ['ACT', 'MESSAGE'],
  run: ({ values, positionals: [given = '', messageId = ''] }, around) => {
    const act = acts.find((each) => each === given)
    if (!act) throw new UsageError(`expected one of ${acts.join(', ')}, got ${given}`)
    const { note } = values
    if (typeof note !== 'string') throw new UsageError('expected what was done: give --note TEXT')
    const actor = staffActor(values)
    return withService(around, async ({ purgePoison }) => {
      const settled = await purgePoison[act](actor, { messageId, note })
      if (!settled.ok) throw new CommandError(`${messageId}: ${settled.refusal.detail}`)
      const { tenantId, applicationId, state } = settled.value
      return {
        ok: true,
        text: `${messageId}: ${state}\n`,
        facts: { messageId, tenantId, applicationId, state },
      }
    })
  },
}
