import { digestOf } from '../base/canonical/digest.ts'
import type { Read, Versioned } from '../base/ports/store.ts'
import { erasingIn, hiddenTexts, marksOf, subjectOfText } from '../content/erasure-marks.ts'
import { type ApplicationActor, actorName } from '../kernel/callers/actor.ts'
import { type Errors, refuseErrors, wrong } from '../kernel/ledger/input-errors.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { caseMs } from '../kernel/ledger/limits.ts'
import { get, many, one, unchanged } from '../kernel/ledger/reads.ts'
import { checkReceipt, receiptOf } from '../kernel/ledger/receipts.ts'
import { ok } from '../kernel/ledger/refusal.ts'
import { operationsWith } from '../kernel/operation.ts'
import type { RowsOf } from '../kernel/shape.ts'
import type { Unit } from '../kernel/unit.ts'
import { schedule } from '../kernel/work/records.ts'
import { members } from '../organizations/access/records.ts'
import { routingOf } from '../webhooks/routing/fan-out.ts'
import { checkJson } from './check-json.ts'
import { deadlineItem, dueStep } from './deadlines.ts'
import type { OpeningHost } from './deps.ts'
import { withoutContent } from './erase-case.ts'
import { record } from './execution/act.ts'
import { shownErased } from './execution/end-erased.ts'
import { contextOf, type Scene, sceneOf } from './execution/scene.ts'
import { opening } from './inputs.ts'
import { tooLarge } from './machine/case-size.ts'
import { decide } from './machine/machine.ts'
import { newCase } from './machine/new-case.ts'
import { answersMember } from './machine/presentation-digest.ts'
import { namedBy } from './named-by.ts'
import { noticePuts } from './notices/tell-reviewers.ts'
import { aliasOf, type Place, placed, placeOf } from './place.ts'
import { caseView } from './present-case.ts'
import { caseOf, openCaseAt, type ReviewCase, reviewCases } from './records.ts'
import { sealToken } from './sealing.ts'
import { caseShape } from './shapes.ts'

const { command } = operationsWith<OpeningHost>()
type Opening = RowsOf<typeof opening>
type FoundRow = Versioned<ReviewCase>

const refuses = [
  'invalid_request',
  'idempotency_conflict',
  'requester_cannot_review',
  'case_too_large',
  'not_found',
  'busy',
] as const
type OpeningUnit = Unit<ApplicationActor, (typeof refuses)[number], OpeningHost>

/**
 * Opens a case at a checkpoint, or finds the one that this key or this checkpoint already has; one that a policy opened
 * is adopted, and one past its end expires first. One round trip, unless the key was used before or the session was
 * dissolved.
 */
export const openCase = command({
  name: 'reviewCases.open',
  doc: 'Open a review case, or get the one that is open at the checkpoint',
  by: 'application',
  right: 'openCases',
  takes: opening,
  also: faultsBetween,
  gives: caseShape,
  refuses,
  ahead: ({ by, tools }, input) => [
    ...openingReads(by, input),
    ...placed(tools, by, input).reads,
    ...aliasOf(by, input).reads,
  ],
  prepare: ({ by, tools }, input) => namedBy(tools, by, input),
  async run(unit, input, dataSubjectId) {
    const { by, tools } = unit
    const scene = await sceneOf(unit, by.tenantId, by.applicationId)
    const [used, marked, , held, requester] = await unit.read(openingReads(by, input))
    const isErased = async (review: ReviewCase): Promise<boolean> =>
      (await hiddenTexts(unit, erasingIn(marked), [review])).has(review)
    const hasLapsed = ({ row: { state, expiresAt } }: FoundRow): boolean =>
      state === 'open' && expiresAt <= scene.at
    /** The case as an answer. */
    const shown = async (was: FoundRow) => {
      if (await isErased(was.row)) return caseView(shownErased(was.row, scene), by, tools)
      return caseView(hasLapsed(was) ? expire(unit, scene, was) : was.row, by, tools)
    }

    const place = await placeOf(unit, input)
    const own = one(reviewCases, held)
    const there = own && !hasLapsed(own) ? [own] : await openAt(unit, input, place, own)
    const open = there.find((each) => !hasLapsed(each)) ?? null
    const reviewCaseId = open?.row.reviewCaseId ?? unit.id('rc')
    const receipt = checkReceipt(used, {
      ...keyOf(by, input),
      applicationId: by.applicationId,
      fingerprint: fingerprintOf(input),
      subject: reviewCaseId,
      createdAt: unit.now,
    })
    if (receipt.kind === 'conflict')
      return unit.refuse('idempotency_conflict', receipt.refusal.detail)
    if (receipt.kind === 'repeat') {
      const first =
        there.find(({ row }) => row.reviewCaseId === receipt.subject) ??
        one(reviewCases, (await unit.read([caseOf(receipt.subject)]))[0])
      if (first) return shown(first)
      return unit.refuse('not_found', 'the case that this idempotencyKey opened is gone')
    }
    unit.orRefuse(refuseErrors(deadlineFaults(input, scene.at)) ?? ok(null))
    for (const each of there) {
      if (await isErased(each.row)) unit.refuseRecording('busy', leftToErasure, { retryAfter: 1 })
      if (!hasLapsed(each)) break
      expire(unit, scene, each)
    }
    if (input.requestedBy !== null && !one(members, requester)) {
      const { detail, ...more } = unknownRequester(input.requestedBy)
      unit.refuseRecording('invalid_request', detail, more)
    }
    const review = open
      ? await joinedCase(unit, scene, open, { ...input, dataSubjectId })
      : madeCase(unit, scene, reviewCaseId, { ...input, ...place, dataSubjectId })
    unit.include({ puts: [receipt.put] })
    if (open) return shown({ ...open, row: review })
    return caseView((await isErased(review)) ? withoutContent(review) : review, by, tools)
  },
})

/** Reads of an opening: of its key, of the open case at the checkpoint as it is named, and of what both depend on. */
function openingReads(by: ApplicationActor, input: Opening): readonly Read[] {
  const { tenantId } = by
  return [
    receiptOf(keyOf(by, input)),
    marksOf(tenantId),
    routingOf(tenantId),
    openCaseAt({ ...input, ...by }),
    ...(input.requestedBy === null ? [] : [get(members, [tenantId, input.requestedBy])]),
  ]
}

function keyOf({ tenantId, applicationId }: ApplicationActor, { idempotencyKey }: Opening) {
  return { tenantId, scope: `reviewCases.open:${applicationId}`, idempotencyKey }
}

/**
 * The open cases that an opening may find, of which `own` is at the checkpoint as it is named. One may be open under the
 * id as it was given: a step's id, or an id from before a policy.
 */
async function openAt(
  { by, read }: OpeningUnit,
  input: Opening,
  { sessionId, checkpointId }: Place,
  own: FoundRow | null,
): Promise<readonly FoundRow[]> {
  const all = new Map(own ? [[own.row.reviewCaseId, own]] : [])
  if (sessionId === input.sessionId && checkpointId === input.checkpointId) return [...all.values()]
  const found = await read(
    [input.checkpointId, checkpointId].map((each) =>
      openCaseAt({ ...by, sessionId, checkpointId: each }),
    ),
  )
  for (const each of found.flatMap((answer) => many(reviewCases, answer)))
    all.set(each.row.reviewCaseId, each)
  return [...all.values()]
}

/** Records the end of a case that is past it. */
function expire(unit: OpeningUnit, scene: Scene, was: FoundRow): ReviewCase {
  const moved = dueStep(scene, was)
  if (!moved) return was.row
  record(unit, scene, was, moved, { kind: 'system' })
  return moved.case
}

const leftToErasure =
  'the case at this checkpoint is being cancelled, since the data of its subject is erased; nothing was opened'

/** An opening whose `dataSubjectId` is a pseudonym, or null. */
type NamingOpening = Opening & { readonly dataSubjectId: string | null }

/** The open case that an opening finds: one of a policy is adopted (row 14), one about nobody may be named (row 15). */
async function joinedCase(
  unit: OpeningUnit,
  scene: Scene,
  open: FoundRow,
  input: NamingOpening,
): Promise<ReviewCase> {
  const { by, tools } = unit
  const { resumeToken: token, requestedBy, presentation, dataSubjectId } = input
  const resumeToken = token === null ? null : sealToken(tools.sealer, open.row, token)
  const isNaming = dataSubjectId !== null && open.row.dataSubjectId === null
  const subjectOfPlace = isNaming ? await subjectOfText(unit, open.row) : null
  const decided = decide(
    open.row,
    { type: 'adopt', presentation, resumeToken, requestedBy, dataSubjectId, subjectOfPlace },
    contextOf(by, scene),
  )
  if (decided.kind === 'refused') {
    const { code, detail } = decided.refusal
    return unit.refuseRecording(code as (typeof refuses)[number], detail)
  }
  if (decided.kind === 'moved') record(unit, scene, open, decided)
  else unit.include({ checks: [unchanged(reviewCases, open)] })
  return decided.kind === 'moved' ? decided.case : open.row
}

/** Row 1, by an application for itself. */
function madeCase(
  unit: OpeningUnit,
  scene: Scene,
  reviewCaseId: string,
  input: NamingOpening,
): ReviewCase {
  const { by, tools } = unit
  const owner = { reviewCaseId, tenantId: by.tenantId, applicationId: by.applicationId }
  const { resumeToken: token, dataSubjectId } = input
  const resumeToken = token === null ? null : sealToken(tools.sealer, owner, token)
  const made = { ...owner, resumeToken, dataSubjectId }
  const moved = newCase(input, { ...made, at: scene.at, by: actorName(by) })
  const oversize = tooLarge('open', moved.case)
  if (oversize) unit.refuseRecording('case_too_large', oversize.detail)
  record(unit, scene, null, moved)
  const told = noticePuts(unit.tools, moved.case, unit.now)
  unit.include({ puts: [schedule(deadlineItem(moved.case)), ...told] })
  return moved.case
}

/**
 * Digest of the request without its key; an absent member equals null. Without its deadlines too, which a caller counts
 * from each time that it asks: they are those of the first request (decision 105).
 */
function fingerprintOf(input: Opening): string {
  const { idempotencyKey: _, reviewTier = null, policyResults = [], ...request } = input
  const { dataSubjectId = null } = request
  const usual = { reviewTier, policyResults, dataSubjectId }
  return digestOf({ ...request, ...usual, dueAt: null, expiresAt: null })
}

function unknownRequester(requester: string) {
  const expected = 'expected the id of a member of the organization or null'
  return refuseErrors([wrong('/requestedBy', `${expected}, got ${JSON.stringify(requester)}`)])
    .refusal
}

/** What is wrong with an opening whose members hold each by itself, but for its deadlines against the clock. */
function faultsBetween({ dueAt, expiresAt, presentation, policyResults = [] }: Opening): Errors {
  return [
    ...(dueAt !== undefined && expiresAt !== undefined && dueAt > expiresAt
      ? [wrong('/dueAt', 'expected a time not after expiresAt')]
      : []),
    ...(Object.hasOwn(presentation, answersMember)
      ? [
          wrong(
            `/presentation/${answersMember}`,
            'this member is where answered follow-ups are shown',
          ),
        ]
      : checkJson(presentation, '/presentation')),
    ...checkJson(policyResults, '/policyResults'),
  ]
}

/** What is wrong with the deadlines of an opening at `now`; not asked of a repeat under the same idempotency key. */
function deadlineFaults({ dueAt, expiresAt }: Opening, now: number): Errors {
  return [...notAhead(dueAt, '/dueAt', now), ...notAhead(expiresAt, '/expiresAt', now)]
}

function notAhead(value: number | undefined, pointer: string, now: number): Errors {
  if (value === undefined) return []
  const last = now + caseMs
  if (value > now && value <= last) return []
  const when = value <= now ? `after the opening, ${isoTime(now)}` : `until ${isoTime(last)}`
  return [wrong(pointer, `expected a time ${when}, got ${isoTime(value)}`)]
}
