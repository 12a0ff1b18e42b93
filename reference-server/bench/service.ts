import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  type ApplicationActor,
  collections,
  createService,
  logs,
  type MemberActor,
  type Service,
  type ServiceOptions,
  type ServicePorts,
} from '@countersign/core'
import type { PlanName } from '@countersign/core/access'
import type { Result } from '@countersign/core/ledger'
import type { Exchange, Observer, Transport } from '@countersign/core/ports'
import { byNewKey, newApplication, newOrganization } from '@countersign/core/testing'
import {
  egressGuard,
  fileBlobs,
  nativeCipher,
  nativePrimitives,
  nodeClock,
  nodeRandom,
  passwords,
  sealer,
  sessionTokens,
  signingThread,
  transportThread,
} from '@countersign/node'
import { openSqliteStore } from '@countersign/sqlite'
import { inFlight } from './ceiling.ts'

/** The service on SQLite and real https, in this process, as the reference server composes it, without its HTTP. */
export interface Hosted {
  readonly ports: ServicePorts & { readonly observer: Observer }
  /** A service of its own over the same store, so that a round can start and stop it. */
  service(options?: Partial<Pick<ServiceOptions, 'dispatcher'>>): Service
  /** Deliveries settled so far, by all its services. */
  settled(): number
  /** Resolves once so many are settled. */
  untilSettled(count: number): Promise<void>
  /** Ends every POST under way. */
  hangUp(): void
  close(): Promise<void>
}

export interface Organization {
  readonly tenantId: string
  readonly admin: MemberActor
  readonly application: ApplicationActor
}

export function host(options: {
  readonly directory: string
  readonly ca: string
  /** Hears each POST with the time when its answer came. */
  readonly answered?: (exchange: Exchange) => void
}): Hosted {
  const clock = nodeClock()
  const egress = { allowedSubnets: ['127.0.0.0/8', '::1/128'] }
  const file = join(options.directory, 'store.db')
  const store = openSqliteStore({ file, collections, logs, writerThread: true })
  const sender = transportThread({ ...egress, ca: options.ca })
  const { answered } = options
  const transport: Transport = answered
    ? {
        post: async (exchange) => {
          const result = await sender.post(exchange)
          answered(exchange)
          return result
        },
      }
    : sender
  const signing = signingThread()
  let settled = 0
  let awaited = Number.POSITIVE_INFINITY
  let reached = () => {}
  const observer: Observer = {
    event(name, fields) {
      if (name === 'delivery.settled' && ++settled >= awaited) reached()
      else if (name === 'outbox.fault') throw new Error(`${name}: ${JSON.stringify(fields)}`)
    },
  }
  const ports = {
    store,
    clock,
    transport,
    observer,
    random: nodeRandom(),
    primitives: nativePrimitives,
    signing,
    egress: egressGuard(egress),
    sealer: sealer({ masterKey: randomBytes(32) }),
    cipher: nativeCipher(),
    blobs: fileBlobs({ directory: `${file}.blobs` }),
    passwords: passwords({ logN: 10 }),
    tokens: sessionTokens({ secret: randomBytes(32), issuer: 'bench' }),
  }
  return {
    ports,
    service: (more = {}) =>
      createService({
        ports,
        ingestUrl: 'https://ingest.example',
        dispatcher: { slotsPerEndpoint: inFlight },
        ...more,
      }),
    settled: () => settled,
    untilSettled: (count) =>
      new Promise((resolve) => {
        awaited = count
        reached = resolve
        if (settled >= count) resolve()
      }),
    hangUp: () => sender.close(),
    close: async () => {
      sender.close()
      await store.close()
      await signing.close()
    },
  }
}

export async function organize(
  service: Service,
  name: string,
  plan: PlanName = 'Builder',
): Promise<Organization> {
  const email = `ada@${name}.example`
  const { tenantId, admin } = await newOrganization(service, { name, email, plan })
  const applicationId = await newApplication(service, admin, 'agent')
  const application = await byNewKey(service, admin, applicationId)
  return { tenantId, admin, application }
}

export function granted<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`${result.refusal.code}: ${result.refusal.detail}`)
}

let opened = 0

/** Opens a case, each at a checkpoint of its own; answers its id. */
export async function openCase(service: Service, { application }: Organization): Promise<string> {
  const at = ++opened
  const view = granted(
    await service.reviewCases.open(application, {
      sessionId: `session-${at}`,
      checkpointId: 'payment',
      reasonCategory: 'high_risk_action',
      presentation: { amount: at, to: 'a supplier' },
      idempotencyKey: `open-${at}`,
    }),
  )
  return view.reviewCaseId
}
