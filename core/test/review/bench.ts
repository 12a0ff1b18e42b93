import { unwrap } from '@countersign/core'
import type { ReviewEvent } from '@countersign/core/events'
import {
  type CaseView,
  callbackSweep,
  createCallbackKind,
  createDeadlineHandler,
  createDispatcher,
  createRunner,
  type Intake,
  type Kind,
  noIntake,
  type OpenCase,
  type ReviewCase,
  reviewCaseOperations,
  reviewCases,
  workItems,
} from '@countersign/core/internal'
import {
  auditLog,
  createLedger,
  type Ledger,
  type Plan,
  put,
  type Refusal,
  type Result,
  receipts,
} from '@countersign/core/ledger'
import { type Collection, silentObserver } from '@countersign/core/ports'
import { portablePrimitives } from '@countersign/core/signing'
import {
  answered,
  createManualClock,
  createMemoryStore,
  type ManualClock,
  type MemoryStore,
  plainCipher,
  plainSealer,
  type SeededRandom,
  type StoreFaults,
  type StoreOperation,
  scriptedTransport,
  seededRandom,
} from '@countersign/core/testing'
import { applicationHealths } from '../../applications/health.ts'
import { type Application, applications, type OutcomeCallback } from '../../applications/records.ts'
import { occurrences } from '../../content/activity/records.ts'
import { erasureMarks } from '../../content/erasure-marks.ts'
import { sessions, steps } from '../../content/records.ts'
import { sessionAliases } from '../../content/trace-records.ts'
import { createVault } from '../../content/vault/vault.ts'
import type {
  Actor,
  ApplicationActor,
  MemberActor,
  Permission,
  Role,
} from '../../kernel/callers/actor.ts'
import { permissionsOf } from '../../kernel/callers/authorize.ts'
import { openGroups } from '../../kernel/facade.ts'
import { createKeptAnswers, type KeptAnswers } from '../../kernel/kept-answers.ts'
import { type Counted, withChangeCounts } from '../../kernel/ledger/change-counts.ts'
import { createPost } from '../../kernel/mail/index.ts'
import { takeAll } from '../../kernel/members.ts'
import { createKernelPorts } from '../../kernel-ports.ts'
import { createIssuerKeys } from '../../keys/issuer-keys.ts'
import { issuerKeyRings } from '../../keys/records.ts'
import { type Member, members } from '../../organizations/access/records.ts'
import { applicationKeys } from '../../organizations/api-keys/key-records.ts'
import { relyingPartyOf } from '../../organizations/authenticators/relying-party.ts'
import { attempts, deliveries, messages } from '../../outbox/records.ts'
import { opening as openingMembers } from '../../review/inputs.ts'
import { outcomeKeys } from '../../review/outcome-keys.ts'
import { portalChanges, portalOperations } from '../../review/queue/operations.ts'
import { caseOutcomes } from '../../review/queue/outcome-records.ts'
import { openOutcome } from '../../review/sealing.ts'
import { routings, webhooks } from '../../webhooks/records.ts'
import { owingOn } from '../owing.ts'

export const start = Date.UTC(2026, 0, 1)
export const minute = 60_000
export const hour = 60 * minute
export const ingestUrl = 'https://ingest.test'

const collections = [
  erasureMarks,
  sessionAliases,
  sessions,
  steps,
  reviewCases,
  outcomeKeys,
  caseOutcomes,
  receipts,
  workItems,
  members,
  applicationKeys,
  applications,
  applicationHealths,
  issuerKeyRings,
  routings,
  webhooks,
  messages,
  deliveries,
  attempts,
  occurrences,
]

const outcomeCallback: OutcomeCallback = {
  url: 'https://app.test/outcome',
  enabled: true,
  method: 'ed25519',
  secret: null,
  previousSecret: null,
  gone: false,
  updatedAt: start,
}

function memberRow(
  tenantId: string,
  memberId: string,
  role: Role,
  granted: readonly Permission[],
): Member {
  const email = `${memberId}@${tenantId}.test`
  return {
    tenantId,
    memberId,
    name: memberId,
    email,
    emailKey: email,
    role,
    granted,
    status: 'Active',
    passwordHash: null,
    sessionVersion: 1,
    createdAt: start,
    updatedAt: start,
  }
}

const memberRows = [
  memberRow('ten_1', 'mem_admin', 'CustomerAdmin', []),
  memberRow('ten_1', 'mem_ann', 'CustomerAuditor', ['Review Cases']),
  memberRow('ten_1', 'mem_bob', 'CustomerAuditor', ['Review Cases']),
  memberRow('ten_1', 'mem_auditor', 'CustomerAuditor', []),
  memberRow('ten_2', 'mem_foreign', 'CustomerAdmin', []),
]

function member(memberId: string): MemberActor {
  const row = memberRows.find((each) => each.memberId === memberId)
  if (!row) throw new Error(`no member ${memberId}`)
  const { tenantId, role, granted } = row
  return { kind: 'member', tenantId, memberId, role, permissions: permissionsOf(role, granted) }
}

function application(tenantId: string, applicationId: string): ApplicationActor {
  return { kind: 'application', tenantId, applicationId, keyId: `key_${applicationId}` }
}

export const app: ApplicationActor = application('ten_1', 'app_1')
export const otherApp: ApplicationActor = application('ten_1', 'app_2')
export const foreignApp: ApplicationActor = application('ten_2', 'app_3')
export const ann: MemberActor = member('mem_ann')
export const bob: MemberActor = member('mem_bob')
export const admin: MemberActor = member('mem_admin')
export const auditor: MemberActor = member('mem_auditor')
export const foreigner: MemberActor = member('mem_foreign')
export const system: Actor = { kind: 'system' }

function applicationRow(
  { tenantId, applicationId }: ApplicationActor,
  callback: OutcomeCallback | null,
): Application {
  return {
    tenantId,
    applicationId,
    name: applicationId,
    stage: 'production',
    lifecycleState: 'active',
    outcomeCallback: callback,
    version: 1,
    createdAt: start,
    updatedAt: start,
  }
}

function keyRow({ tenantId, applicationId, keyId }: ApplicationActor) {
  return {
    tenantId,
    applicationId,
    keyId,
    hash: applicationId,
    prefix: 'svc_app_',
    label: 'test',
    createdAt: start,
    createdBy: 'system',
    revokedAt: null,
  }
}

const routing = {
  tenantId: 'ten_1',
  routes: [
    {
      webhookId: 'wh_1',
      receiving: true,
      generation: 1,
      eventTypes: ['*' as const],
    },
  ],
  channels: [],
  changedAt: start,
  horizon: start,
  floor: null,
  latestMark: start,
}

const utf8 = new TextDecoder()

/** Webhooks that take everything, for what this room owes them. */
const takesEvents: Kind = {
  name: 'event',
  watches: [routings.name],
  endpoints: async (ids) =>
    new Map(
      ids.map((endpointId) => [
        endpointId,
        {
          endpointId,
          tenantId: 'ten_1',
          url: 'https://hook.test',
          sign: () => ({}),
          admits: () => true,
        },
      ]),
    ),
  entails: () => false,
  consequences: async () => ({}),
}

/** Review on the memory store: a tenant with reviewers and a webhook that hears everything, and a neighbour. */
export async function createBench(
  options: {
    readonly callback?: boolean | Partial<OutcomeCallback>
    /** Deliveries are born leased to a dispatcher that runs. */
    readonly dispatch?: boolean
    readonly seed?: number
    /** Restores a backup: the operations of its history, with a clock and draws that go on. */
    readonly restore?: {
      readonly operations: readonly StoreOperation[]
      readonly clock: ManualClock
      readonly random: SeededRandom
    }
    /** Puts something wrong between the room and its ledger. */
    readonly wrap?: (ledger: Ledger) => Ledger
    /** What the store counts changes of; default what the portal is told by. */
    readonly counted?: readonly Counted[]
  } = {},
) {
  let faults: StoreFaults = () => {}
  const written: StoreOperation[] = []
  const store = createMemoryStore({
    collections,
    logs: [auditLog],
    faults: (point, operation) => {
      if (point === 'after_commit') written.push(operation)
      return faults(point, operation)
    },
  })
  const clock = options.restore?.clock ?? createManualClock(start)
  const random = options.restore?.random ?? seededRandom(options.seed ?? 1)
  const { wrap = (right) => right } = options
  const counting = withChangeCounts(store, options.counted ?? portalChanges)
  const ledger = wrap(createLedger({ store: counting, clock, random }))
  const intake: Intake = options.dispatch
    ? { offer: (endpointId) => dispatcher.intake.offer(endpointId) }
    : noIntake
  const sealer = plainSealer()
  const room = { ledger, ingestUrl, intake, sealer }
  const keys = createIssuerKeys({ ledger, sealer, primitives: portablePrimitives })
  const transport = scriptedTransport(() => answered(200))
  const callbackKind = createCallbackKind({
    ...{ ...room, keys, cipher: plainCipher() },
    primitives: portablePrimitives,
  })
  const dispatcher = createDispatcher({
    ledger,
    clock,
    random,
    transport,
    kinds: [callbackKind, takesEvents],
    observer: silentObserver,
    options: { owner: 'dispatcher', pollMs: hour },
  })
  const observed: string[] = []
  const runner = createRunner({
    ledger,
    clock,
    observer: { event: (name, fields) => void observed.push(`${name} ${JSON.stringify(fields)}`) },
    handlers: [createDeadlineHandler(room), callbackSweep],
    owing: owingOn(ledger),
    options: { owner: 'runner', pollMs: 24 * hour },
  })
  const callback = options.callback
    ? { ...outcomeCallback, ...(options.callback === true ? {} : options.callback) }
    : null
  if (options.restore) await redo(store, options.restore.operations)
  else
    await store.commit({
      tenant: null,
      puts: [
        ...memberRows.map((row) => put(members, row, null)),
        put(applications, applicationRow(app, callback), null),
        put(applications, applicationRow(otherApp, null), null),
        put(applications, applicationRow(foreignApp, null), null),
        ...[app, otherApp, foreignApp].map((actor) => put(applicationKeys, keyRow(actor), null)),
        put(routings, routing, null),
      ],
    })

  /** Changes a row behind the use cases' back, as a neighbour's commit would. */
  async function change<R extends object>(
    collection: Collection<R>,
    match: (row: R) => boolean,
    to: (row: R) => Partial<R>,
  ): Promise<void> {
    const was = store.rows(collection).find(({ row }) => match(row))
    if (!was) throw new Error(`no such row in ${collection.name}`)
    const row = { ...was.row, ...to(was.row) }
    const outcome = await counting.commit({ tenant: null, puts: [put(collection, row, was)] })
    if (!outcome.committed) throw new Error('the change met a conflict')
  }

  const kernel = createKernelPorts({ ledger, intake, post: createPost({ sealer }) })
  const { reviewCases: cases } = openGroups({ reviewCases: reviewCaseOperations }, kernel, {
    ...room,
    clock,
    relyingParty: relyingPartyOf('https://portal.example'),
    primitives: portablePrimitives,
    vault: createVault({ ledger, sealer, cipher: plainCipher() }),
  })
  const portalWith = (kept: KeptAnswers) =>
    openGroups({ portal: portalOperations }, kernel, {
      ...{ ledger, clock, kept },
      post: { sends: false },
    }).portal
  const sent = () =>
    store
      .rows(messages)
      .map(({ row }) =>
        utf8.decode(row.type === 'review.outcome' ? openOutcome(sealer, row) : row.body),
      )
  return {
    store,
    /** Every operation that changed the store, in order: its history. */
    written: written as readonly StoreOperation[],
    clock,
    random,
    ledger,
    room,
    cases,
    portal: portalWith(createKeptAnswers()),
    portalWith,
    /** The store, with changes counted. */
    counting,
    runner,
    dispatcher,
    keys,
    sealer,
    /** Answers 200 until it is told otherwise. */
    transport,
    change,
    /** The application whose cases are opened. */
    application: (): Application => {
      const found = store.rows(applications).find(({ row }) => row.applicationId === 'app_1')
      if (!found) throw new Error('no application app_1')
      return found.row
    },
    /** Changes members of the application's outcome callback, or takes it away. */
    setCallback: (given: Partial<OutcomeCallback> | null) =>
      change(
        applications,
        ({ applicationId }) => applicationId === 'app_1',
        (was) => ({
          outcomeCallback: given && { ...outcomeCallback, ...was.outcomeCallback, ...given },
        }),
      ),
    /** What the runner told its observer. */
    observed,
    /** From now on; the fixture itself is safe. */
    break: (given: StoreFaults) => {
      faults = given
    },
    open: async (input: Partial<OpenCase> = {}) => value(await cases.open(app, opening(input))),
    stored: (reviewCaseId: string): ReviewCase => {
      const found = store.rows(reviewCases).find(({ row }) => row.reviewCaseId === reviewCaseId)
      if (!found) throw new Error(`no case ${reviewCaseId}`)
      return found.row
    },
    /** Every body that is owed to anyone. */
    sent,
    /** A case's public events, in the order of recording. */
    events: (reviewCaseId: string): ReviewEvent[] =>
      sent()
        .map((body) => JSON.parse(body) as ReviewEvent)
        .filter((event) => event.reviewCaseId === reviewCaseId && event.id.startsWith('evt_'))
        .sort((a, b) => a.eventSequence - b.eventSequence),
    outcomes: (): Record<string, unknown>[] =>
      sent()
        .map((body) => JSON.parse(body) as Record<string, unknown>)
        .filter(({ type }) => type === 'review.outcome'),
    audited: (): Record<string, unknown>[] =>
      [...store.entries(auditLog).values()]
        .flat()
        .map(({ entry }) => JSON.parse(utf8.decode(entry)) as Record<string, unknown>),
  }
}

async function redo(store: MemoryStore, operations: readonly StoreOperation[]): Promise<void> {
  for (const operation of operations)
    if (operation.kind === 'commit') await store.commit(operation.set)
    else if (operation.kind === 'claim') await store.claim(operation.query)
}

/** A ledger that loses something of every plan: for the mutants. */
export function losing(ledger: Ledger, lose: (plan: Plan<unknown>) => Plan<unknown>): Ledger {
  return {
    ...ledger,
    execute: (tenant, attempt) =>
      ledger.execute(
        tenant,
        async (given) => lose(await attempt(given)) as Awaited<ReturnType<typeof attempt>>,
      ),
  }
}

export type Bench = Awaited<ReturnType<typeof createBench>>

let openings = 0

/** An opening at a checkpoint of its own. */
export function opening(input: Partial<OpenCase> = {}): OpenCase {
  openings++
  return {
    sessionId: `ses_${openings}`,
    checkpointId: 'checkpoint',
    reasonCategory: 'high_risk_action',
    presentation: { action: 'pay', amount: 100 },
    idempotencyKey: `key_${openings}`,
    ...input,
  }
}

/** An opening as its operation takes it. */
export const taken = (input: OpenCase) => takeAll(openingMembers, input)

export const value = unwrap

export function refused(result: Result<unknown>): Refusal {
  if (result.ok) throw new Error('expected a refusal')
  return result.refusal
}

export const seenOf = ({ caseVersion }: Pick<CaseView, 'caseVersion'>) => ({ caseVersion })
