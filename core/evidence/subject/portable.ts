import { createSlices } from '../../base/json/in-slices.ts'
import type { Contents } from '../assemble/contents.ts'
import type { CaseHost } from '../assemble/document.ts'
import { evidenceOf } from '../assemble/document.ts'
import type { EvidenceCase, EvidenceDocument } from '../model.ts'
import type { SubjectPart } from './part.ts'

/** Replaces the ids and names of the organization's members, whose personal data is not the subject's to get. */
export const withheld = '[redacted]'

/** A session as its data subject gets it, with their content in clear text; times are ISO 8601 UTC. */
export type PortableSession = Pick<
  EvidenceDocument,
  'steps' | 'policyResults' | 'reviewCases' | 'sessionReviews' | 'annotations' | 'flags'
> & {
  readonly applicationName: string
  /** Whole where it is the subject's own, else only what identifies it. */
  readonly session: Partial<EvidenceDocument['session']> &
    Pick<EvidenceDocument['session'], 'applicationId' | 'sessionId' | 'startedAt' | 'endedAt'>
  /** Whether the whole session is the subject's. */
  readonly own: boolean
  /** Of other people, and left out. */
  readonly stepsOfOthers: number
  readonly scores: readonly PortableScore[]
}

/** A score: it was inferred, by the application or by the service, and not given by the subject. */
export interface PortableScore {
  readonly name: string
  readonly value: number
  readonly label: string | null
  readonly stepId: string | null
  readonly source: 'application' | 'service'
  readonly inferred: true
}

/** The subject's part of a session, with pauses between its steps; `contents` must have its payloads. */
export function* portableSession(
  { facts, own, stepsOfOthers }: SubjectPart,
  contents: Contents,
  how: { readonly now: number; readonly host: CaseHost },
): Generator<undefined, PortableSession> {
  const document = yield* evidenceOf(facts, contents, how, createSlices())
  const { session, steps, policyResults, reviewCases } = document
  const { applicationId, sessionId, startedAt, endedAt } = session
  const scores = document.scores.map(
    (score): PortableScore => ({ ...score, source: 'application', inferred: true }),
  )
  const quality: readonly PortableScore[] =
    !own || session.qualityScore === null
      ? []
      : [
          {
            name: 'quality',
            value: session.qualityScore,
            label: null,
            stepId: null,
            source: 'service',
            inferred: true,
          },
        ]
  return {
    applicationName: document.application.name,
    session: own ? session : { applicationId, sessionId, startedAt, endedAt },
    own,
    stepsOfOthers,
    steps,
    policyResults,
    reviewCases: reviewCases.map(withoutMembers),
    sessionReviews: document.sessionReviews.map((review) => ({
      ...review,
      reviewerId: withheld,
      reviewerName: withheld,
    })),
    annotations: document.annotations.map((note) => ({ ...note, createdBy: withheld })),
    flags: document.flags.map((flag) => ({
      ...flag,
      raisedBy: flag.raisedBy && withheld,
      clearedBy: flag.clearedBy && withheld,
    })),
    scores: [...quality, ...scores],
  }
}

/** A case without the ids of the organization's members. */
export function withoutMembers<
  T extends Pick<EvidenceCase, 'assignment' | 'decidedBy' | 'requestedBy' | 'history'>,
>(review: T): T {
  const { assignment, decidedBy, requestedBy, history } = review
  return {
    ...review,
    assignment: assignment && { ...assignment, reviewerId: withheld },
    decidedBy: decidedBy && withheld,
    requestedBy: requestedBy && withheld,
    history: history.map((step) => ({ ...step, actor: withoutMember(step.actor) })),
  }
}

/** `member` for a member, any other actor as it is. */
export function withoutMember(actor: string): string {
  return actor.startsWith('member:') ? 'member' : actor
}
