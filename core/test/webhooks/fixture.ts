import assert from 'node:assert/strict'
import { unwrap } from '@countersign/core'
import { applications } from '../../applications/records.ts'
import type { EventType } from '../../base/events/catalogue.ts'
import type { Outgoing } from '../../base/events/outgoing.ts'
import type { Mailer } from '../../base/ports/mailer.ts'
import { type Observer, silentObserver } from '../../base/ports/observer.ts'
import type { Collection } from '../../base/ports/store.ts'
import { occurrences } from '../../content/activity/records.ts'
import { createEvidenceSigners } from '../../evidence/keys/evidence-keys.ts'
import { signingKeyOperations } from '../../evidence/keys/signing-keys.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { openGroups } from '../../kernel/facade.ts'
import { type AuditEntry, auditLog } from '../../kernel/ledger/audit.ts'
import { newId } from '../../kernel/ledger/ids.ts'
import { commit, createLedger } from '../../kernel/ledger/ledger.ts'
import { defaultLimits } from '../../kernel/ledger/limits.ts'
import { one, put } from '../../kernel/ledger/reads.ts'
import type { Result } from '../../kernel/ledger/refusal.ts'
import { createPost } from '../../kernel/mail/post.ts'
import { owedMails } from '../../kernel/mail/records.ts'
import type { WorkHandler } from '../../kernel/work/handler.ts'
import { workItems } from '../../kernel/work/records.ts'
import { createRunner } from '../../kernel/work/runner.ts'
import { createKernelPorts } from '../../kernel-ports.ts'
import { createIssuerKeys } from '../../keys/issuer-keys.ts'
import { readWebhookKeys } from '../../keys/key-set.ts'
import { issuerKeyRings } from '../../keys/records.ts'
import { issuerKeyUpkeep } from '../../keys/rotate-keys.ts'
import { type Member, members } from '../../organizations/access/records.ts'
import { type Kind, noIntake } from '../../outbox/kind.ts'
import { attempts, deliveries, messages } from '../../outbox/records.ts'
import { createTestTurns } from '../../outbox/test-turns.ts'
import { portablePrimitives } from '../../proof/signing/portable.ts'
import {
  answered,
  createManualClock,
  createMemoryStore,
  type MemoryStore,
  plainSealer,
  type StoreFaults,
  scriptedEgress,
  seededRandom,
} from '../../testing/index.ts'
import { createWebhookKinds } from '../../webhooks/delivery/delivery-kinds.ts'
import { webhookUpkeep } from '../../webhooks/delivery/upkeep.ts'
import { countAttempts } from '../../webhooks/inspection/count-attempts.ts'
import { deliveryHours } from '../../webhooks/inspection/delivery-hours.ts'
import { webhookOperations } from '../../webhooks/operations.ts'
import { routings, webhooks } from '../../webhooks/records.ts'
import { reviewEventOperations } from '../../webhooks/review-events.ts'
import { eventTime } from '../../webhooks/routing/event-time.ts'
import { fanOut, routingOf } from '../../webhooks/routing/fan-out.ts'
import { createHorizonReset } from '../../webhooks/routing/reset-horizons.ts'
import { withWritten } from '../../webhooks/written.ts'
import { createStepper, type Reply } from './stepper.ts'

export const start = Date.UTC(2026, 10, 21, 8, 0, 0)
export const hour = 3_600_000
export const day = 24 * hour
export const minute = 60_000

const collections = [
  applications,
  occurrences,
  members,
  webhooks,
  routings,
  issuerKeyRings,
  messages,
  deliveries,
  attempts,
  workItems,
  owedMails,
  deliveryHours,
] as unknown as readonly Collection[]

export function member(more: Partial<MemberActor> = {}): MemberActor {
  return {
    kind: 'member',
    tenantId: 'ten_1',
    memberId: 'mem_1',
    role: 'CustomerAdmin',
    permissions: ['Manage Integrations', 'Review Cases', 'Export Evidence'],
    ...more,
  }
}
export const admin = member()
export const auditor = member({
  memberId: 'mem_2',
  role: 'CustomerAuditor',
  permissions: ['Export Evidence'],
})
export const integrator = member({
  memberId: 'mem_3',
  role: 'CustomerAuditor',
  permissions: ['Manage Integrations'],
})
export const stranger = member({ tenantId: 'ten_2', memberId: 'mem_9' })

export function recordOf({ tenantId, memberId, role, permissions }: MemberActor): Member {
  return {
    tenantId,
    memberId,
    name: memberId,
    email: `${memberId}@a.example`,
    emailKey: `${memberId}@a.example`,
    role,
    granted: permissions,
    status: 'Active',
    passwordHash: null,
    sessionVersion: 1,
    createdAt: start,
    updatedAt: start,
  }
}

export const value = unwrap

export function code(result: Result<unknown>): string | null {
  return result.ok ? null : result.refusal.code
}

/** An endpoint that takes everything and echoes challenges, as the interface asks (interface, Verification). */
export const obliging: Reply = ({ type, event }) =>
  type === 'subscription.verification_requested'
    ? answered(200, { body: JSON.stringify({ challenge: event.challenge }) })
    : answered(200)

export interface Published {
  readonly id: string
  readonly type: EventType
  readonly at: number
}

function storeOfMembers(faults: StoreFaults | undefined): MemoryStore {
  const empty = createMemoryStore({ collections, logs: [auditLog] })
  // Without faults this is done before any command gets to its first read.
  void empty.commit({
    tenant: null,
    puts: [admin, auditor, integrator, stranger].map((actor) =>
      put(members, recordOf(actor), null),
    ),
  })
  return empty.reopen(faults)
}

/** The webhooks room on a memory store, with a dispatcher that takes one step when told. */
export function fixture(
  options: {
    readonly seed?: number
    readonly faults?: StoreFaults
    /** That of another fixture: two processes on one store, each with a clock of its own. */
    readonly store?: MemoryStore
    /** A mutant's changes. */
    readonly spoil?: (kind: Kind) => Kind
    readonly mailer?: Mailer
    readonly observer?: Observer
    /** Counts attempts; else the real thing does. */
    readonly counting?: WorkHandler
  } = {},
) {
  const random = seededRandom(options.seed ?? 1)
  const store = options.store ?? storeOfMembers(options.faults)
  const clock = createManualClock(start)
  const ledger = createLedger({ store, clock, random })
  const sealer = plainSealer()
  const primitives = portablePrimitives
  const keys = createIssuerKeys({ ledger, sealer, primitives })
  const { spoil = (kind) => kind, mailer, observer = silentObserver } = options
  const post = createPost({ sealer, ...(mailer && { mailer }) })
  const kinds = createWebhookKinds({ ...{ ledger, sealer, keys, primitives }, post }).map(spoil)
  const stepper = createStepper({ ledger, clock, random: random.fork(), kinds })
  const egress = scriptedEgress((url) => (url.includes('internal') ? 'a private address' : null))
  const tools = {
    ...{ ledger, clock, egress, sealer, keys, post },
    intake: noIntake,
    outcomes: stepper.outcomes,
    signers: createEvidenceSigners({ ledger, sealer, primitives }),
    testTurns: createTestTurns(),
    limits: defaultLimits,
  }
  const groups = {
    reviewEvents: reviewEventOperations,
    signingKeys: signingKeyOperations,
    webhookKeys: [readWebhookKeys],
    webhooks: webhookOperations,
  } as const
  const kernel = createKernelPorts(tools)
  const opened = openGroups(groups, kernel, tools)
  const { reviewEvents, signingKeys } = opened
  const service = withWritten(opened.webhooks, { ...tools, kernel })
  /** Rotates the key that signs events. */
  const rotateKeys = (actor: MemberActor) => signingKeys.rotate(actor, { use: 'webhooks' })
  /** The public keys of `ten_1`. */
  const published = async () => value(await opened.webhookKeys.read({ tenantId: 'ten_1' })).keys
  const runner = createRunner({
    ledger,
    clock,
    handlers: [
      webhookUpkeep,
      issuerKeyUpkeep,
      createHorizonReset({ observer }),
      options.counting ?? countAttempts,
    ],
    observer,
    owing: kernel,
    options: { owner: 'runner' },
  })

  /** Commits an event as a case's command would; answers when it is recorded. */
  async function emit(
    type: Outgoing['type'],
    strip: (parts: ReturnType<typeof fanOut>) => ReturnType<typeof fanOut> = (parts) => parts,
  ): Promise<Published> {
    const result = await ledger.execute<Published>('ten_1', async (unit) => {
      const [found] = await unit.read([routingOf('ten_1')])
      const routing = one(routings, found)
      const id = unit.id('evt')
      const at = eventTime(routing, unit.now)
      const body = new TextEncoder().encode(JSON.stringify({ id, type, time: at }))
      const events = [{ id, type, applicationId: 'app_1', body }]
      const parts = fanOut({
        routing,
        tenantId: 'ten_1',
        events,
        now: unit.now,
        id: unit.id,
        intake: noIntake,
      })
      return commit(strip(parts), { id, type, at })
    })
    return value(result)
  }

  function audits(): readonly AuditEntry[] {
    const entries = store.entries(auditLog).get('ten_1') ?? []
    return entries.map(({ entry }) => JSON.parse(new TextDecoder().decode(entry)))
  }

  const webhookOf = (id: string) => {
    const found = store.rows(webhooks).find(({ row }) => row.webhookId === id)
    assert.ok(found, `no webhook ${id}`)
    return found.row
  }
  const deliveryOf = (endpointId: string, messageId: string) =>
    store
      .rows(deliveries)
      .find(({ row }) => row.endpointId === endpointId && row.messageId === messageId)
  const created = async (more: Partial<Parameters<typeof service.create>[1]> = {}) =>
    value(
      await service.create(admin, { url: 'https://a.example/hook', eventTypes: ['*'], ...more }),
    )

  return {
    store,
    clock,
    ledger,
    random,
    keys,
    sealer,
    service,
    reviewEvents,
    rotateKeys,
    published,
    runner,
    emit,
    audits,
    webhookOf,
    deliveryOf,
    created,
    newId: () => newId('evt', clock.now(), random),
    ...stepper,
  }
}

export type Fixture = ReturnType<typeof fixture>
