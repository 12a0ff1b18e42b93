import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Choice } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { to } from '../paths.ts'
import { Definition, definitionOf } from './definition.tsx'
import { methods } from './words.ts'

/** A secret that was made with a webhook, until the dialog that shows it is closed. */
interface Made {
  readonly id: string
  readonly secret: string
}

export default function NewWebhookPage() {
  const { route } = useLocation()
  const writing = useWrite()
  const made = useSignal<Made | null>(null)
  const error = writing.error.value
  const send = async (entered: (name: string) => string, given: FormData) => {
    const method = entered('method') === 'shared_secret' ? 'shared_secret' : 'ed25519'
    const webhook = await writing.run(() =>
      api.webhooks.create({ ...definitionOf(given), signing: { method } }),
    )
    if (!webhook) return
    const { secret } = webhook.signing
    if (secret) made.value = { id: webhook.id, secret }
    else route(to(`/webhooks/${webhook.id}`), true)
  }
  return (
    <Page title="New webhook">
      <p>
        It receives as soon as it is made. The service also sends it a challenge, whose answer shows
        that the receiver is yours.
      </p>
      <Form writing={writing} onSend={send} send="Create">
        <Definition error={error} />
        <Choice
          label="Signature"
          name="method"
          options={[
            ['ed25519', methods.ed25519],
            ['shared_secret', methods.shared_secret],
          ]}
          hint="With Ed25519 the receiver needs the public key alone, which is no secret."
          error={error}
        />
      </Form>
      <p>
        <a href={to('/webhooks')}>Back to all webhooks</a>
      </p>
      {made.value && (
        <ShownOnce
          title="The secret of the webhook"
          secret={made.value.secret}
          use="The receiver verifies messages with it."
          onClose={() => {
            const { id } = made.value ?? {}
            made.value = null
            if (id) route(to(`/webhooks/${id}`), true)
          }}
        />
      )}
    </Page>
  )
}
