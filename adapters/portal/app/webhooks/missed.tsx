import type { MissedWindowsAnswer, WebhookAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Empty, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { reasons } from './words.ts'

type Window = MissedWindowsAnswer['missedWindows'][number]

/** Times in which a webhook was off, and so was sent nothing. */
export function Missed({
  webhook: { id: webhookId, turnedOffAt },
}: {
  readonly webhook: WebhookAnswer
}) {
  // It begins and ends with the webhook's own turning off and on; that it was reported comes later.
  const read = useRead(
    `missed ${webhookId} ${turnedOffAt}`,
    (signal) => api.webhooks.missedWindows({ webhookId }, { signal }),
    { everyMs: 15_000 },
  )
  const columns: readonly Column<Window>[] = [
    { head: 'From', cell: ({ missedFrom }) => <Time at={missedFrom} exact /> },
    {
      head: 'Until',
      cell: ({ missedUntil }) =>
        missedUntil ? <Time at={missedUntil} exact /> : 'it is still off',
    },
    { head: 'Why', cell: ({ reason }) => (reason ? (reasons[reason] ?? reason) : '–') },
    {
      head: 'Reported',
      cell: ({ reportedAt }) => (reportedAt ? <Time at={reportedAt} exact /> : 'not yet'),
    },
    {
      head: 'Recover',
      cell: ({ missedFrom, missedUntil }) => (
        <a href={recoverOf(webhookId, missedFrom, missedUntil)}>what was given up then</a>
      ),
    },
  ]
  return (
    <section aria-labelledby="missed">
      <h2 id="missed">Missed</h2>
      <Shown of={read}>
        {({ missedWindows }) =>
          missedWindows.length === 0 ? (
            <Empty>
              <p>It was never off. What failed while it was on stands under Deliveries.</p>
            </Empty>
          ) : (
            <>
              <p>
                Events of these times were never sent. The receiver is told of them once it receives
                again; what it missed stands in the cases.
              </p>
              <Rows
                caption="Missed"
                columns={columns}
                rows={missedWindows}
                keyOf={({ missedFrom }) => missedFrom}
              />
            </>
          )
        }
      </Shown>
    </section>
  )
}

function recoverOf(webhookId: string, from: string, until: string | null): string {
  const span = new URLSearchParams({ by: 'given_up', from, ...(until && { until }) })
  return to(`/webhooks/${webhookId}/recover?${span}`)
}
