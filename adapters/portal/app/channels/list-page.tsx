import type { NotificationChannelAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useKeys } from '../parts/keys.ts'
import { Empty, Page, Shown } from '../parts/page.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { isSandbox, to } from '../paths.ts'
import { isAdmin } from '../session.ts'
import { rowKeys } from '../webhooks/row-keys.ts'
import { selectionOf } from '../webhooks/words.ts'
import { State } from './state.tsx'
import { hostOf, kindWords } from './words.ts'

const columns: readonly Column<NotificationChannelAnswer>[] = [
  {
    head: 'Channel',
    cell: ({ channelId, kind, webhookUrl }) => (
      <a data-row={channelId} href={to(`/channels/${channelId}`)}>
        {kindWords[kind] ?? kind} at {hostOf(webhookUrl)}
      </a>
    ),
  },
  { head: 'Address', cell: ({ webhookUrl }) => <code>{webhookUrl}</code> },
  { head: 'State', cell: (channel) => <State channel={channel} /> },
  { head: 'Gets', cell: selectionOf },
]

export default function ChannelsPage() {
  const page = usePage()
  const read = useRead(
    `channels ${page}`,
    async (signal) => api.notificationChannels.list({ page }, { signal }),
    { everyMs: 5_000 },
  )
  useKeys(rowKeys)
  const mayCreate = isAdmin.value && !isSandbox
  return (
    <Page title="Chat channels" acts={mayCreate && <a href={to('/channels/new')}>New channel</a>}>
      <p>
        A channel posts what happens here to a chat: ids, states and numbers alone, with a link to
        these pages. Nothing can be decided in a chat.
      </p>
      <Shown of={read}>
        {(list) =>
          list.totalCount === 0 ? (
            <Empty>
              <p>There is no channel yet, so no chat hears of cases.</p>
              {mayCreate ? (
                <a href={to('/channels/new')}>Add the first channel</a>
              ) : (
                <p class="quiet">An admin can add one.</p>
              )}
            </Empty>
          ) : (
            <>
              <Rows
                caption="Chat channels"
                columns={columns}
                rows={list.notificationChannels}
                keyOf={({ channelId }) => channelId}
              />
              <Pager of={list} />
            </>
          )
        }
      </Shown>
    </Page>
  )
}
