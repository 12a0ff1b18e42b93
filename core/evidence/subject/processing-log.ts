import { type AuditEntry, auditLog } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { Reader } from '../../kernel/ledger/pages.ts'
import type { SessionFacts } from '../assemble/facts.ts'
import { logEntries } from '../packages/log-entries.ts'
import { withoutMember } from './portable.ts'

/** What was done with a subject's data, and when; ISO 8601 UTC. */
export interface ProcessingEntry {
  readonly at: string
  readonly activity: string
  readonly applicationId: string | null
  readonly sessionId: string | null
  /** `member`, `application:<id>` or `system`, where that is known. */
  readonly actor: string | null
  readonly detail: Readonly<Record<string, string | number | boolean | null>>
}

/** What was done with a session, by time; `facts` are the subject's part, `seals` those of the whole session. */
export function sessionLog(
  facts: SessionFacts,
  { seals, batches, anchors }: Pick<SessionFacts, 'seals' | 'batches' | 'anchors'>,
): readonly ProcessingEntry[] {
  const { session, steps, cases, flags, annotations, reviews } = facts
  const { applicationId, sessionId } = session
  const entry = (
    at: number,
    activity: string,
    actor: string | null,
    detail: ProcessingEntry['detail'] = {},
  ): ProcessingEntry => ({ at: isoTime(at), activity, applicationId, sessionId, actor, detail })
  const entries = [
    entry(session.receivedAt, 'session.received', 'application', { origin: session.origin }),
    ...(session.completedAt === null
      ? []
      : [entry(session.completedAt, 'session.completed', 'system')]),
    ...seals.flatMap(({ revision, sealedAt, batchId }) => {
      const sequence = batches.get(batchId)?.anchorSequence ?? null
      const anchor = sequence === null ? undefined : anchors.get(sequence)
      return [
        entry(sealedAt, 'session.sealed', 'system', { revision }),
        ...(anchor ? [entry(anchor.anchoredAt, 'session.anchored', 'system', { revision })] : []),
      ]
    }),
    ...[...session.policyResults, ...steps.flatMap(({ policyResults }) => policyResults)].map(
      ({ matchedAt, ruleId, effect, stepId, source }) =>
        entry(matchedAt, 'policy_rule.matched', source, { ruleId, effect, stepId }),
    ),
    ...cases.flatMap(({ reviewCaseId, history }) =>
      history.map(({ at, step, actor }) =>
        entry(at, `review_case.${step}`, withoutMember(actor), { reviewCaseId }),
      ),
    ),
    ...flags.flatMap(({ flagId, flag, source, raisedAt, clearedAt }) => [
      entry(raisedAt, 'session.flag_raised', source, { flagId, flag }),
      ...(clearedAt === null ? [] : [entry(clearedAt, 'session.flag_cleared', null, { flagId })]),
    ]),
    ...annotations.map(({ createdAt, annotationId }) =>
      entry(createdAt, 'session.annotated', 'member', { annotationId }),
    ),
    ...reviews.map(({ reviewedAt, sessionReviewId, decision }) =>
      entry(reviewedAt, `session.${decision}`, 'member', { sessionReviewId }),
    ),
  ]
  return entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

const fromUtf8 = new TextDecoder()

/** What the audit log has of a subject: lookups, erasures, holds, exports. */
export async function* auditOf(
  reader: Reader,
  { tenantId, dataSubjectId }: { readonly tenantId: string; readonly dataSubjectId: string },
): AsyncGenerator<ProcessingEntry, void, undefined> {
  for await (const { entry } of logEntries(reader, auditLog, tenantId)) {
    const text = fromUtf8.decode(entry)
    if (!text.includes(dataSubjectId)) continue
    const { at, action, subject, actor, detail } = JSON.parse(text) as AuditEntry
    if (subject !== dataSubjectId && detail.dataSubjectId !== dataSubjectId) continue
    yield {
      at,
      activity: action,
      applicationId: typeof detail.applicationId === 'string' ? detail.applicationId : null,
      sessionId: null,
      actor: withoutMember(actor),
      detail: subject === dataSubjectId ? {} : { subject },
    }
  }
}
