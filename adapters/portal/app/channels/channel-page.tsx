import type { NotificationChannelAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { type Reading, useRead } from '../client/use-read.ts'
import { Page, type PageProps, Shown } from '../parts/page.tsx'
import { Facts } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { isSandbox, to } from '../paths.ts'
import { isAdmin } from '../session.ts'
import { selectionOf } from '../webhooks/words.ts'
import { Acts } from './acts.tsx'
import { State } from './state.tsx'
import { hostOf, kindWords } from './words.ts'

export default function ChannelPage({ params }: PageProps) {
  const { channelId = '' } = params ?? {}
  const read = useRead(
    channelId,
    (signal) => api.notificationChannels.read({ channelId }, { signal }),
    { everyMs: 5_000 },
  )
  const channel = read.data.value
  const kind = channel && (kindWords[channel.kind] ?? channel.kind)
  return (
    <Page title={channel ? `${kind} at ${hostOf(channel.webhookUrl)}` : 'Chat channel'}>
      <Shown of={read}>{(channel) => <Channel channel={channel} read={read} />}</Shown>
      <p>
        <a href={to('/channels')}>All channels</a>
      </p>
    </Page>
  )
}

function Channel({
  channel,
  read,
}: {
  readonly channel: NotificationChannelAnswer
  readonly read: Reading<NotificationChannelAnswer>
}) {
  const { channelId, webhookUrl, state, lastError, createdAt, updatedAt } = channel
  return (
    <>
      {state === 'turned_off' && (
        <div class="notice">
          <p>
            Its address answered 410 Gone, so nothing is sent there any more. Saving an address
            turns it on again.
          </p>
        </div>
      )}
      {isAdmin.value && !isSandbox && <Acts channel={channel} again={read.again} />}
      <Facts
        facts={[
          ['Address', <code key="url">{webhookUrl}</code>],
          ['Id', <code key="id">{channelId}</code>],
          ['State', <State key="state" channel={channel} />],
          ['Last message', lastError === null ? 'no failure' : <bdi>{lastError}</bdi>],
          ['Gets', selectionOf(channel)],
          ['Since', <Time key="since" at={createdAt} />],
          ['Changed', <Time key="changed" at={updatedAt} />],
        ]}
      />
    </>
  )
}
