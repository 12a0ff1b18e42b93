import type { ChangeSet, Check, Collection, Put, Versioned } from '../base/ports/store.ts'
import { ofSession, type SessionKey, type StoredSession } from '../content/records.ts'
import { caseSeals } from '../content/seal-records.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { get, list, many, one, put, removalsOf, unchanged } from '../kernel/ledger/reads.ts'
import type { Parts } from '../kernel/ports.ts'
import { askedOf } from '../kernel/query.ts'
import { mergedParts } from '../kernel/unit.ts'
import { demandsAt } from '../policies/demanded-cases.ts'
import { openFlagOf, type SessionFlag, sessionFlags } from '../policies/flags/records.ts'
import { type PolicyDemand, policyDemands } from '../policies/records.ts'
import { severities } from '../policies/rules/shapes.ts'
import { sessionAnnotations, sessionReviews } from '../policies/sessions/records.ts'
import type { ReviewHost } from '../review/deps.ts'
import { withDeliveries } from '../review/execution/change-set.ts'
import { sceneOf } from '../review/execution/scene.ts'
import { cancellationParts, movingParts } from '../review/policy-case.ts'
import { openCaseAt, type ReviewCase, reviewCases } from '../review/records.ts'
import { waitingSeal } from './seal/enter-case.ts'
import { sealAfter, sealDelayMs, sealKind, workItem } from './work-kinds.ts'

/** Flags, annotations or session reviews that move in one commit. */
const piece = 100
/** A case may hold megabytes. */
const casePiece = 4

/** A bounded piece of what members and policies hung on a session, as it moves to another. */
export interface MovedMarks {
  readonly set: Omit<ChangeSet, 'tenant'>
  /** Open flags that the old session loses, and those that the new one gains. */
  readonly openFlags: { readonly lost: number; readonly gained: number }
  /** The new session's review state, where a session review that moves is its last. */
  readonly reviewState?: StoredSession['reviewState']
}

const noFlags = { lost: 0, gained: 0 } as const

interface Move {
  readonly host: ReviewHost
  readonly unit: UnitOfWork
  readonly from: SessionKey
  readonly to: SessionKey
}

type Mover = (move: Move) => Promise<MovedMarks | null>

/** The next piece of a session's flags, annotations, reviews, policy demands and review cases; null once none is left. */
export async function moveMarks(move: Move): Promise<MovedMarks | null> {
  for (const mover of movers) {
    const moved = await mover(move)
    if (moved) return moved
  }
  return null
}

/** A session has one open flag of each kind and source: of two the more severe stays open, and the other is cleared. */
const moveFlags: Mover = async ({ unit, from, to }) => {
  const flags = await firstOf(unit, sessionFlags, from)
  if (flags.length === 0) return null
  const open = flags.filter(({ row }) => row.state === 'open')
  const found = await unit.read(open.map(({ row }) => openFlagOf(to, row.flag, row.source)))
  const openThere = new Map(open.map(({ row }, at) => [row.flagId, one(sessionFlags, found[at])]))
  const cleared: Put[] = []
  let gained = open.length
  const rows = flags.map(({ row }): SessionFlag => {
    const other = openThere.get(row.flagId)
    if (!other) return row
    gained--
    if (severities.indexOf(row.severity) <= severities.indexOf(other.row.severity))
      return asCleared(row, unit.now)
    cleared.push(put(sessionFlags, asCleared(other.row, unit.now), other))
    return row
  })
  const moved = rekeyed(sessionFlags, flags, rows, to)
  return {
    // The unique rule is met one put after another.
    set: { ...moved, puts: [...cleared, ...moved.puts] },
    openFlags: { lost: open.length, gained },
  }
}

function asCleared(flag: SessionFlag, now: number): SessionFlag {
  return { ...flag, state: 'cleared', clearedAt: now }
}

const moveAnnotations: Mover = async ({ unit, from, to }) => {
  const notes = await firstOf(unit, sessionAnnotations, from)
  if (notes.length === 0) return null
  const rows = notes.map(({ row }) => row)
  return { set: rekeyed(sessionAnnotations, notes, rows, to), openFlags: noFlags }
}

const moveReviews: Mover = async ({ unit, from, to }) => {
  const reviews = await firstOf(unit, sessionReviews, from)
  const last = reviews.at(-1)?.row
  if (!last) return null
  const [found] = await unit.read([
    list(sessionReviews, { where: ofSession(to), newest: true, take: 1 }),
  ])
  const other = one(sessionReviews, found)?.row
  const rows = reviews.map(({ row }) => row)
  return {
    set: rekeyed(sessionReviews, reviews, rows, to),
    openFlags: noFlags,
    // Ids sort by time.
    ...(other && other.sessionReviewId > last.sessionReviewId
      ? {}
      : { reviewState: last.decision }),
  }
}

/**
 * What requires the cases of one checkpoint moves with its open case in one commit, since a withdrawn rule looks at both
 * together.
 */
const moveDemands: Mover = async (move) => {
  const { unit, from, to } = move
  const [found] = await unit.read([list(policyDemands, { where: ofSession(from), take: 1 })])
  const first = one(policyDemands, found)
  if (!first) return null
  const { checkpointId } = first.row
  const [foundHere, foundThere, openHere, openThere] = await unit.read([
    demandsAt(from, checkpointId),
    demandsAt(to, checkpointId),
    openCaseAt({ ...from, checkpointId }),
    openCaseAt({ ...to, checkpointId }),
  ])
  const review = one(reviewCases, openHere)
  const other = one(reviewCases, openThere)
  const here = many(policyDemands, foundHere)
  if (review && other) return supersede(move, [{ review, by: other }], here)
  const open = (review ?? other)?.row.reviewCaseId
  const there = many(policyDemands, foundThere)
  const puts = here.flatMap(({ row }): readonly Put[] => {
    const moved: PolicyDemand = { ...row, sessionId: to.sessionId }
    const was = there.find((each) => isSameRule(each.row, row)) ?? null
    return was && !isLater(row, was.row, open) ? [] : [put(policyDemands, moved, was)]
  })
  const cases = await movedCases(move, review ? [review] : [])
  // A case that expires first ends without its demands, which move with the next piece.
  if (cases.moved.length < (review ? 1 : 0)) return { set: cases.set, openFlags: noFlags }
  const set = mergedParts([cases.set, { puts, removes: removalsOf(policyDemands, here) }])
  return { set, openFlags: noFlags }
}

function isSameRule(one: PolicyDemand, other: PolicyDemand): boolean {
  return one.source === other.source && one.ruleId === other.ruleId
}

/** Whether a demand is of the case that is open, or of the later one of two that are closed. */
function isLater(demand: PolicyDemand, other: PolicyDemand, open: string | undefined): boolean {
  if (demand.reviewCaseId === open) return true
  return other.reviewCaseId !== open && demand.reviewCaseId > other.reviewCaseId
}

const moveCases: Mover = async (move) => {
  const { unit, from, to } = move
  const [found] = await unit.read([
    list(reviewCases, { by: 'byCheckpoint', where: ofSession(from), take: casePiece }),
  ])
  const cases = many(reviewCases, found)
  if (cases.length === 0) return null
  const open = cases.filter(({ row }) => row.state === 'open')
  const others = await unit.read(open.map(({ row }) => openCaseAt({ ...row, ...to })))
  const doubled = open.flatMap((review, at) => {
    const by = one(reviewCases, others[at])
    return by ? { review, by } : []
  })
  if (doubled.length > 0) return supersede(move, doubled, [])
  const { set, moved } = await movedCases(move, cases)
  return { set: mergedParts([set, await resealed(unit, moved)]), openFlags: noFlags }
}

/** The seals of cases that have moved: a case's record names its session, so each waits for a batch again. */
async function resealed(unit: UnitOfWork, cases: readonly ReviewCase[]): Promise<Parts> {
  const [first] = cases
  if (!first) return {}
  const found = await unit.read(cases.map(({ reviewCaseId }) => get(caseSeals, [reviewCaseId])))
  const seals = cases.map((review, at) => ({ review, was: one(caseSeals, found[at]) }))
  const puts = seals.flatMap(({ review, was }) => {
    const waiting = was && waitingSeal(review, unit.now)
    return waiting ? [put(caseSeals, waiting, was)] : []
  })
  // A case that is entered meanwhile would be entered with the session that it leaves.
  const checks = seals.flatMap(({ review, was }): readonly Check[] =>
    was ? [] : [{ in: caseSeals.name, key: [review.reviewCaseId], version: 0 }],
  )
  if (puts.length === 0) return { checks }
  const { waiting } = await askedOf(unit, { waiting: workItem(sealKind, first.applicationId) })
  return mergedParts([{ puts, checks }, sealAfter(first, unit.now + sealDelayMs, waiting)])
}

/** Cases as they move, each by a step of its own; those that are past their end expire instead, and stay for now. */
async function movedCases(
  { host, unit, to }: Move,
  cases: readonly Versioned<ReviewCase>[],
): Promise<{ readonly set: Parts; readonly moved: readonly ReviewCase[] }> {
  if (cases.length === 0) return { set: {}, moved: [] }
  const { tenantId, applicationId, sessionId } = to
  const scene = await sceneOf(unit, tenantId, applicationId)
  const all = cases.map((was) => movingParts(host, scene, was, sessionId))
  const parts = mergedParts(all.map(({ parts: { events: _, ...changes } }) => changes))
  const events = all.flatMap((each) => each.parts.events)
  return {
    set: withDeliveries(host, scene, tenantId, { ...parts, events }),
    moved: all.flatMap(({ moved }) => (moved ? [moved] : [])),
  }
}

/** A case that is open, and the open one of the new session at the same checkpoint. */
interface Doubled {
  readonly review: Versioned<ReviewCase>
  readonly by: Versioned<ReviewCase>
}

/**
 * Cancels cases at whose checkpoints the new session has an open case already, which is required by their demands from
 * then on. They move once they are closed.
 */
async function supersede(
  { host, unit, from: { tenantId, applicationId } }: Move,
  doubled: readonly Doubled[],
  demands: readonly Versioned<PolicyDemand>[],
): Promise<MovedMarks> {
  const scene = await sceneOf(unit, tenantId, applicationId)
  const parts = doubled.flatMap(
    ({ review }) => cancellationParts(host, scene, review, 'checkpoint_superseded') ?? [],
  )
  const puts = demands.flatMap((was): readonly Put[] => {
    const pair = doubled.find(({ review }) => review.row.reviewCaseId === was.row.reviewCaseId)
    if (!pair) return []
    return [put(policyDemands, { ...was.row, reviewCaseId: pair.by.row.reviewCaseId }, was)]
  })
  const checks = doubled.map(({ by }) => unchanged(reviewCases, by))
  const set = withDeliveries(host, scene, tenantId, {
    puts: [...parts.flatMap((each) => each.puts), ...puts],
    checks: [...parts.flatMap((each) => each.checks), ...checks],
    appends: parts.flatMap(({ appends }) => appends),
    events: parts.flatMap(({ events }) => events),
  })
  return { set, openFlags: noFlags }
}

const movers: readonly Mover[] = [moveFlags, moveAnnotations, moveReviews, moveDemands, moveCases]

/** The collections of which `moveMarks` leaves no row behind. */
export const markCollections: readonly string[] = [
  sessionFlags,
  sessionAnnotations,
  sessionReviews,
  policyDemands,
  reviewCases,
  caseSeals,
].map(({ name }) => name)

async function firstOf<R extends object>(
  unit: UnitOfWork,
  collection: Collection<R>,
  session: SessionKey,
): Promise<readonly Versioned<R>[]> {
  const [found] = await unit.read([list(collection, { where: ofSession(session), take: piece })])
  return many(collection, found)
}

/** Rows whose key names the session, under the key of another. */
function rekeyed<R extends SessionKey>(
  collection: Collection<R>,
  was: readonly Versioned<R>[],
  rows: readonly R[],
  { sessionId }: SessionKey,
): { readonly puts: readonly Put[]; readonly removes: NonNullable<ChangeSet['removes']> } {
  return {
    puts: rows.map((row) => put(collection, { ...row, sessionId }, null)),
    removes: removalsOf(collection, was),
  }
}
