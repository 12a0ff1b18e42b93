import type { ChangeSet, Versioned } from '../../base/ports/store.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { peek } from '../../kernel/query.ts'
import { handler, type WorkHandler, type WorkUnit } from '../../kernel/work/handler.ts'
import { tenants } from '../../organizations/access/records.ts'
import { routings } from '../../webhooks/records.ts'
import { eventTime } from '../../webhooks/routing/event-time.ts'
import { begin, markChange, removedArchives } from './begin.ts'
import { erasureCertificateOf } from './certificate.ts'
import type { ErasureDeps } from './deps.ts'
import { endCases } from './end-cases.ts'
import { erasedCasesNaming } from './erase-cases.ts'
import { eraseSession } from './erase-session.ts'
import { eraseSteps } from './erase-steps.ts'
import { type Block, checkAt, nextPhase, type Phase, shownAs } from './machine.ts'
import { endOutcomes } from './owed-outcomes.ts'
import {
  counted,
  goingOn,
  type PhaseStep,
  type Progress,
  type SessionCursor,
  waiting,
} from './progress.ts'
import { certificateUrlOf, type ErasureRequest, erasureKind, erasureRequests } from './records.ts'
import { heldSince } from './shared-content.ts'
import { shredPiece } from './shred.ts'
import { sessionsOfSubject } from './subjects.ts'
import { openCasesNaming } from './under-way.ts'
import { readiness } from './waiting.ts'

type Run = (
  deps: ErasureDeps,
  unit: WorkUnit,
  was: Versioned<ErasureRequest>,
  progress: Progress,
) => Promise<PhaseStep>

/**
 * Runs an erasure from its request to its certificate, in bounded commits that each move its progress (`machine.ts`).
 * After the first commit nothing of the subject is shown, even if the process ends. Until the erasure ends, no session of
 * the subject is re-homed.
 */
export function createErasure(deps: ErasureDeps): WorkHandler {
  const runs: Readonly<Record<Phase, Run>> = {
    waiting: wait,
    shred,
    packages: removePackages,
    scrub: scrubKeys,
    sessions: eraseSessions,
    steps: eraseOtherSteps,
    cases: eraseNamingCases,
    callbacks: awaitOutcomes,
    finish,
  }
  /** One piece of a phase. Outcomes end on time even while a hold blocks the rest. */
  async function step(
    phase: Phase,
    unit: WorkUnit,
    was: Versioned<ErasureRequest>,
    progress: Progress,
  ): Promise<PhaseStep> {
    const done = await runs[phase](deps, unit, was, progress)
    if (done.blockedBy !== 'hold' || was.row.begunAt === null) return done
    const { set, isLeft: goesOn } = await endOutcomes(deps, unit, was.row)
    return { ...done, set, goesOn }
  }

  return handler<Progress | null>({
    kind: erasureKind,
    async run(unit, { ref, state: kept }) {
      const { was } = await unit.ask({ was: erasureRequests.get(ref) })
      if (!was || was.row.underWay === 0) return null
      const progress = kept ?? waiting
      const { phase } = progress
      const { now } = unit
      const {
        set = {},
        state = progress,
        isLeft,
        blockedBy = null,
        goesOn = false,
      } = await step(phase, unit, was, progress)
      unit.include(set)
      if (phase === 'finish') return null
      show(unit, was, set, blockedBy)
      const to = nextPhase(phase, { blockedBy, isLeft })
      const next =
        blockedBy && !goesOn ? checkAt(blockedBy, { now, begunAt: was.row.begunAt }) : now
      return { next, state: { ...state, phase: to } }
    },
  })
}

/** Writes a request whose shown status changes, unless the set already does. */
function show(
  unit: WorkUnit,
  was: Versioned<ErasureRequest>,
  { puts = [] }: Pick<ChangeSet, 'puts'>,
  blockedBy: Block | null,
): void {
  const { status, waitingFor } = shownAs(blockedBy)
  const isSame = was.row.status === status && was.row.waitingFor === waitingFor
  if (isSame || puts.some((each) => each.in === erasureRequests.name)) return
  unit.put(erasureRequests, { ...was.row, status, waitingFor }, was)
}

const wait: Run = async (deps, unit, was, progress) => {
  const ready = await readiness(unit, was.row)
  if (ready.blockedBy !== null) return { isLeft: true, blockedBy: ready.blockedBy }
  const { board, sessions } = ready
  const applicationIds = sessions.map(({ applicationId }) => applicationId)
  const known = { board, applicationIds, sessions: sessions.length }
  return { ...(await begin(deps, unit, was, progress, known)), isLeft: false }
}

const shred: Run = async (deps, unit, { row: request }, progress) => {
  if (progress.walk === null) return { isLeft: false }
  const piece = await shredPiece(deps, unit, request, progress.walk)
  if (!piece) return { isLeft: true, blockedBy: 'hold' }
  const { set, walk, cases } = piece
  const counts = counted(progress.counts, { cases })
  return { set, state: { ...progress, walk, counts }, isLeft: walk !== null }
}

const removePackages: Run = async (deps, unit, { row: request }) => {
  const set = await removedArchives(deps, unit, request)
  return set
    ? { set, isLeft: true }
    : { set: await markChange(unit, request, { packagesOf: [] }), isLeft: false }
}

const scrubKeys: Run = async ({ scrub }) => {
  await scrub()
  return { isLeft: false }
}

const eraseSessions: Run = async (deps, unit, { row: request }, progress) => {
  const session = progress.session ?? (await nextSession(unit, request, progress))
  if (!session) return { isLeft: false }
  const { held, check } = await heldSince(unit, request, [session])
  if (held) return { isLeft: true, blockedBy: 'hold' }
  const step = await eraseSession(deps, unit, request, progress, session)
  return { ...step, set: { ...step.set, checks: [...(step.set?.checks ?? []), check] } }
}

async function nextSession(
  unit: UnitOfWork,
  request: ErasureRequest,
  progress: Progress,
): Promise<SessionCursor | null> {
  const [next] = await sessionsOfSubject(unit, request, progress.after, 1)
  if (!next) return null
  const { applicationId, sessionId } = next.row
  return {
    applicationId,
    sessionId,
    stage: 'steps',
    after: null,
    skip: 0,
    kept: false,
    later: false,
    taken: false,
  }
}

const eraseOtherSteps: Run = (deps, unit, { row: request }, progress) =>
  eraseSteps(deps, unit, request, progress)

/**
 * A piece of the cases whose openings named the subject. The last one removes the mark: nothing is left that readers
 * would have to leave out.
 */
const eraseNamingCases: Run = async (deps, unit, { row: request }, progress) => {
  // Those that were opened since the others were cancelled.
  const open = await openCasesNaming(unit, request)
  const ended = await endCases(deps, unit, request.erasureRequestId, [], open)
  if (ended) return goingOn(progress, ended.set, { cases: ended.count })
  const { after, count, ...piece } = await erasedCasesNaming(deps, unit, request, progress.case)
  if (after) return goingOn({ ...progress, case: after }, piece, { cases: count })
  const { removes = [] } = await markChange(unit, request, null)
  const set = { ...piece, removes: [...piece.removes, ...removes] }
  return { ...goingOn({ ...progress, case: null }, set, { cases: count }), isLeft: false }
}

const awaitOutcomes: Run = async (deps, unit, { row: request }) => {
  const { isOwed, ...piece } = await endOutcomes(deps, unit, request)
  return isOwed && !piece.isLeft ? { ...piece, blockedBy: 'callback' } : piece
}

/** Scrubs what rows held, then records the end. */
const finish: Run = async (deps, unit, was, { counts }) => {
  await deps.scrub()
  const { tenantId, erasureRequestId, dataSubjectId, applicationId } = was.row
  const signer = await deps.evidenceSigner(tenantId)
  const { routing, tenant } = await unit.ask({
    routing: peek(routings.get(tenantId), 'the event is what it orders'),
    tenant: peek(tenants.get(tenantId), 'the name in a certificate is that of its time'),
  })
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
        organizationName: tenant?.row.name ?? tenantId,
        completedAt: at,
        counts,
      },
      signer,
    ),
  }
  unit.put(erasureRequests, request, was)
  unit.emit({
    type: 'gdpr.erasure_completed',
    applicationId,
    data: {
      dataSubjectId,
      erasureRequestId,
      completedAt: isoTime(at),
      certificateUrl: certificateUrlOf(deps.portalUrl, erasureRequestId),
    },
  })
  unit.audit('erasure.completed', erasureRequestId, { dataSubjectId, applicationId, ...counts })
  return { isLeft: false }
}
