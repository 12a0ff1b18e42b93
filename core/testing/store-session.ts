import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { canonicalize } from '../base/canonical/canonicalize.ts'
import type { BlobStore } from '../base/ports/blob-store.ts'
import type { Put } from '../base/ports/store.ts'
import { bundlePath, bundles, type StoredPayload } from '../content/payload-records.ts'
import {
  placeOf,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
} from '../content/records.ts'
import { anchors, batches, seals } from '../content/seal-records.ts'
import { contentPrefix } from '../content/sealed-contents.ts'
import { type SubjectName, sessionSubject } from '../content/vault/pseudonym.ts'
import type { Vault } from '../content/vault/vault.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { commit, type Ledger } from '../kernel/ledger/ledger.ts'
import { list, one, put } from '../kernel/ledger/reads.ts'
import { anchorHashOf, firstPreviousHash } from '../proof/commitment.ts'
import { type EvidenceSigner, signAnchor } from '../proof/sign.ts'
import { newBatch } from '../sessions/seal/new-batch.ts'
import { headOfSession, leafOf, recordOf } from '../sessions/seal/record.ts'

/** What stores a session. */
export interface SessionStoring {
  readonly ledger: Ledger
  readonly vault: Vault
  readonly blobs: BlobStore
  readonly signer: EvidenceSigner
}

/** A session to be stored. */
export interface SessionToStore {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  /** Ms. */
  readonly startedAt: number
  /** Of each step in order, anything that has JSON. */
  readonly inputs: readonly unknown[]
  /** As the application names it; absent: the session is its own. */
  readonly dataSubjectId?: string
  /** `submitted`: sealed as it was sent. Null: not sealed. */
  readonly leaf?: 'record' | 'submitted' | null
  /** The time stamp (base64) of its ledger entry, by the entry's hash; absent: none. */
  readonly stampOf?: (entryHash: string) => string
}

const utf8 = new TextEncoder()

/** Writes a completed session, sealed and anchored, as rows and one bundle. */
export async function storeSession(
  { ledger, vault, blobs, signer }: SessionStoring,
  given: SessionToStore,
): Promise<void> {
  const { tenantId, applicationId, sessionId, startedAt, inputs, leaf = 'record' } = given
  const owner = { tenantId, applicationId }
  const pseudonyms = await vault.pseudonyms(tenantId)
  const subject: SubjectName =
    given.dataSubjectId === undefined
      ? sessionSubject(sessionId)
      : pseudonyms.subjectOf(given.dataSubjectId)
  const dataSubjectId = given.dataSubjectId === undefined ? null : subject.subjectId
  const done = await ledger.execute<null>(tenantId, async (unit) => {
    const [last, ...keys] = await unit.read([
      list(anchors, { where: [['tenantId', '=', tenantId]], newest: true, take: 1 }),
      ...vault.reads(owner, [subject.subjectId]),
    ])
    const sealing = vault.sealing(unit, keys, owner, [subject])
    const bundleId = unit.id('bun')
    const pieces: Uint8Array[] = []
    const seal = (stepId: string | null, field: StoredPayload['field'], text: string) => {
      const plain = utf8.encode(text)
      const line = utf8.encode(`${contentPrefix(field)}${text}`)
      const sealed = sealing.seal(subject.subjectId, { sessionId, stepId }, line)
      const offset = pieces.reduce((sum, { length }) => sum + length, 0)
      pieces.push(sealed)
      return {
        field,
        bundleId,
        offset,
        length: sealed.length,
        bytes: plain.length,
        digest: bytesToHex(sha256(plain)),
        subject: subject.subjectId,
        sealedFor: sessionId,
      }
    }
    const bound = (content: unknown) => canonicalize([bytesToHex(unit.random.bytes(32)), content])
    const stored = inputs.map((input, at): StoredStep => {
      const stepId = `step-${at + 1}`
      const begun = startedAt + at * 1_000
      return {
        ...owner,
        scope: sessionId,
        stepId,
        sessionId,
        place: placeOf(begun, stepId),
        parentStepId: at === 0 ? null : 'step-1',
        type: at === 0 ? 'agent' : 'llm',
        name: `=step ${at + 1}`,
        startedAt: begun,
        endedAt: begun + 500,
        status: 'ok',
        model: at === 0 ? null : 'aurora-4',
        inputTokens: at === 0 ? null : 10,
        outputTokens: null,
        toolName: null,
        dataSubjectId,
        dataCategories: [],
        checkpointId: null,
        late: false,
        truncated: false,
        redactions: 0,
        policyResults: [],
        scores: [],
        payloads: [seal(stepId, 'input', bound(input))],
        payloadStatus: 'readable',
        subject: subject.subjectId,
        receivedAt: unit.now,
        revision: 1,
      }
    })
    const endedAt = startedAt + inputs.length * 1_000
    const base: StoredSession = {
      ...owner,
      sessionId,
      place: placeOf(startedAt, applicationId, sessionId),
      origin: leaf === 'submitted' ? 'submission' : 'otlp',
      status: 'completed',
      startedAt,
      endedAt,
      receivedAt: unit.now,
      lastReceivedAt: unit.now,
      completedAt: unit.now,
      dataSubjectId,
      subjectFrom: startedAt,
      agent: { name: 'claims-agent', version: '1' },
      agentFrom: startedAt,
      models: ['aurora-4'],
      tally: {
        steps: stored.length,
        errors: 0,
        guardrails: 0,
        guardrailsOk: 0,
        inputTokens: 10 * Math.max(0, stored.length - 1),
        outputTokens: 0,
        scores: 0,
        scoreSum: 0,
        allow: 0,
        deny: 0,
        requireReview: 0,
      },
      rootEnded: true,
      rootFailed: false,
      policyResults: [],
      scores: [],
      payloads: [seal(null, 'metadata', bound({ channel: 'web' }))],
      payloadStatus: 'readable',
      quality: 905,
      openFlags: 0,
      flagged: 0,
      openCases: 0,
      underReview: 0,
      reviewState: null,
      revision: 1,
      sealed: null,
      sealDue: leaf === null ? unit.now : null,
    }
    const puts: Put[] = []
    let session = base
    if (leaf !== null) {
      const submitted = submissionOf(base, stored, given)
      const head = leaf === 'record' ? headOfSession(base) : null
      const leafHash = leafOf(head ? recordOf(base, 1, head, stored) : submitted)
      if (!head)
        session = {
          ...base,
          payloads: [...base.payloads, seal(null, 'submission', canonicalize(submitted))],
        }
      const batchId = unit.id('bat')
      const origin = session.origin
      const entry = {
        sessionId,
        revision: 1,
        leafHash,
        status: 'accepted',
        reviewCaseIds: [],
      } as const
      const batch = newBatch(unit, { ...owner, batchId, origin, leaves: [entry] })
      const before = one(anchors, last)?.row
      const anchor = signAnchor(
        {
          anchorVersion: '1.0' as const,
          ledger: 'local',
          sequence: (before?.sequence ?? 0) + 1,
          commitment: batch.commitment,
          previousHash: before?.entryHash ?? firstPreviousHash,
          anchoredAt: isoTime(unit.now),
        },
        signer,
      )
      const { anchorVersion: _, ...row } = anchor
      const sealed = { batchId, leafIndex: 0 }
      session = { ...session, sealed }
      puts.push(
        put(batches, { ...batch, anchorDue: null, anchorSequence: anchor.sequence }, null),
        put(
          seals,
          { ...owner, sessionId, revision: 1, ...sealed, leafHash, sealedAt: unit.now, head },
          null,
        ),
        put(
          anchors,
          {
            ...row,
            timeStamp: given.stampOf?.(anchorHashOf(anchor)) ?? null,
            tenantId,
            merkleRoot: batch.merkleRoot,
            anchoredAt: unit.now,
            entryHash: anchorHashOf(anchor),
            status: 'recorded',
            refreshDue: null,
            stampDue: null,
          },
          null,
        ),
      )
    }
    const bytes = concatBytes(...pieces)
    await blobs.put([{ path: bundlePath({ ...owner, bundleId }), bytes }])
    puts.push(
      put(sessions, session, null),
      ...stored.map((step) => put(steps, step, null)),
      put(
        bundles,
        { ...owner, bundleId, sessionId, bytes: bytes.length, createdAt: unit.now },
        null,
      ),
      ...sealing.puts,
    )
    return commit({ puts, checks: sealing.checks }, null)
  })
  if (!done.ok) throw new Error(`${done.refusal.code}: ${done.refusal.detail}`)
}

/** The session as an application would have submitted it. */
function submissionOf(
  session: StoredSession,
  stored: readonly StoredStep[],
  { inputs, ...given }: SessionToStore,
): object {
  const dataSubjectId = given.dataSubjectId ?? null
  const { sessionId, status, agent, startedAt, endedAt } = session
  const times = (of: { readonly startedAt: number; readonly endedAt: number }) => ({
    startedAt: isoTime(of.startedAt),
    endedAt: isoTime(of.endedAt),
  })
  return {
    sessionId,
    status,
    agent,
    dataSubjectId,
    metadata: { channel: 'web' },
    ...times({ startedAt, endedAt }),
    steps: stored.map((step, at) => ({
      ...times(step),
      stepId: step.stepId,
      parentStepId: step.parentStepId,
      type: step.type,
      name: step.name,
      status: step.status,
      model: step.model,
      inputTokens: step.inputTokens,
      dataSubjectId,
      input: inputs[at],
    })),
  }
}
