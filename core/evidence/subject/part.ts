import type { StoredPayload } from '../../content/payload-records.ts'
import type { StoredStep } from '../../content/records.ts'
import { sessionSubject } from '../../content/vault/pseudonym.ts'
import type { SessionFacts } from '../assemble/facts.ts'

/** The part of a session that is a data subject's. */
export interface SubjectPart {
  /** Without the steps, contents, cases and notes of others. */
  readonly facts: SessionFacts
  /** The session is the subject's own; else single steps are. */
  readonly own: boolean
  /** Steps that were left out. */
  readonly stepsOfOthers: number
}

/** The subject's part of a session; `dataSubjectId` is a pseudonym. */
export function partOf(facts: SessionFacts, dataSubjectId: string): SubjectPart {
  const { session } = facts
  const own = session.dataSubjectId === dataSubjectId
  const steps = facts.steps.filter((step) => isOfSubject(step, dataSubjectId, own))
  const stepIds = new Set(steps.map(({ stepId }) => stepId))
  const isKept = ({ stepId }: { readonly stepId: string | null }) =>
    stepId === null ? own : stepIds.has(stepId)
  return {
    own,
    stepsOfOthers: facts.steps.length - steps.length,
    facts: {
      ...facts,
      session: {
        ...session,
        payloads: session.payloads.filter(
          (payload) => payload.field === 'metadata' && isPayloadOf(payload, dataSubjectId, own),
        ),
        policyResults: session.policyResults.filter(isKept),
        scores: own ? session.scores : [],
      },
      steps,
      cases: facts.cases.filter((review) =>
        review.dataSubjectId === null ? isKept(review) : review.dataSubjectId === dataSubjectId,
      ),
      annotations: facts.annotations.filter(isKept),
      flags: own ? facts.flags : [],
      reviews: own ? facts.reviews : [],
      // Their records name the steps of others.
      seals: [],
    },
  }
}

function isOfSubject(step: StoredStep, dataSubjectId: string, own: boolean): boolean {
  if (step.payloads.length > 0)
    return step.payloads.every((payload) => isPayloadOf(payload, dataSubjectId, own))
  return step.dataSubjectId === dataSubjectId || (own && step.dataSubjectId === null)
}

/** Content under the subject's key, or under that of a session of theirs which had no subject yet. */
function isPayloadOf(
  { subject, sealedFor }: StoredPayload,
  dataSubjectId: string,
  own: boolean,
): boolean {
  return subject === dataSubjectId || (own && subject === sessionSubject(sealedFor).subjectId)
}
