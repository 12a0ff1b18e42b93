import {
  createDispatcher,
  type Endpoint,
  type Kind,
  type Owed,
  owe,
} from '@countersign/core/internal'
import { createLedger, commit as plan } from '@countersign/core/ledger'
import { sharedSecretKey, signedHeaders } from '@countersign/core/signing'
import { inFlight, sampleBody } from './ceiling.ts'
import { type Bench, perSecond, rateOf } from './figure.ts'
import type { Path } from './figures/delivery.ts'
import { granted, host } from './service.ts'

const tenantId = 'ten_outbox'
const owed: Owed = {
  endpointId: 'wh_outbox',
  kind: 'event',
  policy: 'review',
  generation: 0,
  trigger: 'event',
}

/** The outbox alone, as a durable queue of signed POSTs: no case, no webhook, no fan-out. */
export async function openOutbox({ stage }: Bench): Promise<Path> {
  const hosted = host({ directory: stage.directory('outbox'), ca: stage.ca })
  const { ports } = hosted
  const ledger = createLedger(ports)
  const keys = [sharedSecretKey(ports.random.bytes(32), ports.primitives)]
  const endpoint: Endpoint = {
    endpointId: owed.endpointId,
    tenantId,
    url: `${stage.receiver.https}/events`,
    sign: ({ messageId, body, now }) => ({
      'content-type': 'application/json',
      ...signedHeaders({ id: messageId, timestamp: Math.floor(now / 1_000), body, keys }),
    }),
    admits: () => true,
  }
  const kind: Kind = {
    name: 'event',
    watches: ['webhooks'],
    endpoints: async () => new Map([[owed.endpointId, endpoint]]),
    entails: () => false,
    consequences: async () => ({}),
  }
  const dispatcher = createDispatcher({
    ...ports,
    ledger,
    kinds: [kind],
    options: { slotsPerEndpoint: inFlight },
  })
  dispatcher.start()

  async function queue(): Promise<void> {
    const done = await ledger.execute(tenantId, async (unit) => {
      const message = {
        messageId: unit.id('evt'),
        tenantId,
        applicationId: null,
        type: 'review.case.cancelled',
        family: 'standard',
        createdAt: unit.now,
        body: sampleBody,
      } as const
      return plan({ puts: owe(unit, dispatcher.intake, message, [owed]) }, null)
    })
    granted(done)
  }

  return {
    async run(count) {
      const before = process.cpuUsage()
      const start = performance.now()
      const all = hosted.untilSettled(hosted.settled() + count)
      await rateOf(count, 256, queue)
      await all
      const rate = perSecond(count, start)
      const { user, system } = process.cpuUsage(before)
      return { rate, cpuUs: (user + system) / count }
    },
    close: async () => {
      await dispatcher.drain(1_000)
      await hosted.close()
    },
  }
}
