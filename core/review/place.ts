import { sessionAliases } from '../content/trace-records.ts'
import type { ApplicationActor } from '../kernel/callers/actor.ts'
import { answered, rowUnder } from '../kernel/query.ts'
import type { Unit } from '../kernel/unit.ts'
import type { ReviewHost } from './deps.ts'

/** Where a case is: a session and a checkpoint in it. */
export interface Place {
  readonly sessionId: string
  readonly checkpointId: string
}

/** The session that took the steps of the one that is named, where that was dissolved. */
export function aliasOf({ tenantId, applicationId }: ApplicationActor, { sessionId }: Place) {
  return rowUnder(sessionAliases, [tenantId, applicationId, sessionId])
}

/** The id under which openings find the case, where policies change what callers give. */
export function placed({ checkpoints }: ReviewHost, by: ApplicationActor, { checkpointId }: Place) {
  return checkpoints?.(by, checkpointId) ?? answered(checkpointId)
}

/** Where the case belongs: a dissolved session's cases are those of the one that took its steps. */
export async function placeOf(
  { ask, by, tools }: Pick<Unit<ApplicationActor, never, ReviewHost>, 'ask' | 'by' | 'tools'>,
  named: Place,
): Promise<Place> {
  const { alias, checkpointId } = await ask({
    alias: aliasOf(by, named),
    checkpointId: placed(tools, by, named),
  })
  return { sessionId: alias?.row.sessionId ?? named.sessionId, checkpointId }
}
