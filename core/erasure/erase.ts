import { tenants } from '../access/records.ts'
import { encodeEvent } from '../events/envelope.ts'
import type { LegacyEvent } from '../events/legacy.ts'
import { audit } from '../ledger/audit.ts'
import { isoTime } from '../ledger/iso-time.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, many, one, put } from '../ledger/reads.ts'
import type { Put, Versioned } from '../ports/store.ts'
import { sessionSubject } from '../privacy/pseudonym.ts'
import { type SessionKey, sessions } from '../sessions/records.ts'
import { routings } from '../webhooks/records.ts'
import { eventTime } from '../webhooks/routing/event-time.ts'
import { fanOut, routingOf } from '../webhooks/routing/fan-out.ts'
import type { WorkHandler, WorkStep } from '../work/handler.ts'
import { blankPayloads } from './blank.ts'
import { erasureCertificateOf } from './certificate.ts'
import type { ErasureDeps } from './deps.ts'
import {
  casePiece,
  erasedCases,
  erasedSession,
  erasedStep,
  eraseSession,
  taken,
} from './erase-session.ts'
import { laterContent } from './later-content.ts'
import { certificateUrlOf } from './present.ts'
import { counted, type Progress, waiting } from './progress.ts'
import { type ErasureRequest, erasureOf, erasureRequests } from './records.ts'
import { erasureKind } from './requests.ts'
import { isOwnSession, sessionsOfSubject, stepKey, stepsOfSubject } from './subjects.ts'
import { destroyKeys, wait } from './waiting.ts'

const keyPiece = 100
const stepPiece = 20
const callbackCheckMs = 10 * 60 * 1_000

type Phase = (
  deps: ErasureDeps,
  unit: UnitOfWork,
  was: Versioned<ErasureRequest>,
  progress: Progress,
) => Promise<WorkStep>

/**
 * An erasure from its request to its certificate, in bounded commits that each move its progress: holds and open cases;
 * the keys, and the scrub that makes them unreadable on disk; sealed content and what callers wrote of the subject's
 * sessions; steps of the subject in other sessions; archives; then state, event and audit entry in one commit.
 */
export function createErasure(deps: ErasureDeps): WorkHandler {
  const phases: Readonly<Record<Progress['phase'], Phase>> = {
    waiting: wait,
    session_keys: eraseSessionKeys,
    scrub: scrubKeys,
    sessions: eraseSessions,
    steps: eraseSteps,
    archives: removeArchives,
    finish,
  }
  return {
    kind: erasureKind,
    async run(item, unit) {
      const [found] = await unit.read([erasureOf(item.ref)])
      const was = one(erasureRequests, found)
      if (!was || was.row.underWay === 0) return { next: null }
      const progress = (item.state as Progress | null) ?? waiting
      return phases[progress.phase](deps, unit, was, progress)
    },
  }
}

/** Keys of the subject's sessions that were sealed for before their subject was known. */
const eraseSessionKeys: Phase = async (_, unit, { row: request }, progress) => {
  const [found] = await unit.read([sessionsOfSubject(request, progress.place, keyPiece)])
  const rows = many(sessions, found)
  const destroyed = await destroyKeys(
    unit,
    rows.map(({ row: { tenantId, applicationId, sessionId } }) => ({
      tenantId,
      applicationId,
      subjectId: sessionSubject(sessionId).subjectId,
    })),
  )
  const last = rows.at(-1)
  const next: Progress =
    last && rows.length === keyPiece
      ? { ...progress, place: last.row.place }
      : { ...progress, phase: 'scrub', place: null }
  return { set: destroyed, next: unit.now, state: next }
}

const scrubKeys: Phase = async ({ scrub }, unit, _, progress) => {
  await scrub()
  return { next: unit.now, state: { ...progress, phase: 'sessions' } satisfies Progress }
}

const eraseSessions: Phase = async (deps, unit, { row: request }, progress) => {
  if (progress.session) return eraseSession(deps, unit, request, progress, progress.session)
  const [found] = await unit.read([sessionsOfSubject(request, progress.place, 1)])
  const next = one(sessions, found)?.row
  if (!next) return { next: unit.now, state: { ...progress, phase: 'steps' } satisfies Progress }
  const { applicationId, sessionId, place } = next
  return eraseSession(deps, unit, request, progress, {
    applicationId,
    sessionId,
    place,
    stage: 'steps',
    after: null,
    skip: 0,
    kept: false,
  })
}

/** Steps that name the subject in sessions of others, and what hangs on them. */
const eraseSteps: Phase = async (deps, unit, { row: request }, progress) => {
  const rows = await stepsOfSubject(unit, request, progress.step, stepPiece)
  const keys = new Map<string, SessionKey>(
    rows.map(({ row: { tenantId, applicationId, sessionId } }) => [
      JSON.stringify([applicationId, sessionId]),
      { tenantId, applicationId, sessionId },
    ]),
  )
  const owners = [...keys.values()]
  const found = await unit.read(
    owners.map((key) => get(sessions, [key.tenantId, key.applicationId, key.sessionId])),
  )
  const puts: Put[] = []
  const removes: Removal[] = []
  let [payloadCount, caseCount] = [0, 0]
  for (const [at, owner] of owners.entries()) {
    const session = one(sessions, found[at])
    if (session && isOwnSession(session.row, request)) continue
    const mine = rows.filter(
      ({ row }) => row.sessionId === owner.sessionId && row.applicationId === owner.applicationId,
    )
    const later = await laterContent(deps, unit, { ...owner, subjectId: request.dataSubjectId }, [
      ...mine.map(({ row }) => row),
      ...(session ? [session.row] : []),
    ])
    const erased = mine.flatMap(
      (was) =>
        erasedStep(was, (each) =>
          taken(request, each, was.row.receivedAt, { own: false, later }),
        ) ?? [],
    )
    const stepIds = new Set(mine.map(({ row }) => row.stepId))
    const cases = await stepCases(deps, unit, owner, stepIds)
    if (cases === 'under_way') return { next: unit.now + callbackCheckMs }
    const row = session && erasedSession(session, request, { own: false, kept: true, later })
    const payloads = [...erased.flatMap((each) => each.payloads), ...(row?.payloads ?? [])]
    const keysOfSession =
      session?.row.origin === 'submission'
        ? await destroyKeys(unit, [
            { ...owner, subjectId: sessionSubject(owner.sessionId).subjectId },
          ])
        : { puts: [], removes: [] }
    puts.push(
      ...erased.map((each) => each.put),
      ...(row?.puts ?? []),
      ...cases.puts,
      ...keysOfSession.puts,
    )
    removes.push(
      ...(await blankPayloads(deps.blobs, unit, owner, payloads)),
      ...cases.removes,
      ...keysOfSession.removes,
    )
    payloadCount += payloads.length
    caseCount += cases.count
  }
  const last = rows.at(-1)
  const more = last && rows.length === stepPiece
  return {
    set: { puts, removes },
    next: unit.now,
    state: {
      ...progress,
      ...(more ? { step: stepKey(last.row) } : { phase: 'archives', step: null }),
      counts: counted(progress.counts, { payloads: payloadCount, cases: caseCount }),
    } satisfies Progress,
  }
}

/** All of a session's cases of these steps; a session of several subjects has few. */
async function stepCases(
  deps: ErasureDeps,
  unit: UnitOfWork,
  owner: SessionKey,
  stepIds: ReadonlySet<string>,
) {
  const all = { puts: [] as Put[], removes: [] as Removal[], count: 0 }
  for (let skip = 0; ; skip += casePiece) {
    const piece = await erasedCases(deps, unit, owner, skip, stepIds)
    if (piece === 'under_way') return piece
    all.puts.push(...piece.puts)
    all.removes.push(...piece.removes)
    all.count += piece.count
    if (piece.done) return all
  }
}

type Removal = NonNullable<NonNullable<WorkStep['set']>['removes']>[number]

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
