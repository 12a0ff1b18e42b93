import type { SummaryAnswer, WebhookAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useSummary } from '../client/use-summary.ts'
import { useKeys } from '../parts/keys.ts'
import { Empty, Page, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { isSandbox, to } from '../paths.ts'
import { isAdmin } from '../session.ts'
import { rowKeys } from './row-keys.ts'
import { Status } from './status.tsx'
import { selectionOf, verifications } from './words.ts'

const columnsOf = (summary: SummaryAnswer | null): readonly Column<WebhookAnswer>[] => [
  {
    head: 'Address',
    cell: ({ id, url }) => (
      <a data-row={id} href={to(`/webhooks/${id}`)}>
        {url}
      </a>
    ),
  },
  { head: 'Status', cell: (webhook) => <Status webhook={webhook} summary={summary} /> },
  { head: 'Receiver', cell: ({ verification }) => verifications[verification.state] },
  { head: 'Gets', cell: selectionOf },
  { head: 'For', cell: ({ description }) => description ?? <span class="quiet">–</span> },
]

export default function WebhooksPage() {
  const read = useRead('webhooks', async (signal) => api.webhooks.list({}, { signal }), {
    everyMs: 5_000,
  })
  const summary = useSummary()
  useKeys(rowKeys)
  const mayCreate = isAdmin.value && !isSandbox
  return (
    <Page title="Webhooks" acts={mayCreate && <a href={to('/webhooks/new')}>New webhook</a>}>
      <p>
        A webhook sends what happens here to an address of yours. It informs: work that waits for a
        decision goes on by the outcome callback of its application.
      </p>
      <Shown of={read}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty>
              <p>There is no webhook yet, so nothing outside hears of events.</p>
              {mayCreate ? (
                <a href={to('/webhooks/new')}>Add the first webhook</a>
              ) : (
                <p class="quiet">An admin can add one.</p>
              )}
            </Empty>
          ) : (
            <Rows
              caption="Webhooks"
              columns={columnsOf(summary)}
              rows={webhooks}
              keyOf={({ id }) => id}
            />
          )
        }
      </Shown>
    </Page>
  )
}
