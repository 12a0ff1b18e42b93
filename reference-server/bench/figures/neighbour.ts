import { setTimeout as pause } from 'node:timers/promises'
import type { Service } from '@countersign/core'
import { type Endpoint, seedPending } from '../backlog.ts'
import { type Bench, inTurn, type Measure, percentile, rowOf } from '../figure.ts'
import { granted, host, openCase, organize } from '../service.ts'

const eventsPerSecond = 100
const hook = { eventTypes: ['review.case.cancelled'] }

/** What the neighbour is measured beside. */
interface Load {
  readonly organizations: number
  readonly webhooksEach: number
  /** Where its endpoints are, below the receiver. */
  readonly path: '/hang' | '/slow'
  readonly queued: number
}

async function burden(service: Service, load: Load, receiver: string): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = []
  for (let at = 0; at < load.organizations; at++) {
    const { admin, application } = await organize(service, `busy-${at}`)
    const { tenantId, applicationId } = application
    for (let n = 0; n < load.webhooksEach; n++) {
      const url = `${receiver}${load.path}/${at}/${n}`
      const { id } = granted(await service.webhooks.create(admin, { ...hook, url }))
      endpoints.push({ webhookId: id, tenantId, applicationId })
    }
  }
  return endpoints
}

/** The latencies of the neighbour's events, one by one at a steady pace, from command to answer. */
async function round(bench: Bench, load: Load) {
  const { stage, scale } = bench
  const started = new Map<string, number>()
  const latencies: number[] = []
  const hosted = host({
    directory: stage.directory('neighbour'),
    ca: stage.ca,
    answered: ({ url, body }) => {
      const { reviewCaseId } = JSON.parse(new TextDecoder().decode(body))
      const start = started.get(reviewCaseId)
      if (start !== undefined && url.endsWith('/healthy')) latencies.push(performance.now() - start)
    },
  })
  // The defaults: how much one endpoint may take is what is measured.
  const service = hosted.service({ dispatcher: {} })
  service.start()
  const healthy = await organize(service, 'healthy')
  granted(
    await service.webhooks.create(healthy.admin, {
      ...hook,
      url: `${stage.receiver.https}/healthy`,
    }),
  )

  async function phase(seconds: number): Promise<number> {
    latencies.length = 0
    const count = seconds * eventsPerSecond
    const cases: string[] = []
    while (cases.length < count) cases.push(await openCase(service, healthy))
    const start = performance.now()
    for (const [at, id] of cases.entries()) {
      const wait = start + (at * 1_000) / eventsPerSecond - performance.now()
      if (wait > 0) await pause(wait)
      started.set(id, performance.now())
      void service.reviewCases
        .cancel(healthy.application, { reviewCaseId: id, reasonCategory: 'parent_workflow_ended' })
        .then(granted)
    }
    for (let waited = 0; latencies.length < count && waited < 15_000; waited += 20) await pause(20)
    if (latencies.length < count) throw new Error(`${count - latencies.length} events not answered`)
    return percentile(latencies, 0.99)
  }

  const seconds = scale.quick ? 3 : 6
  await phase(seconds)
  const idle = await phase(seconds)
  const endpoints = await burden(service, load, stage.receiver.https)
  await seedPending(hosted.ports.store, endpoints, load.queued)
  // The queue has just been written: until the disk has it, that is what everyone waits for.
  await phase(seconds)
  const besides = await phase(seconds)
  hosted.hangUp()
  await service.drain(2_000)
  await hosted.close()
  return { figure: besides / idle, besidesMs: besides, idleMs: idle }
}

export const neighbour: Measure = {
  figures: ['delivery.neighbour.p99Ratio', 'delivery.neighbour.slowP99Ratio'],
  async run(bench) {
    const { queued, quick } = bench.scale
    const owed: Load = { organizations: 1, webhooksEach: 40, path: '/hang', queued }
    const slow: Load = { organizations: 40, webhooksEach: 1, path: '/slow', queued: 40 * 200 }
    const rounds = await inTurn(quick ? 1 : 3, async () => ({
      owed: await round(bench, owed),
      slow: await round(bench, slow),
    }))
    const target = { is: 'most', reach: 2, aim: 1.2 } as const
    const pace = `p99 from command to answer, ${eventsPerSecond} events a second over https`
    return [
      rowOf(
        {
          figure: 'delivery.neighbour.p99Ratio',
          target,
          how: `${pace}, beside an organization with ${queued} queued at 40 endpoints that never answer ÷ without`,
        },
        rounds.map((each) => each.owed),
      ),
      rowOf(
        {
          figure: 'delivery.neighbour.slowP99Ratio',
          target,
          how: `${pace}, beside 40 organizations with ${slow.queued} queued at endpoints that answer after 9.5 s ÷ without`,
        },
        rounds.map((each) => each.slow),
      ),
    ]
  },
}
