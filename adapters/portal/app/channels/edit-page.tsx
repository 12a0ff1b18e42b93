import type { NotificationChannelAnswer } from '@countersign/client'
import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Page, type PageProps, Shown } from '../parts/page.tsx'
import { to } from '../paths.ts'
import { chosenEvents, EventChoice } from '../webhooks/event-choice.tsx'

export default function EditChannelPage({ params }: PageProps) {
  const { channelId = '' } = params ?? {}
  const read = useRead(channelId, (signal) =>
    api.notificationChannels.read({ channelId }, { signal }),
  )
  return (
    <Page title="Change the chat channel">
      <Shown of={read}>{(channel) => <Definition channel={channel} />}</Shown>
      <p>
        <a href={to(`/channels/${channelId}`)}>Back to the channel</a>
      </p>
    </Page>
  )
}

function Definition({
  channel: { channelId, webhookUrl, eventTypes, state },
}: {
  readonly channel: NotificationChannelAnswer
}) {
  const { route } = useLocation()
  const writing = useWrite()
  const error = writing.error.value
  const isGone = state === 'turned_off'
  const send = async (entered: Entered, given: FormData) => {
    const url = entered('webhookUrl').trim()
    const saved = await writing.run(() =>
      api.notificationChannels.update({
        channelId,
        ...(url !== '' && { webhookUrl: url }),
        eventTypes: chosenEvents(given),
      }),
    )
    if (saved) route(to(`/channels/${channelId}`), true)
  }
  return (
    <Form writing={writing} onSend={send} send="Save">
      <Field
        label={isGone ? 'New address' : 'New address (optional)'}
        name="webhookUrl"
        type="url"
        required={isGone}
        autoComplete="off"
        placeholder={webhookUrl}
        hint={
          isGone
            ? 'The address of before said that it is gone. A saved one turns the channel on again.'
            : 'Left empty, the address of now stays. It is not shown whole, since who has it can post there.'
        }
        error={error}
      />
      <EventChoice selected={eventTypes} error={error} />
    </Form>
  )
}
