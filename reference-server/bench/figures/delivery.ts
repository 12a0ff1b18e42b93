import type { Service } from '@countersign/core'
import { type Ceiling, createCeiling, inFlight, type Scheme } from '../ceiling.ts'
import { type Bench, inTurn, type Measure, perSecond, rateOf, rowOf } from '../figure.ts'
import { granted, type Hosted, host, type Organization, openCase, organize } from '../service.ts'

/** Case changes under way at once, as many requests would have them. */
const changesAtOnce = 256

/** Our whole path: a case is cancelled by its application, and its event is delivered and settled. */
export interface Path {
  /** Events a second, from the first command to the last settle; cases are opened before the time is taken. */
  run(count: number): Promise<{ readonly rate: number; readonly cpuUs: number }>
  close(): Promise<void>
}

export async function openPath({ stage }: Bench, scheme: Scheme): Promise<Path> {
  const hosted: Hosted = host({ directory: stage.directory('delivery'), ca: stage.ca })
  const service: Service = hosted.service()
  service.start()
  const organization: Organization = await organize(service, `delivery-${scheme}`)
  granted(
    await service.webhooks.create(organization.admin, {
      url: `${stage.receiver.https}/events`,
      eventTypes: ['review.case.cancelled'],
      signing: { method: scheme === 'v1a' ? 'ed25519' : 'shared_secret' },
    }),
  )
  await hosted.untilSettled(1)

  async function cancelAll(cases: readonly string[]): Promise<void> {
    const all = hosted.untilSettled(hosted.settled() + cases.length)
    await rateOf(cases.length, changesAtOnce, async (at) =>
      granted(
        await service.reviewCases.cancel(organization.application, {
          reviewCaseId: cases[at] ?? '',
          reasonCategory: 'parent_workflow_ended',
        }),
      ),
    )
    await all
  }

  return {
    async run(count) {
      const warmUp = 2 * inFlight
      const cases: string[] = []
      await rateOf(warmUp + count, changesAtOnce, async () =>
        cases.push(await openCase(service, organization)),
      )
      // As with the ceiling: connections that were closed for idleness are opened again before the time is taken.
      await cancelAll(cases.slice(0, warmUp))
      const before = process.cpuUsage()
      const start = performance.now()
      await cancelAll(cases.slice(warmUp))
      const rate = perSecond(count, start)
      const { user, system } = process.cpuUsage(before)
      return { rate, cpuUs: (user + system) / count }
    },
    close: async () => {
      await service.drain(1_000)
      await hosted.close()
    },
  }
}

async function measure(bench: Bench, scheme: Scheme) {
  const { rounds, events } = bench.scale
  const ceiling: Ceiling = createCeiling(bench.stage, scheme)
  const path = await openPath(bench, scheme)
  await ceiling.run(events >> 1)
  await path.run(events >> 1)
  const measured = await inTurn(rounds, async () => {
    const before = await ceiling.run(events)
    const { rate, cpuUs } = await path.run(events)
    const bound = (before + (await ceiling.run(events))) / 2
    return {
      figure: rate / bound,
      eventsPerSecond: rate,
      ceilingPerSecond: bound,
      cpuUsPerEvent: cpuUs,
    }
  })
  await path.close()
  await ceiling.close()
  return measured
}

const how = `application cancels a case (one commit: case, event, delivery) to one endpoint, settled ÷ sign and post alone; https keep-alive and ${inFlight} in flight on both sides, FULL`

export const delivery: Measure = {
  figures: ['delivery.v1a.ratio', 'delivery.v1.ratio'],
  run: async (bench) => [
    rowOf(
      { figure: 'delivery.v1a.ratio', target: { is: 'least', reach: 0.45, aim: 0.65 }, how },
      await measure(bench, 'v1a'),
    ),
    rowOf(
      { figure: 'delivery.v1.ratio', target: { is: 'least', reach: 0.25, aim: 0.4 }, how },
      await measure(bench, 'v1'),
    ),
  ],
}
