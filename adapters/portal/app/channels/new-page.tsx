import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Choice, Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { to } from '../paths.ts'
import { chosenEvents, EventChoice } from '../webhooks/event-choice.tsx'
import { kindWords } from './words.ts'

export default function NewChannelPage() {
  const { route } = useLocation()
  const writing = useWrite()
  const error = writing.error.value
  const send = async (entered: Entered, given: FormData) => {
    const channel = await writing.run(() =>
      api.notificationChannels.create({
        kind: entered('kind') === 'teams' ? 'teams' : 'slack',
        webhookUrl: entered('webhookUrl').trim(),
        eventTypes: chosenEvents(given),
      }),
    )
    if (channel) route(to(`/channels/${channel.channelId}`), true)
  }
  return (
    <Page title="New chat channel">
      <Form writing={writing} onSend={send} send="Create">
        <Choice
          label="Chat"
          name="kind"
          options={[
            ['slack', kindWords.slack],
            ['teams', kindWords.teams],
          ]}
          error={error}
        />
        <Field
          label="Address"
          name="webhookUrl"
          type="url"
          required
          autoComplete="off"
          placeholder="https://"
          hint="The incoming webhook of Slack, or the Workflow of Teams “When a Teams webhook request is received”. Who has it can post there: it is stored sealed and not shown again."
          error={error}
        />
        <EventChoice error={error} />
      </Form>
      <p>
        <a href={to('/channels')}>Back to all channels</a>
      </p>
    </Page>
  )
}
