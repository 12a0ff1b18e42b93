import assert from 'node:assert/strict'
import {
  type CustomerKeyActor,
  collections,
  createService,
  logs,
  type MemberActor,
  type Service,
  unwrap,
} from '@countersign/core'
import { type PlanName, tenants } from '@countersign/core/access'
import { createLedger, get, one, put } from '@countersign/core/ledger'
import { silentObserver } from '@countersign/core/ports'
import { portablePrimitives } from '@countersign/core/signing'
import {
  createManualClock,
  createMemoryStore,
  type ManualClock,
  type MemoryBlobs,
  type MemoryStore,
  newApplication,
  newOrganization,
  plainPorts,
  plainSealer,
  provisionKey,
  type ScriptedTransport,
  seededRandom,
} from '@countersign/core/testing'
import type { AnyEvent } from '../../base/events/envelope.ts'
import type { AnchorLedger } from '../../base/ports/anchor.ts'
import type { Collection, Store } from '../../base/ports/store.ts'
import type { TimeStampAuthority } from '../../base/ports/time-stamps.ts'
import type { NormalSpan } from '../../content/span.ts'
import { createEvidenceSigners } from '../../evidence/keys/evidence-keys.ts'
import { openedTexts } from '../../kernel/sealing/sealed-texts.ts'
import { createRunner } from '../../kernel/work/runner.ts'
import { noIntake } from '../../outbox/kind.ts'
import { messages } from '../../outbox/records.ts'
import { erasureAtWork } from '../../removal/erasure/rehoming.ts'
import { createCompletion } from '../../sessions/completion.ts'
import { createRehoming } from '../../sessions/rehome.ts'
import { createRejudging } from '../../sessions/rejudge.ts'
import { createAnchoring, createAnchorRefresh } from '../../sessions/seal/anchor-batches.ts'
import { createCaseEntering } from '../../sessions/seal/enter-case.ts'
import { localLedger } from '../../sessions/seal/local-ledger.ts'
import { createSealing } from '../../sessions/seal/seal-sessions.ts'
import { createTimeStamping } from '../../sessions/seal/stamp-anchors.ts'
import { createBundleSweep } from '../../sessions/sweep-bundles.ts'
import { openTexts } from '../open-texts.ts'
import { owingOn } from '../owing.ts'

export const start = Date.UTC(2026, 0, 1)

export interface World {
  readonly service: Service
  readonly store: MemoryStore
  readonly blobs: MemoryBlobs
  readonly clock: ManualClock
  readonly transport: ScriptedTransport
  readonly admin: MemberActor
  readonly key: CustomerKeyActor
  readonly owner: { readonly tenantId: string; readonly applicationId: string }
  rows<R extends object>(collection: Collection<R>): readonly R[]
  /** Lets time pass, then does what is due of ingest's work. */
  pass(ms: number): Promise<void>
  /** Every event that was sent, in the order of its id. */
  events(type?: string): readonly AnyEvent[]
}

/** The service on the memory store with an application, its key, and a webhook that takes every event. */
export async function createWorld(
  options: {
    readonly plan?: PlanName
    readonly pause?: () => Promise<void>
    readonly wrap?: (store: Store) => Store
    readonly anchors?: AnchorLedger
    readonly timeStamps?: TimeStampAuthority
    /** Of a service that is started; less often where a test lets much time pass. */
    readonly pollMs?: number
  } = {},
): Promise<World> {
  const clock = createManualClock(start)
  const store = createMemoryStore({ collections, logs })
  const seen = options.wrap?.(store) ?? store
  const plain = plainPorts()
  const { blobs, transport } = plain
  const service = createService({
    ports: {
      ...plain,
      store: seen,
      clock,
      ...(options.pause && { pause: options.pause }),
    },
    ingestUrl: 'https://ingest.example',
    ...(options.pollMs && {
      dispatcher: { pollMs: options.pollMs },
      runner: { pollMs: options.pollMs },
    }),
  })
  const random = seededRandom(2)
  const ledger = createLedger({ store: openTexts(seen), clock, random })
  const signers = createEvidenceSigners({
    ledger,
    sealer: plainSealer(),
    primitives: portablePrimitives,
  })
  const { timeStamps } = options
  const anchored = {
    anchors: options.anchors ?? localLedger({ signerOf: signers.signer }),
    ...(timeStamps && { timeStamps }),
  }
  const runner = createRunner({
    ledger,
    clock,
    observer: silentObserver,
    handlers: [
      createCompletion(),
      createRehoming({
        intake: noIntake,
        ingestUrl: 'https://ingest.example',
        sealer: plainSealer(),
        erasureAtWork,
      }),
      createRejudging({
        intake: noIntake,
        ingestUrl: 'https://ingest.example',
        sealer: plainSealer(),
        pause: options.pause ?? (async () => {}),
      }),
      createBundleSweep({ blobs }),
      createCaseEntering({ primitives: portablePrimitives }),
      createSealing({ pause: options.pause ?? (async () => {}) }),
      createAnchoring(anchored),
      createAnchorRefresh(anchored),
      ...(timeStamps ? [createTimeStamping(timeStamps)] : []),
    ],
    owing: owingOn(ledger),
    options: { owner: 'runner' },
  })
  const plan = options.plan ?? 'Enterprise'
  const { tenantId, admin } = await newOrganization(service, { plan })
  const applicationId = await newApplication(service, admin)
  const { key } = await provisionKey(service, { tenantId, applicationId })
  unwrap(
    await service.webhooks.create(admin, {
      url: 'https://receiver.example/events',
      eventTypes: ['*'],
    }),
  )
  const rows = <R extends object>(collection: Collection<R>): readonly R[] =>
    store.rows(collection).map(({ row }) => openedTexts(collection, plainSealer(), row))
  return {
    ...{ service, store, blobs, clock, transport, admin, key, rows },
    owner: { tenantId, applicationId },
    pass: async (ms) => {
      await clock.advance(ms)
      await runner.tick()
    },
    events: (type) =>
      rows(messages)
        // Outcomes are sealed.
        .filter(({ type }) => type !== 'review.outcome')
        .map(({ body }) => JSON.parse(new TextDecoder().decode(body)) as AnyEvent)
        .filter((event) => !event.type.startsWith('subscription.'))
        .filter((event) => type === undefined || event.type === type),
  }
}

/** Changes the organization's plan. */
export async function setPlan({ store, owner }: World, plan: PlanName): Promise<void> {
  const { tenantId } = owner
  const [found] = await store.read(tenantId, [get(tenants, [tenantId])])
  const was = one(tenants, found)
  assert.ok(was)
  await store.commit({ tenant: tenantId, puts: [put(tenants, { ...was.row, plan }, was)] })
}

export const traceOf = (number: number): string => number.toString(16).padStart(32, '0')
export const spanOf = (number: number): string => number.toString(16).padStart(16, '0')

/** A span of an agent's run; what a test does not name is plain. */
export function span(given: Partial<NormalSpan> = {}): NormalSpan {
  return {
    traceId: traceOf(1),
    spanId: spanOf(1),
    parentSpanId: null,
    sessionId: 'session-1',
    dataSubjectId: null,
    agent: null,
    name: 'step',
    type: 'other',
    startedAt: start,
    endedAt: start + 1_000,
    status: 'ok',
    model: null,
    inputTokens: null,
    outputTokens: null,
    toolName: null,
    dataCategories: [],
    checkpointId: null,
    resumeToken: null,
    policyResult: null,
    scores: [],
    input: null,
    output: null,
    attributes: {},
    resource: {},
    truncated: false,
    incompleteAtSource: false,
    ...given,
  }
}

/** Sends spans as one export. */
export async function send(world: World, ...spans: readonly NormalSpan[]) {
  return world.service.ingest.acceptSpans(world.key, { spans, rejected: {} })
}
