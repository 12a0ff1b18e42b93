import { checkLine, checkText } from '../../ledger/check-text.ts'
import { refuseErrors, wrong } from '../../ledger/input-errors.ts'
import { isoTime } from '../../ledger/iso-time.ts'
import { commit, refusal } from '../../ledger/ledger.ts'
import { longest } from '../../ledger/limits.ts'
import { get, one, put } from '../../ledger/reads.ts'
import { refuse } from '../../ledger/refusal.ts'
import { marksOf } from '../../sessions/erasure-marks.ts'
import { type StoredStep, steps } from '../../sessions/records.ts'
import type { SignalDeps } from '../deps.ts'
import type { SignalUseCases } from '../use-cases.ts'
import type { AnnotationView } from '../view.ts'
import { executeOnSession, type LoadedSession, partOfSession } from './execute-on-session.ts'
import { annotationTexts, shownMarks } from './mark-texts.ts'
import { type SessionAnnotation, sessionAnnotations } from './records.ts'

export function listAnnotations(deps: SignalDeps): SignalUseCases['listAnnotations'] {
  return (actor, sessionId, query, of = {}) =>
    partOfSession(deps, { actor, sessionId, of, query }, annotationTexts, annotationView)
}

export function annotate(deps: SignalDeps): SignalUseCases['annotate'] {
  return (actor, sessionId, { text, stepId = null, label = null }, of = {}) => {
    const errors = [
      ...checkText(text, '/text', longest.text),
      ...checkLine(stepId, '/stepId', longest.id),
      ...checkLine(label, '/label', longest.label),
    ]
    return executeOnSession(deps, { actor, sessionId, of, errors }, async (loaded) => {
      const { unit, key, member } = loaded
      if (stepId !== null && !(await stepOf(loaded, stepId))) {
        const unknown = wrong('/stepId', 'expected the id of a step of this session')
        return refusal(refuseErrors([unknown]))
      }
      const row: SessionAnnotation = {
        ...key,
        annotationId: unit.id('ann'),
        stepId,
        label,
        text,
        createdBy: member.memberId,
        createdAt: unit.now,
      }
      const changes = loaded.changes({
        puts: [put(sessionAnnotations, row, null)],
        action: 'session.annotated',
        subject: row.annotationId,
      })
      return commit(changes, annotationView(row))
    })
  }
}

async function stepOf(
  { unit, key, session }: LoadedSession,
  stepId: string,
): Promise<StoredStep | null> {
  const scope = session.row.origin === 'submission' ? key.sessionId : ''
  const [found] = await unit.read([get(steps, [key.tenantId, key.applicationId, scope, stepId])])
  const step = one(steps, found)?.row
  return step?.sessionId === key.sessionId ? step : null
}

export function removeAnnotation(deps: SignalDeps): SignalUseCases['removeAnnotation'] {
  return (actor, sessionId, annotationId, of = {}) =>
    executeOnSession(deps, { actor, sessionId, of }, async (loaded) => {
      const { unit, key, member } = loaded
      const rowKey = [key.tenantId, key.applicationId, key.sessionId, annotationId] as const
      const [found, marked] = await unit.read([
        get(sessionAnnotations, rowKey),
        marksOf(key.tenantId),
      ])
      const was = one(sessionAnnotations, found)
      if (!was) return refusal(refuse('not_found', 'no such annotation'))
      if (was.row.createdBy !== member.memberId && member.role !== 'CustomerAdmin')
        return refusal(refuse('forbidden', 'needs its author or the role CustomerAdmin'))
      const changes = loaded.changes({
        removes: [{ in: sessionAnnotations.name, key: rowKey, version: was.version }],
        action: 'session.annotation_removed',
        subject: annotationId,
      })
      const shown = await shownMarks(unit, annotationTexts, marked, [was.row])
      return commit(changes, annotationView(shown[0] ?? was.row))
    })
}

/** An annotation as it is told. */
export function annotationView(row: SessionAnnotation): AnnotationView {
  const { annotationId, sessionId, stepId, label, text, createdBy, createdAt } = row
  return {
    ...{ annotationId, sessionId, stepId, label, text, createdBy },
    createdAt: isoTime(createdAt),
  }
}
