import { inSlices } from '../../base/json/in-slices.ts'
import type { SessionKey } from '../../content/records.ts'
import { planOf } from '../../kernel/callers/plans.ts'
import { sessionView, stepView } from '../../sessions/present.ts'
import { policyResultView } from '../../sessions/seal/record.ts'
import { loadSession } from '../assemble/assemble.ts'
import { readFacts, type SessionFacts } from '../assemble/facts.ts'
import { type Cell, sessionCells, stepCells } from '../csv.ts'
import type { PackageDeps } from '../deps.ts'
import type { PackTally } from '../packages/order.ts'
import { omittedFor } from '../packages/own-failure.ts'
import { addToReport, type ReportTally } from './access-report.ts'
import { partOf, type SubjectPart } from './part.ts'
import { type PortableSession, portableSession } from './portable.ts'
import { type ProcessingEntry, sessionLog } from './processing-log.ts'
import type { SubjectData } from './subject-data.ts'

/** A session whose content could not be given, and why. */
export interface OmittedSession extends Pick<SessionKey, 'applicationId' | 'sessionId'> {
  readonly reason: string
}

/**
 * The subject's part of each session with its content, one in memory at a time. Adds each to the tallies, and to
 * `omitted` those whose content is damaged or too large.
 */
export async function* portableSessions(
  deps: PackageDeps,
  subject: SubjectData,
  into: {
    readonly now: number
    readonly packageId: string
    readonly tally: PackTally
    readonly report: ReportTally
    readonly omitted: OmittedSession[]
  },
): AsyncGenerator<PortableSession, void, undefined> {
  const { dataSubjectId } = subject
  for (const key of subject.sessions) {
    const { applicationId, sessionId } = key
    const loaded = await loadSession(
      deps,
      key,
      (facts) => partOf(facts, dataSubjectId).facts,
    ).catch((error: unknown) => {
      // One damaged session must not keep the others from their subject; the manifest says which.
      const { tenantId } = key
      const where = { tenantId, packageId: into.packageId, part: 'session' } as const
      return { ok: false, refusal: { code: omittedFor(deps, error, where) } } as const
    })
    if (!loaded.ok) {
      into.omitted.push({ applicationId, sessionId, reason: loaded.refusal.code })
      continue
    }
    const { facts, contents } = loaded.value
    const part = partOf(facts, dataSubjectId)
    addToReport(into.report, part)
    into.tally.sessionCount++
    for (const [subjectId, keyId] of contents.keys)
      into.tally.keys.set(JSON.stringify([applicationId, subjectId]), keyId)
    const telling = portableSession(part, contents, { now: into.now, host: deps })
    yield await inSlices(telling, deps.pause)
  }
}

/** The subject's part of each session as rows of its CSV: the session where it is theirs, and their steps. */
export async function* tableRows(
  deps: PackageDeps,
  subject: SubjectData,
): AsyncGenerator<readonly Cell[], void, undefined> {
  for await (const { facts, own } of wholeParts(deps, subject)) {
    const { session, steps, cases } = facts
    const table = {
      session: sessionView(session, {
        openReviewCases: 0,
        retentionDays: planOf(subject.tenant).retentionDays,
      }),
      policyResults: [
        ...session.policyResults,
        ...steps.flatMap(({ policyResults }) => policyResults),
      ].map(policyResultView),
      reviewCases: cases,
    }
    if (own) yield sessionCells(table)
    for (const step of steps) yield stepCells(table, stepView(step, null))
  }
}

/** What was done with the subject's part of each session. */
export async function* sessionEntries(
  deps: PackageDeps,
  subject: SubjectData,
): AsyncGenerator<ProcessingEntry, void, undefined> {
  for await (const { facts, whole } of wholeParts(deps, subject)) yield* sessionLog(facts, whole)
}

/** Leaves out the sessions that are too large for a document: `portableSessions` reports them as omitted. */
async function* wholeParts(deps: PackageDeps, subject: SubjectData): ReturnType<typeof partsOf> {
  for await (const part of partsOf(deps, subject)) if (part.whole.whole) yield part
}

/**
 * The subject's part of each session, without content. Of a session with more rows than one document takes some are
 * missing: `whole.whole` is false.
 */
export async function* partsOf(
  { vault }: Pick<PackageDeps, 'vault'>,
  { reader, sessions, dataSubjectId }: SubjectData,
): AsyncGenerator<SubjectPart & { readonly whole: SessionFacts }, void, undefined> {
  for (const key of sessions) {
    const whole = await readFacts({ vault, read: reader.read }, key)
    if (whole) yield { ...partOf(whole, dataSubjectId), whole }
  }
}
