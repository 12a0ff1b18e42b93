import { applicationOf } from '../applications/load.ts'
import { applications } from '../applications/records.ts'
import type { Outgoing } from '../base/events/outgoing.ts'
import type { Scorer } from '../base/ports/scorer.ts'
import type { Versioned } from '../base/ports/store.ts'
import { type SessionKey, type StoredSession, sessions } from '../content/records.ts'
import { sessionAliases } from '../content/trace-records.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { one } from '../kernel/ledger/reads.ts'
import { foundBy } from '../kernel/query.ts'
import { handler, type WorkHandler } from '../kernel/work/handler.ts'
import { headOf, platformEvent } from '../policies/events.ts'
import { judgeAfter, judgementItemOf } from '../policies/judgement/item.ts'
import { defaultScorer } from '../policies/scores/default-scorer.ts'
import {
  governanceParts,
  governanceRead,
  qualityParts,
  qualityRead,
} from '../policies/scores/quality.ts'
import { type Scene, sceneFrom } from '../review/execution/scene.ts'
import { routingOf } from '../webhooks/routing/fan-out.ts'
import { completeAt } from './session-state.ts'
import {
  completionKind,
  sealAfter,
  sealDelayMs,
  sealKind,
  sessionOfRef,
  workItem,
} from './work-kinds.ts'

/** Completes sessions that have gone quiet, each once, with `session.completed` and its quality in the same commit. */
export function createCompletion({
  scorer = defaultScorer,
}: {
  readonly scorer?: Scorer
} = {}): WorkHandler {
  return handler({
    kind: completionKind,
    of: 'application',
    run: async (unit, { tenantId, applicationId, ref }) => {
      const sessionId = sessionOfRef(ref)
      const { was, alias, applied, routed, seal, flag, governance, judgement } = await unit.ask({
        was: sessions.get(tenantId, applicationId, sessionId),
        alias: sessionAliases.get(tenantId, applicationId, sessionId),
        applied: foundBy(applicationOf(tenantId, applicationId)),
        routed: foundBy(routingOf(tenantId)),
        seal: workItem(sealKind, applicationId),
        flag: foundBy(qualityRead({ tenantId, applicationId, sessionId })),
        governance: foundBy(governanceRead(applicationId)),
        judgement: foundBy(judgementItemOf(tenantId)),
      })
      if (!was || !one(applications, applied) || was.row.completedAt !== null) return null
      // Its steps are about to move to the session that it is an alias of.
      if (alias) return null
      const due = completeAt(was.row)
      if (unit.now < due) return due

      const scene = sceneFrom(unit, routed, applied)
      const ended = completed(was, unit.now)
      const scored = qualityParts(scorer, scene, ended, flag)
      const place = { tenantId, applicationId }
      const after: StoredSession = {
        ...ended,
        quality: scored.quality,
        openFlags: ended.openFlags + scored.flags,
      }
      unit.put(sessions, after, was)
      unit.include({ puts: scored.puts })
      unit.include({ puts: governanceParts(unit, place, governance) })
      unit.include({ puts: judgeAfter({ tenantId, now: unit.now }, judgement) })
      unit.include(sealAfter(place, unit.now + sealDelayMs, seal))
      for (const event of [completedEvent(scene, after), ...scored.events]) unit.emit(event)
      return null
    },
  })
}

function completed({ row }: Versioned<StoredSession>, now: number): StoredSession {
  const status = row.rootFailed ? 'failed' : 'completed'
  return { ...row, status, completedAt: now, sealDue: now }
}

/** The event of a session that is complete. */
export function completedEvent(scene: Scene, session: StoredSession & SessionKey): Outgoing {
  const { tenantId, sessionId, status, startedAt, endedAt, models, tally } = session
  return platformEvent(headOf(scene, tenantId), 'session.completed', {
    sessionId,
    status: status === 'failed' ? 'failed' : 'completed',
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
    durationMs: endedAt - startedAt,
    stepCount: tally.steps,
    errorCount: tally.errors,
    inputTokens: tally.inputTokens,
    outputTokens: tally.outputTokens,
    models,
    policyEffects: { allow: tally.allow, deny: tally.deny, requireReview: tally.requireReview },
  })
}
