import type { PayloadField } from '../../content/payload-records.ts'
import { planOf } from '../../kernel/callers/plans.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { AccessReport, AccessReportSession } from '../model.ts'
import type { SubjectPart } from './part.ts'
import type { SubjectData } from './subject-data.ts'

/** Sessions that a report lists, and lines of each of its other lists. */
export const reportLines = 1_000

/** What is learned of a subject's sessions, one after another; bounded, whatever their number. */
export interface ReportTally {
  sessionCount: number
  readonly sessions: AccessReportSession[]
  readonly fields: Set<PayloadField>
  readonly categories: Set<string>
  /** Results of policy rules by rule and effect. */
  readonly rules: Map<string, { readonly words: string; count: number }>
  cases: number
  decidedCases: number
}

export function emptyTally(): ReportTally {
  return {
    sessionCount: 0,
    sessions: [],
    fields: new Set(),
    categories: new Set(),
    rules: new Map(),
    cases: 0,
    decidedCases: 0,
  }
}

/** Adds a session to the report. */
export function addToReport(tally: ReportTally, { facts }: SubjectPart): void {
  const { session, steps, application, cases } = facts
  tally.sessionCount++
  if (tally.sessions.length < reportLines)
    tally.sessions.push({
      applicationName: application.name,
      sessionId: session.sessionId,
      startedAt: isoTime(session.startedAt),
      endedAt: session.status === 'running' ? null : isoTime(session.endedAt),
      stepCount: steps.length,
      payloadStatus: session.payloadStatus,
    })
  for (const { field } of [...session.payloads, ...steps.flatMap(({ payloads }) => payloads)])
    tally.fields.add(field)
  for (const category of steps.flatMap(({ dataCategories }) => dataCategories))
    if (tally.categories.size < reportLines) tally.categories.add(category)
  for (const result of [
    ...session.policyResults,
    ...steps.flatMap(({ policyResults }) => policyResults),
  ]) {
    const key = JSON.stringify([session.applicationId, result.ruleId, result.effect])
    const known = tally.rules.get(key)
    if (known) known.count++
    else if (tally.rules.size < reportLines)
      tally.rules.set(key, {
        words: `${result.ruleName} (${result.ruleId}): ${result.effect.replaceAll('_', ' ')}`,
        count: 1,
      })
  }
  tally.cases += cases.length
  tally.decidedCases += cases.filter(({ state }) => state === 'decided').length
}

const fieldWords: Readonly<Record<PayloadField, string>> = {
  input: 'inputs of steps',
  output: 'outputs of steps',
  attributes: 'attributes of steps',
  metadata: 'metadata of sessions',
  submission: 'sessions as they were submitted',
}

/** The report; `now` is ms. */
export function reportOf(
  { tenant, dataSubjectId }: Pick<SubjectData, 'tenant' | 'dataSubjectId'>,
  tally: ReportTally,
  now: number,
): AccessReport {
  const { tenantId, name: organizationName, contactEmail, country = null } = tenant
  return {
    reportVersion: '1.0',
    generatedAt: isoTime(now),
    organizationName,
    tenantId,
    controller: { name: organizationName, contactEmail, country },
    dataSubjectId,
    purposes: [
      'Review by a human of what an AI system wants to do, before it is done',
      'Evidence of what AI systems did, which rules said what, and what people decided',
      'Detection of violations of rules, and of quality',
    ],
    categories: [
      'Structure of sessions and steps: times, types, names, models, tools, counts',
      ...[...tally.fields].map((field) => `Content: ${fieldWords[field]}`).toSorted(),
      ...[...tally.categories]
        .map((category) => `Named by the application: ${category}`)
        .toSorted(),
      ...(tally.cases === 0 ? [] : ['Review cases with comments, responses and questions']),
      'Scores, flags and annotations of sessions; scores are inferred',
    ],
    recipients: [
      `Members of ${organizationName}: content, as their permissions allow`,
      'The applications that sent the data: outcomes of their review cases',
      'Endpoints of webhooks and chat channels that the organization set up: ids, states and numbers, no content',
    ],
    retention: `${planOf(tenant).retentionDays} days after a session completed; longer while a legal hold or an open review case keeps it`,
    rights: [
      'Access to the data, and a copy of it that programs can read',
      'Rectification of what is wrong',
      'Erasure, unless a legal hold forbids it',
      'Restriction of processing, and objection to it',
      'A review by a person of decisions made by programs alone',
      'A complaint to a supervisory authority',
    ],
    source: `Applications of ${organizationName}, which sent the sessions`,
    automatedDecisions: decisionsOf(tally),
    sessionCount: tally.sessionCount,
    sessions: tally.sessions,
  }
}

function decisionsOf({ rules, cases, decidedCases }: ReportTally): readonly string[] {
  if (rules.size === 0 && cases === 0) return []
  return [
    ...[...rules.values()].map(
      ({ words, count }) => `${words}, ${count === 1 ? 'once' : `${count} times`}`,
    ),
    `Review cases: ${cases}, of which people decided ${decidedCases}`,
  ]
}
