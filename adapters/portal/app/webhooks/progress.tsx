import type { DeliveryAnswer, RecoveryAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Shown } from '../parts/page.tsx'
import { Save } from '../parts/save.tsx'

/** Pages of a hundred deliveries that are looked at. */
const mostPages = 10

/** How far what was recovered is, until all of it has ended. */
export function Progress({
  webhookId,
  recovery,
}: {
  readonly webhookId: string
  readonly recovery: RecoveryAnswer
}) {
  const { selected, results } = recovery
  const sent = results.flatMap(({ eventId, result }) => (result === 'replayed' ? [eventId] : []))
  const read = useRead(
    `recovered ${sent.join()}`,
    (signal) => statusesOf(webhookId, sent, selected.until, signal),
    { everyMs: 2_000 },
  )
  return (
    <Shown of={read}>
      {(statuses) => {
        const followed = [...statuses.values()]
        const of = (status: DeliveryAnswer['status']) =>
          followed.filter((each) => each === status).length
        const [delivered, failed] = [of('delivered'), of('dead_lettered')]
        const waiting = followed.length - delivered - failed
        return (
          <>
            <p role="status">
              {delivered} delivered · {waiting} waiting · {failed} given up again
            </p>
            <progress
              aria-label="Delivered or given up"
              max={Math.max(1, followed.length)}
              value={delivered + failed}
            />
            {followed.length < sent.length && (
              <p>
                Of {sent.length} the newest {followed.length} are followed here; the deliveries of
                the webhook show the others.
              </p>
            )}
            <p>
              <Save
                name="recovery.csv"
                text={[
                  'eventId,result,status',
                  ...results.map(
                    ({ eventId, result }) => `${eventId},${result},${statuses.get(eventId) ?? ''}`,
                  ),
                ].join('\r\n')}
              >
                Save as CSV
              </Save>
            </p>
          </>
        )
      }}
    </Shown>
  )
}

/** The statuses of what was sent again. It was recorded before `until`, whatever it was selected by. */
async function statusesOf(
  webhookId: string,
  sent: readonly string[],
  until: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, DeliveryAnswer['status']>> {
  const wanted = new Set(sent)
  const found = new Map<string, DeliveryAnswer['status']>()
  let after: string | undefined
  for (let page = 0; page < mostPages && found.size < wanted.size; page++) {
    const { rows, next } = await api.webhooks.listDeliveries(
      { webhookId, until, limit: 100, after },
      { signal },
    )
    for (const { eventId, status } of rows) if (wanted.has(eventId)) found.set(eventId, status)
    if (next === null) break
    after = next
  }
  return found
}
