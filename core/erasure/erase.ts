import { tenants } from '../access/records.ts'
import { encodeEvent } from '../events/envelope.ts'
import type { LegacyEvent } from '../events/legacy.ts'
import { audit } from '../ledger/audit.ts'
import { isoTime } from '../ledger/iso-time.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, one, put } from '../ledger/reads.ts'
import type { Versioned } from '../ports/store.ts'
import { routings } from '../webhooks/records.ts'
import { eventTime } from '../webhooks/routing/event-time.ts'
import { fanOut, routingOf } from '../webhooks/routing/fan-out.ts'
import type { WorkHandler, WorkStep } from '../work/handler.ts'
import { erasureCertificateOf } from './certificate.ts'
import type { ErasureDeps } from './deps.ts'
import { eraseSession } from './erase-session.ts'
import { eraseSteps } from './erase-steps.ts'
import { certificateUrlOf } from './present.ts'
import { type Progress, progressOf } from './progress.ts'
import { type ErasureRequest, erasureOf, erasureRequests } from './records.ts'
import { erasureKind } from './requests.ts'
import { sessionsOfSubject } from './subjects.ts'
import { wait } from './waiting.ts'

type Phase = (
  deps: ErasureDeps,
  unit: UnitOfWork,
  was: Versioned<ErasureRequest>,
  progress: Progress,
) => Promise<WorkStep>

/**
 * An erasure from its request to its certificate, in bounded commits that each move its progress: holds and open cases;
 * the keys, and the scrub that makes them unreadable on disk; sealed content and what callers wrote of the subject's
 * sessions; steps of the subject in other sessions; archives; then state, event and audit entry in one commit. Until it
 * is at its end no session of the subject is re-homed.
 */
export function createErasure(deps: ErasureDeps): WorkHandler {
  const phases: Readonly<Record<Progress['phase'], Phase>> = {
    waiting: wait,
    scrub: scrubKeys,
    sessions: eraseSessions,
    steps: (deps, unit, { row }, progress) => eraseSteps(deps, unit, row, progress),
    archives: removeArchives,
    finish,
  }
  return {
    kind: erasureKind,
    async run(item, unit) {
      const [found] = await unit.read([erasureOf(item.ref)])
      const was = one(erasureRequests, found)
      if (!was || was.row.underWay === 0) return { next: null }
      const progress = progressOf(item.state)
      return phases[progress.phase](deps, unit, was, progress)
    },
  }
}

const scrubKeys: Phase = async ({ scrub }, unit, _, progress) => {
  await scrub()
  return { next: unit.now, state: { ...progress, phase: 'sessions' } satisfies Progress }
}

const eraseSessions: Phase = async (deps, unit, { row: request }, progress) => {
  if (progress.session) return eraseSession(deps, unit, request, progress, progress.session)
  const [next] = await sessionsOfSubject(unit, request, progress.after, 1)
  if (!next) return { next: unit.now, state: { ...progress, phase: 'steps' } satisfies Progress }
  const { applicationId, sessionId } = next.row
  return eraseSession(deps, unit, request, progress, {
    applicationId,
    sessionId,
    stage: 'steps',
    after: null,
    skip: 0,
    kept: false,
    later: false,
    taken: false,
  })
}

const removeArchives: Phase = async (deps, unit, { row: request }, progress) => {
  const { tenantId } = request
  for (const part of deps.applicationParts)
    for (const applicationId of request.applicationIds) {
      const change = await part.remove(unit, { tenantId, applicationId })
      if (change) return { set: change.set, next: unit.now }
    }
  return { next: unit.now, state: { ...progress, phase: 'finish' } satisfies Progress }
}

/** Scrubs what rows held, then records the end. */
const finish: Phase = async (deps, unit, was, { counts }) => {
  await deps.scrub()
  const { tenantId, erasureRequestId, dataSubjectId, applicationId } = was.row
  const signer = await deps.evidenceSigner(tenantId)
  const [found, foundTenant] = await unit.read([routingOf(tenantId), get(tenants, [tenantId])])
  const routing = one(routings, found)
  const at = eventTime(routing, unit.now)
  const request: ErasureRequest = {
    ...was.row,
    status: 'completed',
    underWay: 0,
    completedAt: at,
    counts,
    certificate: erasureCertificateOf(
      was.row,
      {
        organizationName: one(tenants, foundTenant)?.row.name ?? tenantId,
        completedAt: at,
        counts,
      },
      signer,
    ),
  }
  const event: LegacyEvent = {
    id: unit.id('evt'),
    type: 'gdpr.erasure_completed',
    timestamp: isoTime(at),
    tenantId,
    applicationId,
    data: {
      dataSubjectId,
      erasureRequestId,
      completedAt: isoTime(at),
      certificateUrl: certificateUrlOf(deps.portalUrl, erasureRequestId),
    },
  }
  const owed = fanOut({
    routing,
    tenantId,
    events: [{ id: event.id, type: event.type, applicationId, body: encodeEvent(event) }],
    now: unit.now,
    id: unit.id,
    intake: deps.intake,
  })
  return {
    set: {
      checks: owed.checks,
      puts: [put(erasureRequests, request, was), ...owed.puts],
      appends: [
        audit(tenantId, {
          at: isoTime(unit.now),
          actor: 'system',
          action: 'erasure.completed',
          subject: erasureRequestId,
          detail: { dataSubjectId, applicationId, ...counts },
        }),
      ],
    },
    next: null,
  }
}
