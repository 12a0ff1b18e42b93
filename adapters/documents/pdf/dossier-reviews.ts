import { type PrintedCase, type PrintedEvidence, thumbprintOfJwk } from '@countersign/core/evidence'
import type { Content } from 'pdfmake/interfaces.js'
import { historyOf } from './case-history.ts'
import { printContent } from './content.ts'
import { chapterWith, factsUnder, tableUnder } from './keep.ts'
import { plain } from './page.ts'
import {
  type Cell,
  type Column,
  chapter,
  colors,
  type Fact,
  facts,
  idOf,
  listingParts,
  pageWidth,
  prose,
  timeOf,
  wordsOf,
} from './parts.ts'
import { decisionsPlot } from './plots.ts'

/** What policy rules said. */
export function policyOf({ policyResults, steps }: PrintedEvidence): Content[] {
  if (policyResults.length === 0)
    return [chapterWith('Policy results', prose('No policy rule matched.'))]
  return tableUnder(chapter('Policy results'), policyColumns, [
    ...policyRows({ policyResults, steps }),
  ])
}

/** As `policyOf`, in parts. */
export function* policyParts(document: PrintedEvidence): Generator<Content[], void, undefined> {
  if (document.policyResults.length === 0) return yield policyOf(document)
  let title = [chapter('Policy results')]
  for (const table of listingParts(policyColumns, policyRows(document))) {
    yield [...title, table]
    title = []
  }
}

const policyColumns: readonly Column[] = [
  { title: 'Step', width: 28, align: 'right' },
  { title: 'Effect', width: 66 },
  { title: 'Rule', width: 150 },
  { title: 'Version', width: 36, align: 'right' },
  { title: 'Severity', width: 44 },
  { title: 'Matched', width: 72 },
  { title: 'Review case', width: 54 },
]

function* policyRows({
  policyResults,
  steps,
}: Pick<PrintedEvidence, 'policyResults' | 'steps'>): Generator<readonly Cell[], void, undefined> {
  const numbers = new Map(steps.map(({ stepId }, at) => [stepId, at + 1]))
  for (const result of policyResults)
    yield [
      result.stepId === null ? null : (numbers.get(result.stepId) ?? null),
      wordsOf(result.effect),
      `${result.ruleName} (${result.ruleId}${result.source === 'application' ? ', the application’s own' : ''})`,
      result.ruleVersion,
      result.severity,
      timeOf(result.matchedAt),
      result.reviewCaseId,
    ]
}

/** Review cases with what binds each decision to what was shown. */
export function casesOf(document: PrintedEvidence): Content[] {
  return [...caseNodes(document)]
}

/** As `casesOf`, one after the other. */
export function* caseNodes({ reviewCases }: PrintedEvidence): Generator<Content, void, undefined> {
  if (reviewCases.length === 0)
    return yield chapterWith('Review cases', prose('No review case was opened.'))
  yield chapterWith('Review cases', {
    stack: [
      prose(
        'A case asks a person before an action goes on. The presentation digest is the SHA-256 of exactly what the reviewer was shown when deciding.',
      ),
      decisionsPlot(reviewCases),
    ],
  })
  const printer = printContent()
  for (const reviewCase of reviewCases) {
    yield factsUnder(
      {
        text: `Case ${reviewCase.reviewCaseId}`,
        style: 'section',
        outline: true,
        outlineText: plain(`Case ${reviewCase.reviewCaseId}`),
        outlineParentId: idOf('Review cases'),
      },
      factsOfCase(reviewCase),
    )
    yield reviewCase.presentation === null
      ? erasedPresentation
      : printer.field(reviewCase.presentation, pageWidth - 12)
    yield* historyOf(reviewCase)
  }
}

const erasedPresentation: Content = {
  text: 'What the reviewer was shown: erased. Its digest remains and says nothing of it.',
  fontSize: 8.5,
  color: colors.wait,
  margin: [0, 0, 0, 4],
}

/** How a reviewer had signed in. */
const signIns: Readonly<Record<NonNullable<PrintedCase['reviewer']>['signIn'], string>> = {
  password: 'signed in by password',
  passkey: 'signed in by passkey',
  provider: "signed in by the organization's provider",
  host: 'signed in with the host',
}

function reviewerOf({ decidedBy, reviewer }: PrintedCase): string | null {
  if (reviewer === null) return decidedBy
  const { name, role, signIn } = reviewer
  return `${name} (${decidedBy}), ${role}, ${signIns[signIn]}`
}

/** By what a decision is the reviewer's own, or that it is the service's word. */
function signatureOf({ decidedBy, decisionSignature: signature }: PrintedCase): string | null {
  if (decidedBy === null) return null
  if (signature === null) return 'none of the reviewer: the decision was recorded by the service'
  const { statement, credentialId, publicKey } = signature
  return `signed by the reviewer, ${timeOf(statement.issuedAt)}, with the authenticator ${credentialId}, key ${thumbprintOfJwk(publicKey)}`
}

/** What seals a case and binds what people wrote. */
function sealOf({ commentDigest, responseDigest, integrity }: PrintedCase) {
  const { leafHash, merkle } = integrity
  const place =
    merkle === null
      ? 'not sealed yet'
      : `leaf ${merkle.leafIndex + 1} of ${merkle.treeSize} in ${merkle.batchId}`
  const digests: readonly (readonly [string, unknown])[] = [
    ['Comment digest', commentDigest],
    ['Response digest', responseDigest],
    ['Leaf hash', leafHash],
    ['Merkle root', merkle?.merkleRoot ?? null],
  ]
  return [['Seal', place], ...digests.filter(([, value]) => value !== null)] as const
}

function factsOfCase(each: PrintedCase): readonly (readonly [string, unknown])[] {
  const optional: readonly (readonly [string, unknown])[] = [
    [
      'Assigned',
      each.assignment === null
        ? null
        : `${each.assignment.reviewerId}, ${timeOf(each.assignment.assignedAt)}`,
    ],
    ['Decided by', reviewerOf(each)],
    ['Signature', signatureOf(each)],
    ['Comment', each.reviewerComment],
    ['Response', each.response === null ? null : JSON.stringify(each.response)],
    ['Cancelled for', each.cancellationReason === null ? null : wordsOf(each.cancellationReason)],
    ['Overdue since', each.overdueAt === null ? null : timeOf(each.overdueAt)],
    ['Closed', each.closedAt === null ? null : timeOf(each.closedAt)],
    [
      'Application went on',
      each.continuation === null
        ? null
        : `${wordsOf(each.continuation.outcome)}, ${timeOf(each.continuation.reportedAt)}`,
    ],
    ...each.followUps.map(
      ({ question, answer }) => ['Follow-up', `${question}\n${answer ?? 'not answered'}`] as const,
    ),
  ]
  return [
    ['State', each.decision === null ? each.state : `${each.state}: ${wordsOf(each.decision)}`],
    ['Tier and reason', `${each.reviewTier}, ${wordsOf(each.reasonCategory)}`],
    ['Step', each.stepId],
    ['Opened', timeOf(each.createdAt)],
    ['Due, expires', `${timeOf(each.dueAt)}, ${timeOf(each.expiresAt)}`],
    ...optional.filter(([, value]) => value !== null),
    ['Presentation digest', each.presentationDigest],
    ...(each.state === 'open' ? [] : sealOf(each)),
  ]
}

/** Verdicts of people on the whole session. */
export function reviewsOf({ sessionReviews }: PrintedEvidence): Content[] {
  if (sessionReviews.length === 0) return []
  return [
    chapterWith(
      'Session reviews',
      prose('A review of the whole session. It decides no case and resumes nothing.'),
    ),
    ...sessionReviews.map((review) =>
      facts([
        ['Decision', review.decision],
        ['Reviewer', `${review.reviewerName} (${review.reviewerId})`],
        ['Reviewed', timeOf(review.reviewedAt)],
        ['Revision', review.revision],
        ['Leaf reviewed', review.leafHash],
        ['Comment', review.comment],
      ]),
    ),
  ]
}

/** Annotations and flags; `newPage`: whether a long chapter begins one. */
export function notesOf(
  { annotations, flags }: PrintedEvidence,
  { newPage = true } = {},
): Content[] {
  const title = 'Annotations and flags'
  const notes = annotations.map((note): readonly Fact[] => [
    ['Annotation', note.label ?? note.annotationId],
    ['Text', note.text ?? 'erased'],
    ['By', `${note.createdBy}, ${timeOf(note.createdAt)}`],
    ['On', note.stepId ?? 'the session'],
  ])
  const [first, ...rest] = notes
  if (flags.length === 0)
    return first ? [factsUnder(chapter(title), first), ...rest.map((note) => facts(note))] : []
  const rows = flags.map((flag) => [
    flag.flag,
    flag.severity,
    flag.note,
    `${timeOf(flag.raisedAt)} by ${flag.raisedBy ?? flag.source}`,
    flag.clearedAt === null ? 'open' : `${timeOf(flag.clearedAt)} by ${flag.clearedBy ?? '–'}`,
  ])
  return [
    ...tableUnder(chapter(title), flagColumns, rows, { newPage }),
    ...notes.map((note) => facts(note)),
  ]
}

const flagColumns: readonly Column[] = [
  { title: 'Flag', width: 60 },
  { title: 'Severity', width: 44 },
  { title: 'Note', width: 178 },
  { title: 'Raised', width: 90 },
  { title: 'Cleared', width: 90 },
]

/** Scores that came with the data, and the service's own; `newPage`: whether a long chapter begins one. */
export function scoresOf({ scores, session }: PrintedEvidence, { newPage = true } = {}): Content[] {
  if (scores.length === 0 && session.qualityScore === null) return []
  const own = ['quality (0 to 100, by this service)', session.qualityScore, null, 'the session']
  const rows = [
    ...(session.qualityScore === null ? [] : [own]),
    ...scores.map(({ name, value, label, stepId }) => [
      name,
      value,
      label,
      stepId ?? 'the session',
    ]),
  ]
  return tableUnder(chapter('Scores'), scoreColumns, rows, { newPage })
}

const scoreColumns: readonly Column[] = [
  { title: 'Score', width: 190 },
  { title: 'Value', width: 60, align: 'right' },
  { title: 'Label', width: 100 },
  { title: 'Of', width: 124 },
]
