import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { loadScript } from '../client/load.ts'
import { useWrite } from '../client/use-write.ts'
import { Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'

type Headers = Readonly<Record<string, string>>

/** Verifies what a try sent, in this browser: by the public key, or by a secret that stays here. */
export function Verify({
  webhookId,
  family,
  headers,
  body,
}: {
  readonly webhookId: string
  readonly family: 'standard' | 'legacy'
  readonly headers: Headers
  readonly body: string
}) {
  const writing = useWrite()
  const verdict = useSignal<{ readonly ok: boolean; readonly words: string } | null>(null)
  const send = async (entered: Entered) => {
    verdict.value = null
    const given = entered('key').trim()
    const found = await writing.run(async () => {
      const key = given || (await publicKeyOf(webhookId))
      const { verdictOn } = await loadScript(() => import('./verdict.ts'))
      return verdictOn({ family, headers, body, key })
    })
    verdict.value = found ?? null
  }
  return (
    <section aria-labelledby="verify">
      <h2 id="verify">Verify</h2>
      <p>
        This browser checks the signature of this try; what you enter is sent nowhere and not kept.
      </p>
      <Form writing={writing} onSend={send} send="Verify" clears>
        <Field
          label={family === 'legacy' ? 'The secret' : 'The secret, or another public key'}
          name="key"
          type="password"
          autoComplete="off"
          required={family === 'legacy'}
          hint={
            family === 'legacy'
              ? 'Events of this family are signed with the webhook’s secret.'
              : 'Empty: the public key of the webhook.'
          }
        />
        <p role="status" class={verdict.value?.ok ? 'good' : 'bad'}>
          {verdict.value?.words}
        </p>
      </Form>
    </section>
  )
}

async function publicKeyOf(webhookId: string): Promise<string> {
  const { signing } = await api.webhooks.read({ webhookId })
  return signing.publicKey ?? ''
}
