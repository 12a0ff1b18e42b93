import type { SummaryAnswer, WebhookAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { to } from '../paths.ts'

const everyMs = 10_000

/** What of a webhook is part of the numbers that the overview tells of all: deliveries that fail, and given up ones. */
export function Troubles({
  webhook: { id, status },
  of,
}: {
  readonly webhook: WebhookAnswer
  /** The numbers of all webhooks; nothing is asked for where they are 0. */
  readonly of: SummaryAnswer['webhooks'] | undefined
}) {
  return (
    <>
      {of && of.failing > 0 && status === 'receiving' && (
        <Count webhookId={id} status="retry_scheduled" says="to be tried again" name="failing: " />
      )}
      {of && of.deadLettered > 0 && (
        <Count webhookId={id} status="dead_lettered" says="given up" name="" />
      )}
    </>
  )
}

/** How many deliveries have a status, as the way to them; nothing where none has. */
function Count({
  webhookId,
  status,
  says,
  name,
}: {
  readonly webhookId: string
  readonly status: 'retry_scheduled' | 'dead_lettered'
  readonly says: string
  readonly name: string
}) {
  const read = useRead(
    `${webhookId} ${status}`,
    (signal) => api.webhooks.listDeliveries({ webhookId, status, limit: 1 }, { signal }),
    { everyMs },
  )
  const count = read.data.value?.totalCount ?? 0
  if (count === 0) return null
  return (
    <>
      {' · '}
      <a class="bad" href={to(`/webhooks/${webhookId}?status=${status}`)}>
        {name}
        {count > 10_000 ? 'more than 10,000' : count} {says}
      </a>
    </>
  )
}
