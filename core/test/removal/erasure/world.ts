import assert from 'node:assert/strict'
import {
  type ApplicationActor,
  collections,
  createService,
  logs,
  type Service,
  unwrap,
} from '@countersign/core'
import type { BlobStore, Cipher, Collection, Store } from '@countersign/core/ports'
import {
  byNewKey,
  createManualClock,
  createMemoryBlobs,
  createMemoryStore,
  type ManualClock,
  newApplication,
  newOrganization,
  plainArchives,
  plainCipher,
  plainPorts,
  plainRenderer,
} from '@countersign/core/testing'
import { silentObserver } from '../../../base/ports/observer.ts'
import type { Read } from '../../../base/ports/store.ts'
import { erasingIn, marksOf, shownSession, shownStep } from '../../../content/erasure-marks.ts'
import {
  bundlePath,
  bundles,
  type PayloadField,
  type StoredPayload,
} from '../../../content/payload-records.ts'
import {
  placeOf,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
} from '../../../content/records.ts'
import { contentPrefix } from '../../../content/sealed-contents.ts'
import { type SubjectName, sessionSubject } from '../../../content/vault/pseudonym.ts'
import { createVault, type Vault } from '../../../content/vault/vault.ts'
import { createEvidenceSigners } from '../../../evidence/keys/evidence-keys.ts'
import { packagesPart } from '../../../evidence/packages/clean-up.ts'
import { commit, createLedger } from '../../../kernel/ledger/ledger.ts'
import { many, put } from '../../../kernel/ledger/reads.ts'
import type { WorkHandler } from '../../../kernel/work/handler.ts'
import { createRunner, type Runner } from '../../../kernel/work/runner.ts'
import type { ErasureDeps, SessionPart } from '../../../removal/erasure/deps.ts'
import { createErasure } from '../../../removal/erasure/erase.ts'
import { sessionTexts } from '../../../removal/erasure/session-texts.ts'
import { openBundle } from '../../../sessions/open-bundle.ts'
import { openTexts } from '../../open-texts.ts'
import { owingOn } from '../../owing.ts'

export const start: number = Date.UTC(2026, 10, 21, 9, 0, 0)
export const hour = 3_600_000
export const day: number = 24 * hour
export const portalUrl = 'https://portal.example'
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
/** Not a Buffer, whose `slice` is no copy. */
const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts))

export const value = unwrap

export interface Ports {
  readonly store: Store
  readonly blobs: BlobStore
  readonly clock: ManualClock
  readonly cipher: Cipher
  /** What the next process on these ports draws its ids and salts from. */
  nextSeed(): number
}

/** The processes of one seed draw the same, whatever else runs beside or before them. */
export function memoryPorts(seed = 0) {
  const store = createMemoryStore({ collections, logs })
  const blobs = createMemoryBlobs()
  let processes = 0
  const nextSeed = () => seed * 10_000 + ++processes
  return { store, blobs, clock: createManualClock(start), cipher: plainCipher(), nextSeed }
}

/** A process over these ports: the service, not started, and what its runner does. */
export function processOn(ports: Ports, parts: readonly SessionPart[] = sessionTexts) {
  const seed = ports.nextSeed()
  const all = {
    ...plainPorts(seed),
    ...ports,
    renderer: plainRenderer,
    archives: plainArchives,
  }
  const service = createService({ ports: all, ingestUrl: 'https://ingest.example', portalUrl })
  const ledger = createLedger({ ...all, store: openTexts(all.store) })
  const vault = createVault({ ...all, ledger })
  const deps: ErasureDeps = {
    ...all,
    ledger,
    vault,
    intake: { offer: () => null },
    ingestUrl: 'https://ingest.example',
    portalUrl,
    sessionParts: parts,
    applicationParts: [packagesPart],
    scrub: () => ports.store.scrub(),
    evidenceSigner: createEvidenceSigners({ ...all, ledger }).signer,
  }
  const runnerOf = (handlers: readonly WorkHandler[]): Runner =>
    createRunner({
      ...all,
      ledger,
      handlers,
      observer: silentObserver,
      owing: owingOn(ledger),
      options: { owner: `runner-${seed}`, concurrency: 1 },
    })
  return {
    service,
    ledger,
    vault,
    deps,
    random: all.random,
    runner: runnerOf([createErasure(deps)]),
    runnerOf,
  }
}

export type Process = ReturnType<typeof processOn>

/** An organization with two applications, one of which has a key. */
export async function organization(service: Service) {
  const { tenantId, admin } = await newOrganization(service)
  const first = await newApplication(service, admin, 'one')
  const second = await newApplication(service, admin, 'two')
  const application = await byNewKey(service, admin, first)
  return { tenantId, admin, first, second, application }
}

/** One step's content, of its own subject or of the session's. */
export interface GivenStep {
  readonly stepId: string
  readonly text: string
  readonly subject?: string
}

const nonce = '0'.repeat(64)

/** Stores a session as ingest does: one bundle, sealed for its subjects. */
export async function storeSession(
  { ledger, vault, deps }: Process,
  given: {
    readonly tenantId: string
    readonly applicationId: string
    readonly sessionId: string
    readonly subject: string | null
    readonly steps: readonly GivenStep[]
    readonly metadata?: string
    readonly completedAt?: number
  },
): Promise<void> {
  const { tenantId, applicationId, sessionId } = given
  const owner = { tenantId, applicationId }
  const { subjectOf } = await vault.pseudonyms(tenantId)
  const own = given.subject === null ? sessionSubject(sessionId) : subjectOf(given.subject)
  const nameOf = ({ subject }: GivenStep): SubjectName => (subject ? subjectOf(subject) : own)
  const names = [
    ...new Map([own, ...given.steps.map(nameOf)].map((name) => [name.subjectId, name])).values(),
  ]
  const done = await ledger.execute<null>(tenantId, async (unit) => {
    const found = await unit.read(
      vault.reads(
        owner,
        names.map(({ subjectId }) => subjectId),
      ),
    )
    const sealing = vault.sealing(unit, found, owner, names)
    const bundleId = unit.id('bun')
    let bundle = new Uint8Array()
    const add = (
      subject: string,
      stepId: string | null,
      field: PayloadField,
      text: string,
    ): StoredPayload => {
      const content = bytesOf(JSON.stringify([nonce, text]))
      const line = joined(bytesOf(contentPrefix(field)), content)
      const sealed = sealing.seal(subject, { sessionId, stepId }, line)
      const offset = bundle.length
      bundle = joined(bundle, sealed)
      return {
        field,
        bundleId,
        offset,
        length: sealed.length,
        bytes: content.length,
        digest: '0'.repeat(64),
        subject,
        sealedFor: sessionId,
      }
    }
    const rows = given.steps.map((step, at): StoredStep => {
      const { subjectId } = nameOf(step)
      const startedAt = start + at
      return {
        ...owner,
        scope: sessionId,
        stepId: step.stepId,
        sessionId,
        place: placeOf(startedAt, step.stepId),
        parentStepId: null,
        type: 'llm',
        name: 'chat',
        startedAt,
        endedAt: startedAt + 1,
        status: 'ok',
        model: null,
        inputTokens: null,
        outputTokens: null,
        toolName: null,
        dataSubjectId: step.subject ? subjectId : null,
        dataCategories: [],
        checkpointId: null,
        late: false,
        truncated: false,
        redactions: 0,
        policyResults: [],
        scores: [],
        payloads: [
          add(subjectId, step.stepId, 'input', step.text),
          add(subjectId, step.stepId, 'output', `${step.text}, answered`),
        ],
        payloadStatus: 'readable',
        subject: subjectId,
        receivedAt: unit.now,
        revision: 1,
      }
    })
    const session: StoredSession = {
      ...owner,
      sessionId,
      place: placeOf(start, applicationId, sessionId),
      origin: 'otlp',
      status: 'completed',
      startedAt: start,
      endedAt: start + 1_000,
      receivedAt: unit.now,
      lastReceivedAt: unit.now,
      completedAt: given.completedAt ?? unit.now,
      dataSubjectId: given.subject === null ? null : own.subjectId,
      subjectFrom: start,
      agent: null,
      agentFrom: null,
      models: [],
      tally: {
        steps: rows.length,
        errors: 0,
        guardrails: 0,
        guardrailsOk: 0,
        inputTokens: 0,
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
      payloads:
        given.metadata === undefined ? [] : [add(own.subjectId, null, 'metadata', given.metadata)],
      payloadStatus: 'readable',
      quality: null,
      openFlags: 0,
      flagged: 0,
      openCases: 0,
      underReview: 0,
      reviewState: null,
      revision: 1,
      sealed: null,
      sealDue: null,
    }
    await deps.blobs.put([{ path: bundlePath({ ...owner, bundleId }), bytes: bundle }])
    return commit(
      {
        puts: [
          put(sessions, session, null),
          ...rows.map((row) => put(steps, row, null)),
          put(
            bundles,
            { ...owner, bundleId, sessionId, bytes: bundle.length, createdAt: unit.now },
            null,
          ),
          ...sealing.puts,
        ],
        checks: sealing.checks,
      },
      null,
    )
  })
  assert.ok(done.ok)
}

/**
 * What can be read of all payloads of a tenant's steps and sessions, by step: what opens, or `asShown`, what the service
 * shows of that.
 */
export async function readable(
  { ledger, vault, deps }: Process,
  tenantId: string,
  { asShown = false }: { readonly asShown?: boolean } = {},
): Promise<readonly string[]> {
  const [foundSteps, foundSessions, marked] = await ledger.read(tenantId, [
    everything(steps),
    everything(sessions),
    marksOf(tenantId),
  ])
  const erasing = erasingIn(asShown ? marked : undefined)
  const allSteps = many(steps, foundSteps).map(({ row }) => row)
  const allSessions = many(sessions, foundSessions).map(({ row }) => row)
  const isOf = (session: StoredSession) => (step: StoredStep) =>
    step.applicationId === session.applicationId && step.sessionId === session.sessionId
  const stored: readonly (StoredStep | StoredSession)[] = [
    ...allSteps.map((step) => {
      const session = allSessions.find((each) => isOf(each)(step))
      return session ? shownStep(erasing, session, step) : step
    }),
    ...allSessions.map((each) => shownSession(erasing, each, allSteps.filter(isOf(each)))),
  ]
  const texts: string[] = []
  for (const row of stored)
    for (const payload of row.payloads) {
      const owner = { tenantId, applicationId: row.applicationId }
      const stepId = 'stepId' in row ? row.stepId : null
      const text = await opened({ ledger, vault, blobs: deps.blobs }, owner, stepId, payload)
      if (text !== null) texts.push(`${row.sessionId} ${stepId ?? '-'} ${payload.field}: ${text}`)
    }
  return texts.toSorted()
}

async function opened(
  { ledger, vault, blobs }: { ledger: Process['ledger']; vault: Vault; blobs: BlobStore },
  owner: { readonly tenantId: string; readonly applicationId: string },
  stepId: string | null,
  payload: StoredPayload,
): Promise<string | null> {
  const read = (reads: readonly Read[]) => ledger.read(owner.tenantId, reads)
  const { bundleId, subject } = payload
  const opening = vault.opening(await read(vault.reads(owner, [subject])), owner, [subject])
  // As it is read: what an erasure is about to overwrite is no damage.
  const texts = await openBundle({ blobs, read }, owner, bundleId, [{ stepId, payload }], opening)
  const [sealed = null] = texts ?? []
  if (sealed === null) return null
  const told: unknown = JSON.parse(sealed)
  return Array.isArray(told) && told[0] === nonce ? String(told[1]) : sealed
}

export function everything<R extends object>(collection: Collection<R>): Read {
  return {
    list: collection.name,
    where: [],
    by: 'key',
    newest: false,
    skip: 0,
    take: 10_000,
    count: false,
  }
}

/** Opens a case of a session by the application. */
export async function openCase(
  service: Service,
  application: ApplicationActor,
  sessionId: string,
  more: {
    readonly stepId?: string
    readonly checkpointId?: string
    readonly expiresAt?: number
    readonly presentation?: Record<string, string>
    readonly dataSubjectId?: string
  } = {},
) {
  const { presentation = { action: 'pay', name: 'Grace Hopper' }, ...opened } = more
  const checkpointId = more.checkpointId ?? 'checkpoint'
  return value(
    await service.reviewCases.open(application, {
      sessionId,
      ...opened,
      checkpointId,
      resumeToken: 'token of the customer',
      reasonCategory: 'high_risk_action',
      presentation,
      policyResults: [{ note: 'about Grace Hopper' }],
      idempotencyKey: `${sessionId} ${checkpointId}`,
    }),
  )
}
