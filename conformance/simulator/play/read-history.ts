import { deliveries, messages, webhooks } from '@countersign/core/internal'
import { seededRandom } from '@countersign/core/testing'
import { textOf } from '../check/context.ts'
import type { Stage } from './stage.ts'

/** Pages through the recovery read of each webhook: every event that it was owed comes once, the newest first. */
export async function readHistory(stage: Stage): Promise<void> {
  const { truth, world } = stage
  const draw = seededRandom(world.plan.seed)
  for (const webhookId of [...truth.rows(webhooks).keys()]) {
    const wrong = (detail: string) => world.broken('history is whole', `${webhookId}: ${detail}`)
    const expected = owedTo(stage, webhookId)
    const told = await pagesOf(stage, webhookId, 1 + draw.below(10), expected.length, wrong)
    for (const [at, line] of expected.entries())
      if (told[at] !== line) {
        wrong(`number ${at + 1} is ${told[at] ?? 'missing'}, expected ${line}`)
        break
      }
    if (told.length > expected.length)
      wrong(`${told.length} events are told, ${expected.length} were owed`)
  }
}

/** Ids rise with time, so the newest comes first in falling order. */
function owedTo({ truth }: Stage, webhookId: string): readonly string[] {
  return [...truth.rows(deliveries).values()]
    .filter(({ row }) => row.endpointId === webhookId && row.kind === 'event')
    .sort((a, b) => (a.row.messageId < b.row.messageId ? 1 : -1))
    .map(({ row }) => {
      const body = truth.rows(messages).get(row.messageId)?.row.body
      return `${row.status} ${JSON.stringify(body ? JSON.parse(textOf(body)) : null)}`
    })
}

async function pagesOf(
  { client, cast, world }: Stage,
  subscriptionId: string,
  pageSize: number,
  total: number,
  wrong: (detail: string) => void,
): Promise<readonly string[]> {
  const draw = seededRandom(world.plan.seed)
  const told: string[] = []
  for (let page = 1; ; page++) {
    const heard = await client.ask(draw, `page ${page} of ${subscriptionId}`, (service) =>
      service.reviewEvents.list(cast.admin, { subscriptionId, page, pageSize }),
    )
    if (heard.kind !== 'ok') {
      wrong(`page ${page} is ${heard.kind}`)
      return told
    }
    const { events, totalCount, hasMore } = heard.value
    told.push(...events.map((one) => `${one.deliveryStatus} ${JSON.stringify(one.event)}`))
    if (totalCount !== total) wrong(`${totalCount} in all on page ${page}, expected ${total}`)
    if (hasMore !== page * pageSize < total) wrong(`hasMore is ${hasMore} on page ${page}`)
    if (events.length === 0 || !hasMore) return told
  }
}
