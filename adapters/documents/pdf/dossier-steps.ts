import type { PrintedEvidence } from '@countersign/core/evidence'
import { evidenceLimits } from '@countersign/core/ledger'
import type { Content } from 'pdfmake/interfaces.js'
import { type ContentPrinter, printContent } from './content.ts'
import { chapterWith, factsUnder } from './keep.ts'
import { plain } from './page.ts'
import {
  type Cell,
  type Column,
  chapter,
  colors,
  durationOf,
  idOf,
  listing,
  listingParts,
  pageWidth,
  prose,
  timeOf,
} from './parts.ts'
import { timelinePlot } from './plots.ts'
import { shortened, textOf } from './text.ts'

type Step = PrintedEvidence['steps'][number]

/** When what happened: a plot, and every step in a line. */
export function timelineOf(document: PrintedEvidence): Content[] {
  if (document.steps.length === 0)
    return [chapter('Timeline'), prose('The session has no steps yet.')]
  return [
    chapterWith('Timeline', timelinePlot(document)),
    listing(timelineColumns, [...timelineRows(document)]),
  ]
}

/** As `timelineOf`, in parts. */
export function* timelineParts(document: PrintedEvidence): Generator<Content[], void, undefined> {
  let first: Content[] = [chapterWith('Timeline', timelinePlot(document))]
  for (const table of listingParts(timelineColumns, timelineRows(document))) {
    yield [...first, table]
    first = []
  }
}

const timelineColumns: readonly Column[] = [
  { title: '#', width: 24, align: 'right' },
  { title: 'Type', width: 46 },
  { title: 'Name', width: 163 },
  { title: 'Status', width: 34 },
  { title: 'After', width: 44, align: 'right' },
  { title: 'Took', width: 42, align: 'right' },
  { title: 'Model or tool', width: 97 },
]

function* timelineRows({
  steps,
  session,
}: PrintedEvidence): Generator<readonly Cell[], void, undefined> {
  const from = Date.parse(session.startedAt)
  for (const [at, step] of steps.entries())
    yield [
      at + 1,
      step.type,
      step.name,
      step.status === 'error'
        ? { content: { text: 'error', color: colors.bad, fontSize: 8, bold: true } }
        : step.status,
      durationOf(Date.parse(step.startedAt) - from),
      durationOf(Date.parse(step.endedAt) - Date.parse(step.startedAt)),
      step.model ?? step.toolName,
    ]
}

/** Each step with its content. */
export function stepsOf(document: PrintedEvidence): Content[] {
  return [...stepParts(document)].flat()
}

/** Steps that are laid out at once. */
const stepsAtOnce = 40

/** As `stepsOf`, in parts. */
export function* stepParts({
  steps,
  policyResults,
}: PrintedEvidence): Generator<Content[], void, undefined> {
  if (steps.length === 0) return
  const printer = printContent()
  // All are in the table of the timeline.
  const told = Math.min(steps.length, evidenceLimits.printedSteps)
  for (let from = 0; from < told; from += stepsAtOnce) {
    const until = Math.min(from + stepsAtOnce, told)
    const part = steps.slice(from, until).flatMap((step, nth) => {
      const effects = policyResults.filter(({ stepId }) => stepId === step.stepId)
      return stepOf(
        step,
        from + nth,
        effects.map(({ ruleName, effect }) => `${effect.replaceAll('_', ' ')}: ${ruleName}`),
        printer,
      )
    })
    yield until < told ? part : [...part, ...leftOut(steps.length - told, printer)]
  }
}

function leftOut(left: number, printer: ContentPrinter): Content[] {
  return [
    ...(left > 0
      ? [
          prose(
            `${left} further steps are in the timeline's table, and whole in the evidence JSON.`,
          ),
        ]
      : []),
    ...(printer.cut() > 0
      ? [
          prose(
            `${printer.cut()} fields of content are printed in part or not at all; the evidence JSON has all of it.`,
          ),
        ]
      : []),
  ]
}

function stepOf(
  step: Step,
  at: number,
  effects: readonly string[],
  printer: ContentPrinter,
): Content[] {
  const title = textOf(`${at + 1}. ${shortened(step.name, 200)}`, {
    width: pageWidth,
    size: 11,
    bold: true,
    margin: [0, 8, 0, 2],
  })
  const outline = {
    outline: true,
    outlineText: plain(`${at + 1}. ${step.name}`),
    outlineParentId: idOf('Steps'),
  }
  const under = titled(title, outline)
  return [
    // Kept with its facts, so that no title ends a page.
    factsUnder(at === 0 ? { stack: [chapter('Steps'), under] } : under, factsOf(step, effects)),
    ...contentOf(step, printer),
  ]
}

/** Outlines hang on nodes of text; a title of several lines hands its own to an empty one. */
function titled(title: Content, outline: object): Content {
  return typeof title === 'object' && 'text' in title
    ? ({ ...title, ...outline } as Content)
    : { stack: [{ text: '', ...outline, fontSize: 0.1 } as Content, title] }
}

function factsOf(step: Step, effects: readonly string[]): readonly (readonly [string, unknown])[] {
  const optional: readonly (readonly [string, unknown])[] = [
    ['Parent', step.parentStepId],
    ['Model', step.model],
    ['Tool', step.toolName],
    [
      'Tokens',
      step.inputTokens === null && step.outputTokens === null
        ? null
        : `${step.inputTokens ?? 0} in, ${step.outputTokens ?? 0} out`,
    ],
    ['Data subject', step.dataSubjectId],
    ['Data categories', step.dataCategories.length === 0 ? null : step.dataCategories.join(', ')],
    ['Human checkpoint', step.checkpointId],
    ['Policy', effects.length === 0 ? null : effects.join('\n')],
    [
      'Scores',
      step.scores.length === 0
        ? null
        : step.scores
            .map(
              ({ name, value, label }) => `${name} ${value}${label === null ? '' : ` (${label})`}`,
            )
            .join(', '),
    ],
    ['Remarks', remarksOf(step)],
  ]
  return [
    ['Step', step.stepId],
    ['Type and status', `${step.type}, ${step.status}`],
    ['Time', `${timeOf(step.startedAt)} to ${timeOf(step.endedAt)}`],
    ...optional.filter(([, value]) => value !== null),
  ]
}

function remarksOf({ late, truncated, redactions }: Step): string | null {
  const remarks = [
    late ? 'came after the session was complete' : null,
    truncated ? 'content was cut to the limit when received' : null,
    redactions > 0 ? `${redactions} places were redacted before storing` : null,
  ].filter((remark) => remark !== null)
  return remarks.length === 0 ? null : remarks.join('; ')
}

function contentOf({ content, payloadStatus }: Step, printer: ContentPrinter): Content[] {
  if (content === null)
    return payloadStatus === 'erased'
      ? [
          {
            text: 'Content: erased. Its digests remain in the sealed record and say nothing of it.',
            fontSize: 8.5,
            color: colors.wait,
            margin: [0, 0, 0, 4],
          },
        ]
      : []
  return content.map((field) => printer.field(field, pageWidth - 12))
}
