import { randomBytes } from 'node:crypto'
import {
  type ApplicationActor,
  collections,
  createService,
  logs,
  type MemberActor,
  type Service,
} from '@countersign/core'
import type { Result } from '@countersign/core/ledger'
import type { Clock, Store, Transport } from '@countersign/core/ports'
import { byNewKey, newApplication, newOrganization, plainPorts } from '@countersign/core/testing'
import { nativePrimitives } from '@countersign/node/crypto'
import { openSqliteStore } from '@countersign/sqlite'

/** The service on a file, without HTTP: quick to start, for processes that live for a few milliseconds. */
export interface Embedded {
  readonly service: Service
  readonly store: Store
}

export function openEmbedded(options: {
  readonly file: string
  readonly writerThread?: boolean
  readonly transport: Transport
  readonly clock?: Clock
  /** Stands between the service and its store. */
  readonly around?: (store: Store) => Store
}): Embedded {
  const { file, writerThread = false } = options
  const bare = openSqliteStore({ file, writerThread, collections, logs })
  const store = options.around?.(bare) ?? bare
  const service = createService({
    ports: {
      ...plainPorts(),
      store,
      clock: options.clock ?? systemClock(),
      random: { bytes: (count) => new Uint8Array(randomBytes(count)) },
      primitives: nativePrimitives,
      transport: options.transport,
    },
    ingestUrl: 'https://ingest.example.com',
  })
  return { service, store }
}

/** The system's clock, `ahead` ms of it. */
export function systemClock(ahead = 0): Clock {
  return {
    now: () => Date.now() + ahead,
    monotonic: () => performance.now(),
    after: (ms, call) => {
      const timer = setTimeout(call, ms)
      return () => clearTimeout(timer)
    },
  }
}

/** Whoever plays: plain data, so that another process can be told of it. */
export interface Cast {
  readonly admin: MemberActor
  readonly application: ApplicationActor
}

/** An organization with an application and so many webhooks that take every event. */
export async function seedCast(service: Service, webhooks: number): Promise<Cast> {
  const given = { name: 'Test organization', email: 'ada@test.example' }
  const { admin } = await newOrganization(service, given)
  const applicationId = await newApplication(service, admin, 'App')
  for (let number = 0; number < webhooks; number++) {
    const url = `https://receiver.example.com/${number}`
    granted(await service.webhooks.create(admin, { url, eventTypes: ['*'] }))
  }
  const application = await byNewKey(service, admin, applicationId)
  return { admin, application }
}

export function opening(name: string) {
  return {
    sessionId: `ses_${name}`,
    checkpointId: 'before-payment',
    reasonCategory: 'high_risk_action',
    presentation: { action: 'payment', step: name },
    idempotencyKey: `open-${name}`,
  } as const
}

export function granted<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`expected success, got ${result.refusal.code}: ${result.refusal.detail}`)
}
