import type { Read, Versioned, Where } from '../base/ports/store.ts'
import { get, list } from '../kernel/ledger/reads.ts'
import { type Query, rowWithoutTexts } from '../kernel/query.ts'
import { oneOf, type RowsOf, stored } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { optional, orNull } from '../kernel/wrap.ts'
import { viewedMs } from './inputs.ts'
import { caseMembers, sealedMembers } from './shapes.ts'
import { storedSignature } from './signing/shapes.ts'

const { reviewCaseId: id, createdAt: time } = caseMembers

/** Of a case's last question: whether it waits for its answer. No state: none was asked, or it ended without one. */
export const followUpState = oneOf(['asked', 'answered'])

const members = {
  ...caseMembers,
  ...sealedMembers,
  checkpointId: id,
  /** A pseudonym: whom its opening named. Null: the case is of whom its step or session is of. */
  dataSubjectId: orNull(id),
  /** Sealed for this case (`sealing.ts`). */
  resumeToken: stored<Uint8Array | null>(),
  assigneeId: orNull(id),
  assignedAt: orNull(time),
  /** Since when it has been its reviewer's turn; null while nobody has the case, a question waits or it has ended. */
  idleSince: orNull(time),
  /** Sorts by when it is due, then by id (`placeOf`). */
  duePlace: stored<string>('text'),
  followUp: orNull(followUpState),
  /** The reviewer's own signature of the decision; null where there is none. */
  decisionSignature: orNull(storedSignature),
  /** Ms for which the reviewer had the case in view, as their browser told; absent where it told none. */
  viewedMs: optional(viewedMs),
  /** The id of its outcome callback, kept when an erasure takes the response that it is derived from; absent before. */
  callbackId: optional(id),
}

/** The order of the queue, and what is tried in its indexes: filters beside state and assignee, and whether a case ended. */
const inQueue = [
  ...(['duePlace', 'reviewTier', 'applicationId'] as const),
  ...(['followUp', 'expiresAt', 'idleSince'] as const),
] as const

/** What a case says in words, sealed. */
const texts = [
  'presentation',
  'policyResults',
  'reviewerComment',
  'response',
  'followUps',
  'continuation',
  // Under which short texts could be guessed from their digests.
  'nonces',
] as const

export const reviewCases = table({
  name: 'reviewCases',
  members,
  // Ids sort by time, so every list that an index pins down comes in the order of opening.
  key: ['reviewCaseId'],
  indexes: {
    // One for each set of filters of the list: so each page is found in its index, whatever else there is.
    byTenant: ['tenantId'],
    byState: ['tenantId', 'state'],
    byTier: ['tenantId', 'reviewTier'],
    byStateAndTier: ['tenantId', 'state', 'reviewTier'],
    byAssignee: ['tenantId', 'assigneeId'],
    byAssigneeAndState: ['tenantId', 'assigneeId', 'state'],
    byAssigneeAndTier: ['tenantId', 'assigneeId', 'reviewTier'],
    byAssigneeStateAndTier: ['tenantId', 'assigneeId', 'state', 'reviewTier'],
    ofApplication: ['tenantId', 'applicationId'],
    ofApplicationByState: ['tenantId', 'applicationId', 'state'],
    ofApplicationByTier: ['tenantId', 'applicationId', 'reviewTier'],
    ofApplicationByStateAndTier: ['tenantId', 'applicationId', 'state', 'reviewTier'],
    ofApplicationByAssignee: ['tenantId', 'applicationId', 'assigneeId'],
    ofApplicationByAssigneeAndState: ['tenantId', 'applicationId', 'assigneeId', 'state'],
    ofApplicationByAssigneeAndTier: ['tenantId', 'applicationId', 'assigneeId', 'reviewTier'],
    ofApplicationByAll: ['tenantId', 'applicationId', 'assigneeId', 'state', 'reviewTier'],
    byCheckpoint: ['tenantId', 'applicationId', 'sessionId', 'checkpointId'],
    byApplication: ['applicationId'],
    bySession: ['tenantId', 'sessionId'],
    ofSubject: ['tenantId', 'dataSubjectId'],
    byExpiry: ['tenantId', 'state', 'expiresAt'],
    queue: ['tenantId', 'state', ...inQueue],
    queueOfAssignee: ['tenantId', 'assigneeId', 'state', ...inQueue],
  },
  unique: {
    openCheckpoint: {
      on: ['tenantId', 'applicationId', 'sessionId', 'checkpointId'],
      when: { column: 'state', is: 'open' },
    },
  },
  columns: ['overdueAt'],
  sealed: texts,
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
  restore: { raise: ['caseVersion', 'eventSequence'], while: { caseVersion: ['state', 'open'] } },
})

/** A review case as it is stored. */
export interface ReviewCase extends RowsOf<typeof members> {}

type CaseText = (typeof texts)[number]
/** A review case without what it says in words. */
export type CaseWithoutTexts = Omit<ReviewCase, CaseText>

/** The case of an id, without what it says in words. */
export function caseWithoutTexts(reviewCaseId: string): Query<Versioned<CaseWithoutTexts> | null> {
  return rowWithoutTexts<ReviewCase, CaseText>(reviewCases, [reviewCaseId])
}

export function caseOf(reviewCaseId: string): Read {
  return get(reviewCases, [reviewCaseId])
}

/** Finds the cases whose openings named this person, in one application or in all of the tenant. */
export function casesNaming({
  tenantId,
  dataSubjectId,
  applicationId,
}: {
  readonly tenantId: string
  /** A pseudonym. */
  readonly dataSubjectId: string
  readonly applicationId: string | null
}): { readonly by: string; readonly where: Where } {
  const named = [
    ['tenantId', '=', tenantId],
    ['dataSubjectId', '=', dataSubjectId],
  ] as const
  const within = applicationId === null ? [] : [['applicationId', '=', applicationId] as const]
  return { by: 'ofSubject', where: [...named, ...within] }
}

type Checkpoint = Pick<ReviewCase, 'tenantId' | 'applicationId' | 'sessionId' | 'checkpointId'>

/** The read of the open case of a checkpoint. */
export function openCaseAt(checkpoint: Checkpoint): Read {
  const where: Where = [...isAt(checkpoint), ['state', '=', 'open']]
  return list(reviewCases, { where, by: 'byCheckpoint', take: 1 })
}

/** The read of the newest case of a checkpoint; the open one is, where there is one. */
export function newestCaseAt(checkpoint: Checkpoint): Read {
  return list(reviewCases, {
    where: isAt(checkpoint),
    by: 'byCheckpoint',
    newest: true,
    take: 1,
  })
}

function isAt({ tenantId, applicationId, sessionId, checkpointId }: Checkpoint): Where {
  return [
    ['tenantId', '=', tenantId],
    ['applicationId', '=', applicationId],
    ['sessionId', '=', sessionId],
    ['checkpointId', '=', checkpointId],
  ]
}
