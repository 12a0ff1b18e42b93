import { ofSession, sessions, steps, stepsAfter } from '../../content/records.ts'
import { sessionAliases } from '../../content/trace-records.ts'
import { sessionSubject, submissionSubject } from '../../content/vault/pseudonym.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { pageAfter } from '../../kernel/ledger/pages.ts'
import { get, many, one, put } from '../../kernel/ledger/reads.ts'
import { blankPayloads } from './blank.ts'
import type { ErasureDeps } from './deps.ts'
import { destroyKeys, dissolvedOf } from './destroy-keys.ts'
import { endCases } from './end-cases.ts'
import { casePiece, erasedCases } from './erase-cases.ts'
import { erasedSession, erasedStep, takesOfStep } from './erased-rows.ts'
import { laterContent } from './later-content.ts'
import { goingOn, type PhaseStep, type Progress, type SessionCursor } from './progress.ts'
import type { ErasureRequest } from './records.ts'
import { eraseParts } from './session-texts.ts'
import { isOwnSession, sessionKey } from './subjects.ts'
import type { SessionShare } from './their-steps.ts'

const stepPiece = 100
const aliasPiece = 100

type Stage = (
  deps: ErasureDeps,
  unit: UnitOfWork,
  request: ErasureRequest,
  progress: Progress,
  cursor: SessionCursor,
) => Promise<PhaseStep>

/** A bounded piece of one of the subject's own sessions. */
export const eraseSession: Stage = async (deps, unit, request, progress, cursor) => {
  if (await isAnother(unit, request, cursor))
    return endedSession(progress, shareOf(request, cursor))
  const stages: Readonly<Record<SessionCursor['stage'], Stage>> = {
    steps: eraseSteps,
    session: eraseRow,
    keys: eraseKeys,
    cases: eraseCases,
    parts: eraseOthers,
  }
  return stages[cursor.stage](deps, unit, request, progress, cursor)
}

/**
 * Whether there is a session of somebody else under the id, which came since the erasure began: the subject's own was
 * removed for its age in between, and the application has used its id again.
 */
async function isAnother(
  unit: UnitOfWork,
  request: ErasureRequest,
  cursor: SessionCursor,
): Promise<boolean> {
  const [found] = await unit.read([get(sessions, sessionKey(shareOf(request, cursor)))])
  const row = one(sessions, found)?.row
  if (!row || isOwnSession(row, request)) return false
  return request.begunAt !== null && row.receivedAt > request.begunAt
}

const eraseSteps: Stage = async (deps, unit, request, progress, cursor) => {
  const share = shareOf(request, cursor)
  const [found] = await unit.read([stepsAfter(share, cursor.after, stepPiece)])
  const rows = many(steps, found)
  const later = await laterContent(
    deps,
    unit,
    { ...share, subjectId: share.dataSubjectId },
    rows.map(({ row }) => row),
  )
  const by = { ...share, later }
  const erased = rows.map((was) => erasedStep(was, by))
  const payloads = erased.flatMap((each) => each.payloads)
  const blanked = await blankPayloads(deps.blobs, unit, share, payloads)
  if (!blanked.isDone) return { set: { puts: blanked.puts }, isLeft: true }
  const kept = rows.some(({ row }) =>
    row.payloads.some((each) => each.length > 0 && !takesOfStep(by, row, each)),
  )
  const last = rows.at(-1)
  const done = !last || rows.length < stepPiece
  const session: SessionCursor = {
    ...cursor,
    kept: cursor.kept || kept,
    later: cursor.later || later.size > 0,
    taken: cursor.taken || payloads.length > 0,
    ...(done ? { stage: 'session', after: null } : { after: last.row.place }),
  }
  const puts = [...erased.flatMap((each) => each.puts), ...blanked.puts]
  return goingOn(
    { ...progress, session },
    { puts, removes: blanked.removes },
    { payloads: payloads.length },
  )
}

const eraseRow: Stage = async (deps, unit, request, progress, cursor) => {
  const share = shareOf(request, cursor)
  const [found] = await unit.read([get(sessions, sessionKey(share))])
  const was = one(sessions, found)
  if (!was) return endedSession(progress, share)
  // The session of somebody else, since an earlier step of theirs came.
  if (!isOwnSession(was.row, request)) {
    const puts = cursor.taken
      ? [put(sessions, { ...was.row, payloadStatus: 'partly_erased' }, was)]
      : []
    return { ...endedSession(progress, share), set: { puts } }
  }
  const later = await laterContent(deps, unit, { ...share, subjectId: share.dataSubjectId }, [
    was.row,
  ])
  const keptText = cursor.later || later.size > 0
  const erased = erasedSession(was, { ...share, later, kept: cursor.kept, keptText })
  const blanked = await blankPayloads(deps.blobs, unit, share, erased.payloads)
  if (!blanked.isDone) return { set: { puts: blanked.puts }, isLeft: true }
  const text = keptText ? [] : [submissionSubject(share.sessionId)]
  const destroyed = await destroyKeys(
    unit,
    [sessionSubject(share.sessionId), ...text].map(({ subjectId }) => ({ ...share, subjectId })),
  )
  const session: SessionCursor = { ...cursor, stage: 'keys', after: null }
  return goingOn(
    { ...progress, session },
    {
      puts: [...erased.puts, ...blanked.puts, ...destroyed.puts],
      removes: [...blanked.removes, ...destroyed.removes],
    },
    { payloads: erased.payloads.length },
  )
}

/** The keys of sessions that were dissolved in this one: their steps were sealed before they came here. */
const eraseKeys: Stage = async (_, unit, request, progress, cursor) => {
  const share = shareOf(request, cursor)
  const { tenantId, applicationId } = share
  const aliases = await pageAfter(unit, sessionAliases, {
    where: ofSession(share),
    by: 'bySession',
    after: cursor.after === null ? null : [tenantId, applicationId, cursor.after],
    take: aliasPiece,
  })
  const rows = aliases.map(({ row }) => row)
  const destroyed = await destroyKeys(unit, await dissolvedOf(unit, rows))
  const last = rows.at(-1)
  const done = !last || rows.length < aliasPiece
  const session: SessionCursor = {
    ...cursor,
    ...(done ? { stage: 'cases', after: null, skip: 0 } : { after: last.alias }),
  }
  return goingOn({ ...progress, session }, destroyed, {})
}

const eraseCases: Stage = async (deps, unit, request, progress, cursor) => {
  const share = shareOf(request, cursor)
  // One that was opened since the others were cancelled.
  const ended = await endCases(deps, unit, request.erasureRequestId, [share])
  if (ended) return goingOn(progress, ended.set, { cases: ended.count })
  const piece = await erasedCases(deps, unit, request.erasureRequestId, share, cursor.skip)
  const { puts, removes, count: cases } = piece
  const session: SessionCursor = piece.done
    ? { ...cursor, stage: 'parts' }
    : { ...cursor, skip: cursor.skip + casePiece }
  return goingOn({ ...progress, session }, { puts, removes }, { cases })
}

const eraseOthers: Stage = async (deps, unit, request, progress, cursor) => {
  const share = shareOf(request, cursor)
  const part = await eraseParts(deps.sessionParts, unit, share)
  return part ? goingOn(progress, part.set, part.counts) : endedSession(progress, share)
}

function endedSession(progress: Progress, share: SessionShare): PhaseStep {
  const state: Progress = { ...progress, session: null, after: sessionKey(share) }
  return { isLeft: true, state }
}

function shareOf(
  { tenantId, dataSubjectId }: ErasureRequest,
  { applicationId, sessionId }: SessionCursor,
): SessionShare {
  return { tenantId, applicationId, sessionId, dataSubjectId, own: true }
}
