import { applicationOf } from '../../applications/load.ts'
import { type Application, applications } from '../../applications/records.ts'
import type { Found, Versioned } from '../../base/ports/store.ts'
import { type Actor, actorName } from '../../kernel/callers/actor.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { one } from '../../kernel/ledger/reads.ts'
import { type Routing, routings } from '../../webhooks/records.ts'
import { eventTime } from '../../webhooks/routing/event-time.ts'
import { routingOf } from '../../webhooks/routing/fan-out.ts'
import type { SeenVersion } from '../inputs.ts'
import type { CommandContext } from '../machine/command.ts'

/** What a step depends on beside the case. */
export interface Scene {
  readonly unit: UnitOfWork
  /**
   * Ms: the one time of the decision, recorded, sent and compared with deadlines. The event's time, which may lie a
   * moment ahead of the clock.
   */
  readonly at: number
  readonly routing: Versioned<Routing> | null
  readonly application: Versioned<Application> | null
}

/** What was read of a case's surroundings. */
export interface Surroundings {
  /** By `routingOf`. */
  readonly routed: Found | undefined
  /** By `applicationOf`. */
  readonly applied: Found | undefined
}

export async function sceneOf(
  unit: UnitOfWork,
  tenantId: string,
  applicationId: string,
): Promise<Scene> {
  const [routed, applied] = await unit.read([
    routingOf(tenantId),
    applicationOf(tenantId, applicationId),
  ])
  return sceneFrom(unit, routed, applied)
}

/** The scene of what `routingOf` and `applicationOf` found. */
export function sceneFrom(
  unit: UnitOfWork,
  routed: Found | undefined,
  applied: Found | undefined,
): Scene {
  const routing = one(routings, routed)
  const application = one(applications, applied)
  return { unit, routing, application, at: eventTime(routing, unit.now) }
}

/** Whether a case that closes now owes its application a callback; a gone endpoint is owed it and gives up at once. */
export function owesCallback({ application }: Pick<Scene, 'application'>): boolean {
  return application?.row.outcomeCallback?.enabled ?? false
}

/** The context of a command: actor, time and the version seen. */
export function contextOf(
  actor: Actor,
  scene: Pick<Scene, 'at' | 'application'>,
  seen: SeenVersion | null = null,
): CommandContext {
  const member = actor.kind === 'member' ? actor : null
  return {
    now: scene.at,
    by: {
      name: actorName(actor),
      memberId: member?.memberId ?? null,
      admin: member?.role === 'CustomerAdmin',
    },
    seen,
    callback: owesCallback(scene),
  }
}
