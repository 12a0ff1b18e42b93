import { applicationOf } from '../applications/load.ts'
import { applications } from '../applications/records.ts'
import type { Outgoing } from '../base/events/outgoing.ts'
import type { Scorer } from '../base/ports/scorer.ts'
import type { Versioned } from '../base/ports/store.ts'
import { type SessionKey, type StoredSession, sessions } from '../content/records.ts'
import { sessionAliases } from '../content/trace-records.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { one, put } from '../kernel/ledger/reads.ts'
import { askedOf, foundBy } from '../kernel/query.ts'
import { mergedParts } from '../kernel/unit.ts'
import type { WorkHandler } from '../kernel/work/handler.ts'
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
import { fanOut, routingOf } from '../webhooks/routing/fan-out.ts'
import type { IngestDeps } from './deps.ts'
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
export function createCompletion(
  deps: Pick<IngestDeps, 'intake'> & { readonly scorer?: Scorer },
): WorkHandler {
  const { scorer = defaultScorer } = deps
  return {
    kind: completionKind,
    run: async (item, unit) => {
      const { tenantId, applicationId } = item
      if (tenantId === null || applicationId === null) return { next: null }
      const sessionId = sessionOfRef(item.ref)
      const { was, alias, applied, routed, seal, flag, governance, judgement } = await askedOf(
        unit,
        {
          was: sessions.get(tenantId, applicationId, sessionId),
          alias: sessionAliases.get(tenantId, applicationId, sessionId),
          applied: foundBy(applicationOf(tenantId, applicationId)),
          routed: foundBy(routingOf(tenantId)),
          seal: workItem(sealKind, applicationId),
          flag: foundBy(qualityRead({ tenantId, applicationId, sessionId })),
          governance: foundBy(governanceRead(applicationId)),
          judgement: foundBy(judgementItemOf(tenantId)),
        },
      )
      if (!was || !one(applications, applied) || was.row.completedAt !== null) return { next: null }
      // Its steps are about to move to the session that it is an alias of.
      if (alias) return { next: null }
      const due = completeAt(was.row)
      if (unit.now < due) return { next: due }

      const scene = sceneFrom(unit, routed, applied)
      const ended = completed(was, unit.now)
      const scored = qualityParts(scorer, scene, ended, flag)
      const place = { tenantId, applicationId }
      const after: StoredSession = {
        ...ended,
        quality: scored.quality,
        openFlags: ended.openFlags + scored.flags,
      }
      const owed = fanOut({
        ...{ routing: scene.routing, tenantId, now: unit.now, id: unit.id, intake: deps.intake },
        events: [completedEvent(scene, after), ...scored.events],
      })
      const puts = [
        put(sessions, after, was),
        ...scored.puts,
        ...governanceParts(unit, place, governance),
        ...judgeAfter({ tenantId, now: unit.now }, judgement),
      ]
      const sealing = sealAfter(place, unit.now + sealDelayMs, seal)
      return { set: mergedParts([{ puts }, owed, sealing]), next: null }
    },
  }
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
