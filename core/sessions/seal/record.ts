import { bytesToHex } from '@noble/hashes/utils.js'
import type { Sha256 } from '../../base/canonical/digest.ts'
import { createSlices } from '../../base/json/in-slices.ts'
import { leafHash, startLeafHash } from '../../base/merkle/hash.ts'
import type { PolicyResult, SessionKey, StoredSession, StoredStep } from '../../content/records.ts'
import type { SealedHead } from '../../content/seal-records.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { canonicalBytes, canonicalBytesInPieces } from '../../proof/signed-text.ts'
import type {
  EvidencePolicyResult,
  EvidenceScore,
  RecordedStep,
  SessionRecord,
} from './session-record.ts'

/** What a session's seal keeps of it beside its steps. */
export function headOfSession(session: StoredSession): SealedHead {
  const { status, startedAt, endedAt, agent } = session
  return { status, startedAt, endedAt, agent }
}

/**
 * The record that the leaf of a revision hashes: what was known of the session, without its content. `steps` are all of
 * the session's in order; those of later revisions are left out.
 */
export function recordOf(
  session: SessionKey,
  revision: number,
  head: SealedHead,
  steps: readonly StoredStep[],
): SessionRecord {
  return { ...recordedHead(session, revision, head), ...recordedSteps(steps, revision) }
}

/** What a record has of its steps; those of one part of a session follow those of the part before. */
export type RecordedSteps = Pick<SessionRecord, 'steps' | 'policyResults' | 'scores'>

/** A record without what it has of its steps. */
export function recordedHead(
  { tenantId, applicationId, sessionId }: SessionKey,
  revision: number,
  { status, startedAt, endedAt, agent }: SealedHead,
): Omit<SessionRecord, keyof RecordedSteps> {
  return {
    recordVersion: '1.0',
    tenantId,
    applicationId,
    sessionId,
    revision,
    status,
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
    agent,
  }
}

/** What the record of a revision has of some steps of its session. */
export function recordedSteps(steps: readonly StoredStep[], revision: number): RecordedSteps {
  const sealed = steps.filter((step) => step.revision <= revision)
  return {
    steps: sealed.map(recordedStep),
    policyResults: sealed.flatMap(({ policyResults }) =>
      policyResults.filter((result) => (result.revision ?? 1) <= revision).map(policyResultView),
    ),
    scores: sealed.flatMap(({ stepId, scores }) =>
      scores.map(({ name, value, label }): EvidenceScore => ({ name, value, label, stepId })),
    ),
  }
}

function recordedStep(step: StoredStep): RecordedStep {
  return {
    stepId: step.stepId,
    parentStepId: step.parentStepId,
    type: step.type,
    name: step.name,
    startedAt: isoTime(step.startedAt),
    endedAt: isoTime(step.endedAt),
    status: step.status,
    model: step.model,
    inputTokens: step.inputTokens,
    outputTokens: step.outputTokens,
    toolName: step.toolName,
    late: step.late,
    payloads: step.payloads.map(({ field, bytes, digest }) => ({ field, bytes, digest })),
  }
}

/** A policy result as documents show it; times are ISO 8601 UTC. */
export function policyResultView({ revision: _, ...result }: PolicyResult): EvidencePolicyResult {
  return { ...result, matchedAt: isoTime(result.matchedAt) }
}

/** Hex hash of a record's leaf; `hash`: SHA-256, by the portable code unless given. */
export function leafOf(record: object, hash?: Sha256): string {
  return bytesToHex(leafHash(canonicalBytes(record), hash))
}

/** As `leafOf`, with pauses. */
export async function leafWithPauses(record: object, pause: () => Promise<void>): Promise<string> {
  const hash = startLeafHash()
  const slices = createSlices()
  for (const piece of canonicalBytesInPieces(record)) {
    if (slices.spend(piece.length)) await pause()
    hash.update(piece)
  }
  return bytesToHex(hash.digest())
}
