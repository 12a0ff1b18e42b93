import { steps } from '../../content/records.ts'
import { ofOneSession } from '../../content/view.ts'
import { refuseErrors, wrong } from '../../kernel/ledger/input-errors.ts'
import { object } from '../../kernel/members.ts'
import { command, list } from '../../kernel/operation.ts'
import { peek, rowUnder } from '../../kernel/query.ts'
import { annotationTexts, shownMarks } from './mark-texts.ts'
import { markRefusals, marksOnSession, noteMark, sessionToMark } from './marking.ts'
import {
  annotationDefinition,
  annotationView,
  sessionAnnotations,
  shownAnnotation,
} from './records.ts'

const annotation = object(shownAnnotation, 'Annotation')

/** A session's annotations, the latest first. */
export const listAnnotations = list({
  name: 'annotations.list',
  doc: 'List the annotations of a session',
  right: 'readSessions',
  filter: ofOneSession,
  items: 'annotations',
  item: annotation,
  refuses: ['not_found', 'ambiguous_session'],
  source: (lookup, named) => marksOnSession(lookup, named, annotationTexts, annotationView),
})

/** Annotates a session or one of its steps. */
export const annotate = command({
  name: 'annotations.create',
  doc: 'Annotate a session or one of its steps',
  right: 'markSessions',
  takes: { ...ofOneSession, ...annotationDefinition },
  gives: annotation,
  refuses: [...markRefusals, 'invalid_request'],
  async run(unit, { text, stepId, label, ...named }) {
    const marked = await sessionToMark(unit, named)
    const { key, session } = marked
    if (stepId !== null) {
      const scope = session.row.origin === 'submission' ? key.sessionId : ''
      const { step } = await unit.ask({
        step: peek(
          rowUnder(steps, [key.tenantId, key.applicationId, scope, stepId]),
          'a step stays as long as its session, which is checked',
        ),
      })
      const unknown = wrong('/stepId', 'expected the id of a step of this session')
      if (step?.row.sessionId !== key.sessionId) unit.orRefuse(refuseErrors([unknown]))
    }
    const row = {
      ...key,
      annotationId: unit.id('ann'),
      stepId,
      label,
      text,
      createdBy: unit.by.memberId,
      createdAt: unit.now,
    }
    unit.put(sessionAnnotations, row)
    noteMark(unit, marked, { action: 'session.annotated', subject: row.annotationId })
    return annotationView(row)
  },
})

/** Removes an annotation, by its author or an admin. */
export const removeAnnotation = command({
  name: 'annotations.remove',
  doc: 'Remove an annotation, by its author or an admin',
  right: 'markSessions',
  takes: { ...ofOneSession, annotationId: shownAnnotation.annotationId },
  gives: annotation,
  refuses: [...markRefusals, 'forbidden'],
  async run(unit, { annotationId, ...named }) {
    const marked = await sessionToMark(unit, named)
    const { tenantId, applicationId, sessionId } = marked.key
    const { was } = await unit.ask({
      was: sessionAnnotations.get(tenantId, applicationId, sessionId, annotationId),
    })
    if (!was) return unit.refuse('not_found', 'no such annotation')
    if (was.row.createdBy !== unit.by.memberId && unit.by.role !== 'CustomerAdmin')
      unit.refuse('forbidden', 'needs its author or the role CustomerAdmin')
    unit.remove(sessionAnnotations, was)
    noteMark(unit, marked, { action: 'session.annotation_removed', subject: annotationId })
    const [shown = was.row] = await shownMarks(unit, annotationTexts, marked.erasing, [was.row])
    return annotationView(shown)
  },
})

/** Annotations (interface, Portal host). */
export const annotationOperations = [listAnnotations, annotate, removeAnnotation] as const
