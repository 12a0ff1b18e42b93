import type { PrintedEvidence } from '@countersign/core/evidence'
import type { Content } from 'pdfmake/interfaces.js'
import { integrityOf } from './dossier-integrity.ts'
import {
  caseNodes,
  casesOf,
  notesOf,
  policyOf,
  policyParts,
  reviewsOf,
  scoresOf,
} from './dossier-reviews.ts'
import { stepParts, stepsOf, timelineOf, timelineParts } from './dossier-steps.ts'
import type { ChapterInParts, SheetInParts } from './in-parts.ts'
import type { Sheet, SheetHead } from './page.ts'
import {
  chapter,
  colors,
  countOf,
  durationOf,
  facts,
  isTable,
  pageWidth,
  prose,
  tablesOf,
  timeOf,
} from './parts.ts'
import { textOf } from './text.ts'

/** Steps from which a document has a table of contents. */
const longFrom = 12

/** The printed form of a session's evidence. */
export function dossier(document: PrintedEvidence): Sheet {
  const { steps } = document
  return {
    ...headOf(document),
    content: [
      ...titleOf(document),
      ...(steps.length >= longFrom
        ? [
            {
              toc: {
                title: { text: 'Contents', style: 'chapter' },
                numberStyle: { color: colors.soft },
              },
              pageBreak: 'before' as const,
            } as Content,
          ]
        : []),
      ...summaryOf(document),
      ...timelineOf(document),
      ...stepsOf(document),
      ...policyOf(document),
      ...casesOf(document),
      ...reviewsOf(document),
      ...notesOf(document),
      ...scoresOf(document),
      ...integrityOf(document),
    ],
  }
}

/** Rows and facts that are laid out whole. */
const wholeRows = 250

/** Whether a session's evidence is too long to be laid out whole. */
export function isLong(document: PrintedEvidence): boolean {
  const { steps, policyResults, reviewCases, sessionReviews, annotations, flags, scores } = document
  const histories = reviewCases.flatMap(({ history }) => history)
  const marks = [sessionReviews, annotations, flags, scores]
  const all = [steps, policyResults, reviewCases, histories, ...marks]
  return all.reduce((sum, { length }) => sum + length, 0) > wholeRows
}

/** The printed form of evidence of any length: each chapter begins a page. */
export function dossierInParts(document: PrintedEvidence): SheetInParts {
  const { session, steps, sessionReviews, annotations, flags, scores } = document
  const marks = annotations.length + flags.length
  const chapters: readonly (ChapterInParts | null)[] = [
    { title: null, parts: [titleOf(document)] },
    { title: 'Summary', parts: [summaryOf(document, { newPage: false })] },
    {
      title: 'Timeline',
      parts: steps.length === 0 ? [timelineOf(document)] : timelineParts(document),
    },
    steps.length === 0 ? null : { title: 'Steps', parts: stepParts(document) },
    { title: 'Policy results', parts: policyParts(document) },
    { title: 'Review cases', parts: inGroups(caseNodes(document)) },
    sessionReviews.length === 0
      ? null
      : { title: 'Session reviews', parts: inGroups(reviewsOf(document)) },
    marks === 0
      ? null
      : { title: 'Annotations and flags', parts: inGroups(notesOf(document, { newPage: false })) },
    scores.length === 0 && session.qualityScore === null
      ? null
      : { title: 'Scores', parts: inGroups(scoresOf(document, { newPage: false })) },
    {
      title: 'Integrity, and how to verify it',
      parts: [integrityOf(document, { newPage: false })],
    },
  ]
  return { ...headOf(document), chapters: chapters.filter((each) => each !== null) }
}

/** Parts of content that are laid out at once. */
const groupLength = 60

function* inGroups(content: Iterable<Content>): Generator<readonly Content[], void, undefined> {
  let held: Content[] = []
  for (const node of content)
    for (const part of isTable(node) ? tablesOf(node) : [node]) {
      if (held.push(part) < groupLength && part === node) continue
      yield held
      held = []
    }
  if (held.length > 0) yield held
}

function headOf({
  session,
  application,
  organizationName,
  asOf,
  steps,
}: PrintedEvidence): SheetHead {
  return {
    title: `Evidence dossier of session ${session.sessionId}`,
    subject: `${application.name}: ${countOf(steps.length, 'step')}, as of ${timeOf(asOf)}`,
    author: organizationName,
    date: asOf,
    head: `${organizationName} · ${application.name} · ${session.sessionId}`,
  }
}

function titleOf(document: PrintedEvidence): Content[] {
  const { organizationName, application, session, asOf } = document
  return [
    {
      canvas: [{ type: 'rect', x: 0, y: 0, w: 60, h: 5, color: colors.accent }],
      margin: [0, 110, 0, 18],
    },
    { text: 'Evidence dossier', style: 'title', outline: true, outlineText: 'Evidence dossier' },
    {
      text: 'What an AI system did in one session, what rules said of it, and what people decided.',
      style: 'subtitle',
      margin: [0, 6, 0, 40],
    },
    facts([
      ['Organization', organizationName],
      ['Application', `${application.name} (${application.applicationId}, ${application.stage})`],
      ['Session', session.sessionId],
      ['As of', timeOf(asOf)],
    ]),
    textOf(sealLine(document), {
      width: pageWidth,
      size: 9.5,
      color: colors.soft,
      margin: [0, 20, 0, 0],
    }),
    {
      text: 'Characters that the fonts of this document lack, and characters that print nothing, are shown by their number, as in \\u{1f916}. Long content is cut here and whole in the evidence JSON.',
      fontSize: 8,
      color: colors.soft,
      margin: [0, 8, 0, 0],
    },
  ]
}

function sealLine({ integrity, erasure }: PrintedEvidence): string {
  const sealed =
    integrity.leafHash === null
      ? 'It is not sealed yet.'
      : `Sealed in batch ${integrity.merkle?.batchId ?? '–'} under a Merkle root.`
  const erased =
    erasure.erasedSubjects.length === 0
      ? ''
      : ' Content of data subjects was erased; what remains is told as such.'
  return `The evidence JSON is signed with each export. ${sealed}${erased} The last chapter says how to verify it.`
}

function summaryOf(document: PrintedEvidence, { newPage = true } = {}): Content[] {
  const { session, policyResults, reviewCases, flags, steps } = document
  const effects = (effect: string) =>
    policyResults.filter((result) => result.effect === effect).length
  const open = reviewCases.filter(({ state }) => state === 'open').length
  return [
    chapter('Summary', { newPage }),
    prose(sentenceOf(document)),
    facts([
      ['Status', session.status],
      [
        'Origin',
        session.origin === 'otlp' ? 'spans of OpenTelemetry' : 'submitted whole by the application',
      ],
      ['Started', timeOf(session.startedAt)],
      ['Ended', session.endedAt === null ? 'still running' : timeOf(session.endedAt)],
      ['Duration', durationOf(session.durationMs)],
      [
        'Agent',
        session.agent === null
          ? null
          : [session.agent.name, session.agent.version].filter(Boolean).join(' '),
      ],
      ['Models', session.models.length === 0 ? null : session.models.join(', ')],
      ['Data subject', session.dataSubjectId],
      ['Steps', `${steps.length}, ${session.errorCount} with an error`],
      [
        'Tokens',
        `${session.inputTokens.toLocaleString('en-US')} in, ${session.outputTokens.toLocaleString('en-US')} out`,
      ],
      [
        'Policy results',
        `${effects('deny')} deny, ${effects('require_review')} require review, ${effects('allow')} allow`,
      ],
      ['Review cases', `${reviewCases.length}, ${open} open`],
      [
        'Flags',
        `${flags.length}, ${flags.filter(({ clearedAt }) => clearedAt === null).length} open`,
      ],
      ['Quality score', session.qualityScore],
      ['Content', contentWords[session.payloadStatus] ?? session.payloadStatus],
      [
        'At its source',
        session.incompleteAtSource
          ? 'attributes, events or links were dropped'
          : 'complete, as far as it said',
      ],
      ['Revision', session.revision],
      ['Received', timeOf(session.receivedAt)],
      ['Kept until', session.removeAfter === null ? null : timeOf(session.removeAfter)],
    ]),
  ]
}

const contentWords: Readonly<Record<string, string>> = {
  readable: 'readable',
  partly_erased: 'partly erased',
  erased: 'erased; digests remain',
  none: 'none was sent',
}

function sentenceOf({ session, steps, reviewCases, policyResults }: PrintedEvidence): string {
  const decided = reviewCases.filter(({ state }) => state === 'decided').length
  const ended = { running: 'is running', completed: 'completed', failed: 'failed' }[session.status]
  return [
    `The session ${ended} with ${countOf(steps.length, 'step')}.`,
    `Policy rules gave ${countOf(policyResults.length, 'result')}; ${countOf(reviewCases.length, 'review case')} came of it, of which people decided ${decided}.`,
  ].join(' ')
}
