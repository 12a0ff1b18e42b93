import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Form } from '../parts/form.tsx'
import { Page, type PageProps, Shown } from '../parts/page.tsx'
import { to } from '../paths.ts'
import { Definition, definitionOf } from './definition.tsx'

export default function EditWebhookPage({ params }: PageProps) {
  const { webhookId = '' } = params ?? {}
  const { route } = useLocation()
  const writing = useWrite()
  const read = useRead(webhookId, (signal) => api.webhooks.read({ webhookId }, { signal }))
  const send = async (_: unknown, given: FormData) => {
    const saved = await writing.run(() =>
      api.webhooks.update({ webhookId, ...definitionOf(given) }),
    )
    if (saved) route(to(`/webhooks/${webhookId}`), true)
  }
  return (
    <Page title="Change the webhook">
      <Shown of={read}>
        {(webhook) => (
          <Form writing={writing} onSend={send} send="Save">
            <Definition webhook={webhook} error={writing.error.value} />
          </Form>
        )}
      </Shown>
      <p>Another address gets a new challenge. What is under way is sent there from now on.</p>
      <p>
        <a href={to(`/webhooks/${webhookId}`)}>Back to the webhook</a>
      </p>
    </Page>
  )
}
