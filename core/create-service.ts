import { createAccess } from './access/create-access.ts'
import { createApplicationKeys, createApplications } from './applications/create-applications.ts'
import { collections } from './collections.ts'
import { createIssuerKeys } from './keys/issuer-keys.ts'
import { issuerKeyUpkeep } from './keys/rotate-keys.ts'
import { createLedger } from './ledger/ledger.ts'
import { type Limits, limitsOf } from './ledger/limits.ts'
import { createDispatcher, type Dispatcher } from './outbox/dispatcher.ts'
import type { Intake, Outcomes } from './outbox/kind.ts'
import type { DispatcherOptions } from './outbox/options.ts'
import type { Clock } from './ports/clock.ts'
import { type Observer, silentObserver } from './ports/observer.ts'
import type { Random } from './ports/random.ts'
import type { Passwords, Sealer, SessionTokens } from './ports/secrets.ts'
import type { Collection, Store } from './ports/store.ts'
import type { EgressGuard, Transport } from './ports/transport.ts'
import { createCallbackKind } from './review/callback/callback-kind.ts'
import { callbackSweep } from './review/callback/callback-sweep.ts'
import { createReviewCases } from './review/create-review-cases.ts'
import { createDeadlineHandler } from './review/deadlines.ts'
import { sealed } from './sealed.ts'
import { createMasterKey } from './sealing/master-key.ts'
import type { Service } from './service.ts'
import type { Primitives, SigningThread } from './signing/primitives.ts'
import { createWebhooks } from './webhooks/create-webhooks.ts'
import { createWebhookKinds } from './webhooks/delivery/delivery-kinds.ts'
import { webhookUpkeep } from './webhooks/delivery/upkeep.ts'
import { createRetention, type RetentionOptions } from './work/retention.ts'
import { createRunner, type RunnerOptions } from './work/runner.ts'

/** What the service needs of its host; `@countersign/node` and `@countersign/sqlite` have one of each. */
export interface ServicePorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly primitives: Primitives
  /** Signs with the tenants' own keys on another thread. */
  readonly signing?: SigningThread
  readonly transport: Transport
  readonly egress: EgressGuard
  readonly sealer: Sealer
  readonly passwords: Passwords
  readonly tokens: SessionTokens
  readonly observer?: Observer
  /** Ends what the ports hold: connections, threads, the store. Called last by `service.close`. */
  readonly close?: () => Promise<void>
}

/** Options of `createService`. */
export interface ServiceOptions {
  readonly ports: ServicePorts
  /** The ingest API's base URL without a slash at its end; case URLs begin with it. */
  readonly ingestUrl: string
  readonly dispatcher?: Partial<DispatcherOptions>
  readonly runner?: Partial<RunnerOptions>
  readonly retention?: RetentionOptions
  readonly limits?: Partial<Limits>
}

/** The deadline of a POST and some room for its commit. */
const defaultDrainMs = 12_000

/** Puts the rooms together; nothing is sent and nothing falls due before `start`. */
export function createService(options: ServiceOptions): Service {
  const { ingestUrl } = options
  if (!/^https?:\/\/[^/]/.test(ingestUrl) || ingestUrl.endsWith('/'))
    throw new TypeError(
      `expected an ingestUrl such as https://ingest.example.com, without a slash at its end, got ${JSON.stringify(ingestUrl)}`,
    )
  const { observer = silentObserver } = options.ports
  const ledger = createLedger(options.ports)
  const ports = { ...options.ports, observer, ledger }
  const keys = createIssuerKeys(ports)
  // Fan-out asks the dispatcher for room, and the dispatcher asks the rooms where deliveries go.
  let dispatcher: Dispatcher
  const intake: Intake = { offer: (endpointId) => dispatcher.intake.offer(endpointId) }
  const outcomes: Outcomes = { next: (...asked) => dispatcher.outcomes.next(...asked) }
  const limits = limitsOf(options.limits)
  const rooms = { ...ports, keys, intake, outcomes, ingestUrl, limits }

  dispatcher = createDispatcher({
    ...ports,
    kinds: [...createWebhookKinds(rooms), createCallbackKind(rooms)],
    ...(options.dispatcher && { options: options.dispatcher }),
  })
  const runner = createRunner({
    ...ports,
    handlers: [
      createDeadlineHandler(rooms),
      callbackSweep,
      webhookUpkeep,
      issuerKeyUpkeep,
      createRetention(collections as unknown as readonly Collection[], options.retention),
    ],
    options: { owner: `runner-${dispatcher.owner}`, ...options.runner },
  })
  const applications = {
    ...ports,
    publicKeyOf: (tenantId: string) => keys.publicKeyOf(tenantId, ports.clock.now()),
  }

  async function drain(withinMs: number): Promise<void> {
    const until = ports.clock.monotonic() + withinMs
    // The runner first: what it commits may still be sent.
    await runner.drain(withinMs)
    await dispatcher.drain(Math.max(0, until - ports.clock.monotonic()))
  }

  return {
    access: { ...createAccess(ports), ...createApplicationKeys(applications) },
    applications: createApplications(applications),
    reviewCases: createReviewCases(rooms),
    webhooks: createWebhooks(rooms),
    masterKey: createMasterKey({ ...ports, sealed }),
    start: () => {
      dispatcher.start()
      runner.start()
    },
    drain,
    close: async ({ withinMs = defaultDrainMs } = {}) => {
      await drain(withinMs)
      await options.ports.close?.()
    },
  }
}
