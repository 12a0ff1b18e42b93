import { applicationStages } from '@countersign/core'
import { applications, purges } from '@countersign/core/internal'
import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import type { ApplicationAct, Command } from '../plan.ts'
import { keyText } from '../truth.ts'
import type { Stage } from './stage.ts'

/** Staff of the deployment. */
export const staff = { kind: 'staff', name: 'operator' } as const

export async function actOnApplication(
  stage: Stage,
  command: Extract<Command, { kind: ApplicationAct }>,
): Promise<void> {
  const { client, cast, truth, world } = stage
  const draw = seededRandom(command.draw)
  const app = cast.applications[command.app]
  if (!app) return
  const { tenantId, applicationId } = app
  const label = `${command.kind} ${applicationId}`
  const now = () => truth.rows(applications).get(keyText([tenantId, applicationId]))?.row
  const lost = (what: string) =>
    world.broken('acknowledged is kept', `${applicationId} was told ${what}, not committed`)
  switch (command.kind) {
    case 'promote': {
      const to = applicationStages[draw.below(applicationStages.length)] ?? 'production'
      const heard = await client.ask(draw, label, (service) =>
        service.applications.promote(cast.admin, { applicationId, to }),
      )
      const at = applicationStages.indexOf(now()?.stage ?? 'development')
      if (heard.kind === 'ok' && at < applicationStages.indexOf(to) && !now()?.purgedAt)
        lost(`as promoted to ${to}`)
      return
    }
    case 'delete_app': {
      const heard = await client.ask(draw, label, (service) =>
        service.applications.requestDeletion(cast.admin, { applicationId }),
      )
      if (heard.kind === 'ok' && !stage.deletions.asked.has(applicationId)) lost('as being deleted')
      return
    }
    case 'cancel_deletion': {
      const heard = await client.ask(draw, label, (service) =>
        service.applications.cancelDeletion(cast.admin, { applicationId }),
      )
      if (heard.kind === 'ok' && !stage.deletions.cancelled.has(applicationId)) lost('as kept')
      return
    }
    case 'requeue':
      await requeuePurges(stage, draw)
  }
}

/** Staff tries again what was given up. */
export async function requeuePurges({ client, truth }: Stage, draw: SeededRandom): Promise<void> {
  for (const { row } of [...truth.rows(purges).values()])
    if (row.state !== 'queued')
      await client.ask(draw, `requeue ${row.messageId}`, (service) =>
        service.purgePoison.requeue(staff, {
          messageId: row.messageId,
          note: 'the cause is settled',
        }),
      )
}
