import { actorName } from '../access/actor.ts'
import { executeAs } from '../access/execute-as.ts'
import { changedApplication } from '../applications/changed-application.ts'
import { active, applicationOf } from '../applications/load.ts'
import { type Application, applications, stageOf } from '../applications/records.ts'
import type { ApplicationUseCases } from '../applications/use-cases.ts'
import { applicationStages } from '../applications/view.ts'
import { audit } from '../ledger/audit.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, refusal } from '../ledger/ledger.ts'
import { one, put } from '../ledger/reads.ts'
import { refuse } from '../ledger/refusal.ts'
import { platformEvent } from '../signals/events.ts'
import { routings } from '../webhooks/records.ts'
import { eventTime } from '../webhooks/routing/event-time.ts'
import { fanOut, routingOf } from '../webhooks/routing/fan-out.ts'
import type { LifecycleDeps } from './deps.ts'
import { presentApplication } from './present.ts'

/** Raises the stage, with its event in the same commit. */
export function promoteApplication(deps: LifecycleDeps): ApplicationUseCases['promote'] {
  const { ledger, intake } = deps
  return async (actor, applicationId, { to }) => {
    const malformed = refuseErrors(
      applicationStages.includes(to)
        ? []
        : [wrong('/to', `expected one of ${applicationStages.join(', ')}`)],
    )
    const right = 'updateApplications'
    const promoted = await executeAs<Application>(ledger, actor, right, async (unit, member) => {
      if (malformed) return refusal(malformed)
      const { tenantId } = member
      const [found, routed] = await unit.read([
        applicationOf(tenantId, applicationId),
        routingOf(tenantId),
      ])
      const loaded = active(found)
      if (!loaded.ok) return refusal(loaded)
      const was = loaded.value
      const from = stageOf(was.row)
      if (from === to) return answer(was.row)
      if (applicationStages.indexOf(to) < applicationStages.indexOf(from))
        return refusal(
          refuse('invalid_transition', `the application is in ${from}, expected a later stage`),
        )
      const routing = one(routings, routed)
      const at = eventTime(routing, unit.now)
      const row = changedApplication(was.row, { stage: to, promotedAt: at }, unit.now)
      const event = platformEvent(
        { id: unit.id('evt'), at, tenantId, application: row },
        'application.promoted',
        { fromStage: from, toStage: to, promotedAt: isoTime(at) },
      )
      const { now, id } = unit
      const owed = fanOut({ routing, tenantId, events: [event], now, id, intake })
      return commit(
        {
          checks: owed.checks,
          puts: [put(applications, row, was), ...owed.puts],
          appends: [
            audit(tenantId, {
              at: isoTime(unit.now),
              actor: actorName(member),
              action: 'application.promoted',
              subject: applicationId,
              detail: { fromStage: from, toStage: to },
            }),
          ],
        },
        row,
      )
    })
    return presentApplication(deps, promoted)
  }
}
