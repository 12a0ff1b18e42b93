import type { ChangeSet, Put, Versioned } from '../../base/ports/store.ts'
import { type StoredStep, sessions, steps } from '../../content/records.ts'
import { submissionSubject } from '../../content/vault/pseudonym.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { keyIn } from '../../kernel/ledger/pages.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { blankPayloads } from './blank.ts'
import type { ErasureDeps } from './deps.ts'
import { destroyKeys } from './destroy-keys.ts'
import { endCases } from './end-cases.ts'
import { type CasePiece, casePiece, erasedCases } from './erase-cases.ts'
import { erasedSession, erasedStep } from './erased-rows.ts'
import { laterContent } from './later-content.ts'
import { counted, goingOn, type PhaseStep, type Progress } from './progress.ts'
import type { ErasureCounts, ErasureRequest } from './records.ts'
import { eraseParts } from './session-texts.ts'
import { sessionKey, stepsOfSubject } from './subjects.ts'
import type { SessionShare } from './their-steps.ts'

const stepPiece = 20

type Removal = NonNullable<ChangeSet['removes']>[number]

/** Steps of the subject in one session. */
interface Mine {
  readonly share: SessionShare
  readonly rows: readonly Versioned<StoredStep>[]
}

interface Piece {
  /** If not, the puts are to be committed alone. */
  readonly isDone: boolean
  readonly puts: readonly Put[]
  readonly removes: readonly Removal[]
  readonly counts: Partial<ErasureCounts>
}

/** Erases a piece of the steps that name the subject, in any session, with their cases and texts. */
export async function eraseSteps(
  deps: ErasureDeps,
  unit: UnitOfWork,
  request: ErasureRequest,
  progress: Progress,
): Promise<PhaseStep> {
  const rows = await stepsOfSubject(unit, request, progress.step, stepPiece)
  const all = bySession(request, rows)
  for (const { share } of all) {
    const part = await eraseParts(deps.sessionParts, unit, share)
    // The same steps follow again, until no text about them is left.
    if (part) return goingOn(progress, part.set, part.counts)
  }
  const ended = await endCases(
    deps,
    unit,
    request.erasureRequestId,
    all.map(({ share }) => share),
  )
  if (ended) return goingOn(progress, ended.set, { cases: ended.count })
  const pieces: Piece[] = []
  for (const mine of all) {
    const piece = await erasePiece(deps, unit, request, mine)
    // The same steps follow again, once the ranges to overwrite are recorded.
    if (!piece.isDone) return { set: { puts: piece.puts }, isLeft: true }
    pieces.push(piece)
  }
  const last = rows.at(-1)
  const isLeft = last !== undefined && rows.length === stepPiece
  return {
    set: {
      puts: pieces.flatMap(({ puts }) => puts),
      removes: pieces.flatMap(({ removes }) => removes),
    },
    isLeft,
    state: {
      ...progress,
      step: isLeft ? keyIn(steps, last.row) : null,
      counts: pieces.reduce((sum, { counts }) => counted(sum, counts), progress.counts),
    } satisfies Progress,
  }
}

function bySession(
  { tenantId, dataSubjectId }: ErasureRequest,
  rows: readonly Versioned<StoredStep>[],
): readonly Mine[] {
  const found = new Map<string, Mine & { readonly rows: Versioned<StoredStep>[] }>()
  for (const was of rows) {
    const { applicationId, sessionId } = was.row
    const id = JSON.stringify([applicationId, sessionId])
    // Of the subject's own sessions all but these steps is gone by now.
    const share = { tenantId, applicationId, sessionId, dataSubjectId, own: false }
    const mine = found.get(id) ?? { share, rows: [] }
    mine.rows.push(was)
    found.set(id, mine)
  }
  return [...found.values()]
}

async function erasePiece(
  deps: ErasureDeps,
  unit: UnitOfWork,
  { erasureRequestId }: ErasureRequest,
  { share, rows }: Mine,
): Promise<Piece> {
  const [found] = await unit.read([get(sessions, sessionKey(share))])
  const session = one(sessions, found)
  const later = await laterContent(deps, unit, { ...share, subjectId: share.dataSubjectId }, [
    ...rows.map(({ row }) => row),
    ...(session ? [session.row] : []),
  ])
  const cases = await allCases(deps, unit, erasureRequestId, share)
  const by = { ...share, later }
  const erased = rows.map((was) => erasedStep(was, by))
  const ofSteps = erased.flatMap(({ payloads }) => payloads)
  const whole = session && erasedSession(session, { ...by, kept: true, keptText: later.size > 0 })
  const changed = whole && ofSteps.length + whole.payloads.length > 0 ? whole : null
  const payloads = [...ofSteps, ...(changed?.payloads ?? [])]
  const blanked = await blankPayloads(deps.blobs, unit, share, payloads)
  if (!blanked.isDone) return { ...blanked, counts: {} }
  const { subjectId } = submissionSubject(share.sessionId)
  const hasText = changed?.payloads.some(({ field }) => field === 'submission')
  const destroyed = await destroyKeys(unit, hasText ? [{ ...share, subjectId }] : [])
  return {
    isDone: true,
    puts: [
      ...erased.flatMap(({ puts }) => puts),
      ...(changed?.puts ?? []),
      ...cases.puts,
      ...blanked.puts,
      ...destroyed.puts,
    ],
    removes: [...cases.removes, ...blanked.removes, ...destroyed.removes],
    counts: { payloads: payloads.length, cases: cases.count },
  }
}

/** All cases of the subject's steps in a session; a session of several subjects has few. */
async function allCases(
  deps: ErasureDeps,
  unit: UnitOfWork,
  erasureRequestId: string,
  share: SessionShare,
): Promise<Omit<CasePiece, 'done'>> {
  const all = { puts: [] as Put[], removes: [] as Removal[], count: 0 }
  for (let skip = 0; ; skip += casePiece) {
    const piece = await erasedCases(deps, unit, erasureRequestId, share, skip)
    all.puts.push(...piece.puts)
    all.removes.push(...piece.removes)
    all.count += piece.count
    if (piece.done) return all
  }
}
