import type { NotificationChannelAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { AskingButton } from '../parts/asking-button.tsx'
import { Failure } from '../parts/failure.tsx'
import { to } from '../paths.ts'
import { testWords } from './words.ts'

/** What an admin can do with a channel. */
export function Acts({
  channel: { channelId, enabled, state },
  again,
}: {
  readonly channel: NotificationChannelAnswer
  /** Reads the channel again. */
  readonly again: () => void
}) {
  const { route } = useLocation()
  const writing = useWrite()
  const said = useSignal('')

  /** Runs a write, and tells how it ended. */
  async function act<T>(write: () => Promise<T>, words: (answer: T) => string): Promise<void> {
    said.value = ''
    const answer = await writing.run(write)
    if (answer !== undefined) said.value = words(answer)
    again()
  }
  const test = () => act(() => api.notificationChannels.test({ channelId }), testWords)
  const turn = (on: boolean) =>
    act(
      () => api.notificationChannels.update({ channelId, enabled: on }),
      () => (on ? 'It gets messages again.' : 'It is off.'),
    )
  return (
    <>
      <div class="acts">
        {enabled && state === 'active' && (
          <Act writing={writing} onPress={test}>
            Send a test
          </Act>
        )}
        <Act writing={writing} onPress={() => turn(!enabled)}>
          {enabled ? 'Turn off' : 'Turn on'}
        </Act>
        <a href={to(`/channels/${channelId}/edit`)}>Change</a>
        <AskingButton
          title="Remove the channel?"
          act="Remove"
          run={() => api.notificationChannels.remove({ channelId })}
          then={() => route(to('/channels'), true)}
          means={<p>What it is still owed is not sent. It can not be brought back.</p>}
        >
          Remove
        </AskingButton>
      </div>
      <Failure error={writing.error.value} />
      <p role="status">{said.value}</p>
    </>
  )
}
