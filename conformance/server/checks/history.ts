import { expectEqual } from '../../assert.ts'
import { pause } from '../wait.ts'
import { type Body, granted, type World } from '../world.ts'

export interface HistoryEntry {
  readonly event: Body
  readonly deliveryStatus: string
  readonly deliveredAt: string | null
}

export async function historyOf(world: World, webhookId: string): Promise<readonly HistoryEntry[]> {
  const page = granted(
    await world.admin.get(`/v1/review-events?subscriptionId=${webhookId}&pageSize=100`),
  )
  return page.events as readonly HistoryEntry[]
}

/** That the recovery read comes to tell this status of an event. */
export async function statusOf(
  world: World,
  webhookId: string,
  eventId: string,
  expected: string,
  after: string,
  options: { readonly before?: () => Promise<void> } = {},
): Promise<void> {
  await options.before?.()
  let found: string | undefined
  for (let tries = 0; tries < 100; tries++) {
    const entry = (await historyOf(world, webhookId)).find(({ event }) => event.id === eventId)
    found = entry?.deliveryStatus
    if (found === expected) return
    await pause(50)
  }
  expectEqual(found, expected, `deliveryStatus after ${after}`)
}
