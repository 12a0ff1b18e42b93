import type { Service } from '@countersign/core'
import { type Endpoint, seedPending } from '../backlog.ts'
import { serveParent } from '../child.ts'
import { granted, type Hosted, host, organize } from '../service.ts'

export interface Given {
  readonly directory: string
  readonly ca: string
  readonly url: string
  readonly pending: number
}

export interface Answered {
  readonly wallUs: number
  readonly cpuUs: number
  readonly rssMb: number
}

const organizations = 20
const webhooksEach = 5
async function makeEndpoints(service: Service, url: string): Promise<readonly Endpoint[]> {
  const endpoints: Endpoint[] = []
  for (let at = 0; at < organizations; at++) {
    const { admin, application } = await organize(service, `backlog-${at}`)
    for (let n = 0; n < webhooksEach; n++) {
      const input = { url: `${url}/${at}/${n}`, eventTypes: ['review.case.cancelled'] }
      const { id } = granted(
        await service.webhooks.create(admin, { ...input, signing: { method: 'shared_secret' } }),
      )
      const { tenantId, applicationId } = application
      endpoints.push({ webhookId: id, tenantId, applicationId })
    }
  }
  return endpoints
}

async function deliver(hosted: Hosted, endpoints: readonly Endpoint[], count: number) {
  const service = hosted.service()
  const before = process.cpuUsage()
  const start = performance.now()
  const all = hosted.untilSettled(hosted.settled() + count)
  service.start()
  await all
  const wallUs = ((performance.now() - start) * 1_000) / count
  const { user, system } = process.cpuUsage(before)
  const rssMb = process.memoryUsage().rss / 2 ** 20
  await service.drain(5_000)
  await seedPending(hosted.ports.store, endpoints, count)
  return { wallUs, cpuUs: (user + system) / count, rssMb } satisfies Answered
}

await serveParent<Given>(async ({ directory, ca, url, pending }) => {
  const hosted = host({ directory, ca })
  const first = hosted.service()
  const endpoints = await makeEndpoints(first, url)
  await seedPending(hosted.ports.store, endpoints, pending)
  return {
    ready: null,
    answer: (count) => deliver(hosted, endpoints, Number(count)),
  }
})
