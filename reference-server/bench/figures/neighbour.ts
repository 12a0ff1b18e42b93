import { setTimeout as pause } from 'node:timers/promises'
import { seedPending } from '../backlog.ts'
import { type Bench, inTurn, type Measure, percentile, rowOf } from '../figure.ts'
import { granted, host, openCase, organize } from '../service.ts'

const eventsPerSecond = 100

/** The latencies of the neighbour's events, one by one at a steady pace, from command to answer. */
async function round(bench: Bench) {
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
  const stuck = await organize(service, 'stuck')
  const hook = { eventTypes: ['review.case.cancelled'] }
  granted(
    await service.webhooks.create(healthy.admin, {
      ...hook,
      url: `${stage.receiver.https}/healthy`,
    }),
  )
  const hanging = granted(
    await service.webhooks.create(stuck.admin, { ...hook, url: `${stage.receiver.https}/hang` }),
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
        .cancel(healthy.application, id, { reasonCategory: 'parent_workflow_ended' })
        .then(granted)
    }
    for (let waited = 0; latencies.length < count && waited < 15_000; waited += 20) await pause(20)
    if (latencies.length < count) throw new Error(`${count - latencies.length} events not answered`)
    return percentile(latencies, 0.99)
  }

  const seconds = scale.quick ? 3 : 6
  await phase(seconds)
  const idle = await phase(seconds)
  const { tenantId, applicationId } = stuck.application
  await seedPending(
    hosted.ports.store,
    [{ webhookId: hanging.id, tenantId, applicationId }],
    scale.queued,
  )
  // The queue has just been written: until the disk has it, that is what everyone waits for.
  await phase(seconds)
  const besides = await phase(seconds)
  hosted.hangUp()
  await service.drain(2_000)
  await hosted.close()
  return { figure: besides / idle, besidesMs: besides, idleMs: idle }
}

export const neighbour: Measure = {
  figures: ['delivery.neighbour.p99Ratio'],
  async run(bench) {
    const { queued, quick } = bench.scale
    return [
      rowOf(
        {
          figure: 'delivery.neighbour.p99Ratio',
          target: { is: 'most', reach: 2, aim: 1.2 },
          how: `p99 from command to answer, ${eventsPerSecond} events a second over https, beside an endpoint with ${queued} queued that never answers ÷ without`,
        },
        await inTurn(quick ? 1 : 3, () => round(bench)),
      ),
    ]
  },
}
