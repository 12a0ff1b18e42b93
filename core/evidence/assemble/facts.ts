import { applicationOf } from '../../applications/load.ts'
import { type Application, applications } from '../../applications/records.ts'
import type { Found, Read } from '../../base/ports/store.ts'
import {
  type Erasing,
  erasingIn,
  erasureMarks,
  marksOf,
  shownSession,
  shownStep,
} from '../../content/erasure-marks.ts'
import type { StoredPayload } from '../../content/payload-records.ts'
import {
  type SessionKey,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
  stepsAfter,
} from '../../content/records.ts'
import {
  type Anchor,
  anchors,
  type Batch,
  batches,
  type CaseSeal,
  caseSeals,
  type Seal,
  seals,
} from '../../content/seal-records.ts'
import type { Vault } from '../../content/vault/vault.ts'
import { get, list, many, one } from '../../kernel/ledger/reads.ts'
import { type Tenant, tenants } from '../../organizations/access/records.ts'
import { type SessionFlag, sessionFlags } from '../../policies/flags/records.ts'
import {
  type SessionAnnotation,
  type SessionReview,
  sessionAnnotations,
  sessionReviews,
} from '../../policies/sessions/records.ts'
import { withoutContent } from '../../review/erase-case.ts'
import { type ReviewCase, reviewCases } from '../../review/records.ts'

/** All that is stored of one session, of one snapshot. */
export interface SessionFacts {
  readonly tenant: Tenant
  readonly application: Application
  readonly session: StoredSession
  /** By start. */
  readonly steps: readonly StoredStep[]
  /** In the order of opening. */
  readonly cases: readonly ReviewCase[]
  /** In the order of their ids. */
  readonly flags: readonly SessionFlag[]
  readonly annotations: readonly SessionAnnotation[]
  readonly reviews: readonly SessionReview[]
  /** By revision. */
  readonly seals: readonly Seal[]
  /** By the id of their case. */
  readonly caseSeals: ReadonlyMap<string, CaseSeal>
  /** By id, those of all these seals. */
  readonly batches: ReadonlyMap<string, Batch>
  /** By sequence, those of the batches. */
  readonly anchors: ReadonlyMap<number, Anchor>
  /** The vault's subjects of all payloads, and its answers for them. */
  readonly subjects: readonly string[]
  readonly keys: readonly Found[]
  /** Nothing was left out, for want of room. */
  readonly whole: boolean
  /** Changes with the session's row and with the erasures under way. */
  readonly moment: string
}

/** Steps that were read apart, page by page: what of them the rest is read by. */
export interface StepsApart {
  readonly named: readonly Pick<StoredStep, 'stepId' | 'dataSubjectId'>[]
  /** The vault's subjects of their payloads. */
  readonly subjects: ReadonlySet<string>
}

/** What a session leads to: known only once it was read. */
interface Led {
  readonly subjects: readonly string[]
  readonly batchIds: readonly string[]
  readonly sequences: readonly number[]
}

/** Rows of each kind that a session may have; one with more is in no document. */
const all = 100_000

/**
 * Reads a session with all that belongs to it from one snapshot; null when it is gone. What it leads to (batches,
 * anchors, keys) is read together with it, so a first read finds what to ask for, and is repeated when that grew. Where
 * the steps were read apart, the facts have none.
 */
export async function readFacts(
  ports: {
    readonly vault: Pick<Vault, 'reads'>
    readonly read: (reads: readonly Read[]) => Promise<readonly Found[]>
  },
  key: SessionKey,
  apart: StepsApart | null = null,
): Promise<SessionFacts | null> {
  let asked: Led = { subjects: [], batchIds: [], sequences: [] }
  for (;;) {
    const own = ownReads(key, apart ? 1 : all)
    const led = [
      ...asked.batchIds.map((id) => get(batches, [key.tenantId, key.applicationId, id])),
      ...asked.sequences.map((sequence) => get(anchors, [key.tenantId, sequence])),
    ]
    const found = await ports.read([...own, ...led, ...ports.vault.reads(key, asked.subjects)])
    const facts = factsOf(found, own.length, asked, apart)
    if (facts === null) return null
    const now = ledBy(facts, apart)
    if (covers(asked, now)) return withoutPurged(facts)
    asked = now
  }
}

/** A purge removes batches, with the nonces that led to their roots, before the sessions that they sealed. */
function withoutPurged(facts: SessionFacts): SessionFacts {
  const { application, seals: all, batches: found } = facts
  if (application.lifecycleState !== 'purging') return facts
  return { ...facts, seals: all.filter(({ batchId }) => found.has(batchId)) }
}

function ownReads(
  { tenantId, applicationId, sessionId }: SessionKey,
  mostSteps: number,
): readonly Read[] {
  const where = [
    ['tenantId', '=', tenantId],
    ['applicationId', '=', applicationId],
    ['sessionId', '=', sessionId],
  ] as const
  return [
    get(tenants, [tenantId]),
    applicationOf(tenantId, applicationId),
    get(sessions, [tenantId, applicationId, sessionId]),
    list(steps, { by: 'bySession', where, take: mostSteps }),
    list(reviewCases, { by: 'byCheckpoint', where, take: all }),
    list(seals, { where, take: all }),
    list(sessionFlags, { where, take: all }),
    list(sessionAnnotations, { where, take: all }),
    list(sessionReviews, { where, take: all }),
    marksOf(tenantId),
    list(caseSeals, { by: 'bySession', where, take: all }),
  ]
}

function factsOf(
  found: readonly Found[],
  own: number,
  asked: Led,
  apart: StepsApart | null,
): SessionFacts | null {
  const tenant = one(tenants, found[0])?.row
  const application = one(applications, found[1])?.row
  const session = shownAt(found[2])
  if (!tenant || !application || !session) return null
  const afterBatches = own + asked.batchIds.length
  const afterAnchors = afterBatches + asked.sequences.length
  const foundBatches = found.slice(own, afterBatches).flatMap((each) => one(batches, each) ?? [])
  const foundAnchors = found
    .slice(afterBatches, afterAnchors)
    .flatMap((each) => one(anchors, each) ?? [])
  const read = apart ? [] : many(steps, found[3]).map(({ row }) => row)
  return withoutErased(erasingIn(found[9]), apart?.named ?? read, {
    tenant,
    application,
    session,
    steps: read,
    cases: many(reviewCases, found[4])
      .map(({ row }) => row)
      .toSorted((a, b) => (a.reviewCaseId < b.reviewCaseId ? -1 : 1)),
    seals: many(seals, found[5]).map(({ row }) => row),
    caseSeals: new Map(many(caseSeals, found[10]).map(({ row }) => [row.reviewCaseId, row])),
    flags: many(sessionFlags, found[6]).map(({ row }) => row),
    annotations: many(sessionAnnotations, found[7]).map(({ row }) => row),
    reviews: many(sessionReviews, found[8]).map(({ row }) => row),
    batches: new Map(foundBatches.map(({ row }) => [row.batchId, row])),
    anchors: new Map(foundAnchors.map(({ row }) => [row.sequence, row])),
    subjects: asked.subjects,
    keys: found.slice(afterAnchors),
    whole: found.slice(0, own).every(({ rows }) => rows.length < all),
    moment: momentOf(found[2], found[9]),
  })
}

function shownAt(found: Found | undefined): StoredSession | null {
  const session = one(sessions, found)?.row
  return session && !session.removing ? session : null
}

/** Names a state of a session's row and of the erasures under way: pages of steps that were read in one fit together. */
function momentOf(session: Found | undefined, marks: Found | undefined): string {
  const began = many(erasureMarks, marks).map(({ row }) => row.erasureRequestId)
  return [one(sessions, session)?.version, ...began].join(' ')
}

/** Steps of one read. */
const pageSize = 250

/**
 * A session's steps page by page, as they are shown, each with the moment in which it was read. Ends early where the
 * session is gone.
 */
export async function* readSteps(
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
  key: SessionKey,
): AsyncGenerator<{ readonly moment: string; readonly page: readonly StoredStep[] }, void> {
  const { tenantId, applicationId, sessionId } = key
  let after: string | null = null
  for (;;) {
    const [own, marks, found] = await read([
      get(sessions, [tenantId, applicationId, sessionId]),
      marksOf(tenantId),
      stepsAfter(key, after, pageSize),
    ])
    const session = shownAt(own)
    if (!session) return
    const erasing = erasingIn(marks)
    const page = many(steps, found).map(({ row }) => shownStep(erasing, session, row))
    yield { moment: momentOf(own, marks), page }
    if (page.length < pageSize) return
    after = page.at(-1)?.place ?? null
  }
}

/** The facts without what data subjects whose erasure has begun have in them, by whom their steps name. */
function withoutErased(
  erasing: Erasing,
  named: StepsApart['named'],
  facts: SessionFacts,
): SessionFacts {
  if (!erasing.any) return facts
  const { session, steps } = facts
  const { applicationId, dataSubjectId } = session
  const subjects = new Map(named.map((step) => [step.stepId, step.dataSubjectId]))
  const isHidden = (stepId: string | null) =>
    erasing.has(applicationId, subjects.get(stepId ?? '') ?? dataSubjectId)
  return {
    ...facts,
    session: shownSession(erasing, session, named),
    steps: steps.map((step) => shownStep(erasing, session, step)),
    cases: facts.cases.map((row) => {
      const { stepId, dataSubjectId: about } = row
      const isTaken = about === null ? isHidden(stepId) : erasing.has(applicationId, about)
      return isTaken ? withoutContent(row) : row
    }),
    flags: facts.flags.map((row) => (isHidden(null) ? { ...row, note: null } : row)),
    annotations: facts.annotations.map((row) =>
      isHidden(row.stepId) ? { ...row, text: null, label: null } : row,
    ),
    reviews: facts.reviews.map((row) => (isHidden(null) ? { ...row, comment: null } : row)),
  }
}

function ledBy(facts: SessionFacts, apart: StepsApart | null): Led {
  const { session, steps, seals, caseSeals, batches } = facts
  const sealed = [...seals, ...caseSeals.values()]
  const own = payloadsOf(session, steps).map(({ payload }) => payload.subject)
  return {
    subjects: [...new Set([...own, ...(apart?.subjects ?? [])])],
    batchIds: [...new Set(sealed.flatMap(({ batchId }) => batchId ?? []))],
    sequences: [...batches.values()].flatMap(({ anchorSequence }) => anchorSequence ?? []),
  }
}

function covers(asked: Led, now: Led): boolean {
  return (
    within<string>(now.subjects, asked.subjects) &&
    within<string>(now.batchIds, asked.batchIds) &&
    within<number>(now.sequences, asked.sequences)
  )
}

function within<T>(some: readonly T[], all: readonly T[]): boolean {
  const known = new Set(all)
  return some.every((each) => known.has(each))
}

/** Every payload of a session and its steps; `stepId` is null for the session's own. */
export function payloadsOf(
  session: StoredSession,
  steps: readonly StoredStep[],
): readonly { readonly stepId: string | null; readonly payload: StoredPayload }[] {
  return [
    ...session.payloads.map((payload) => ({ stepId: null, payload })),
    ...steps.flatMap(({ stepId, payloads }) => payloads.map((payload) => ({ stepId, payload }))),
  ]
}
