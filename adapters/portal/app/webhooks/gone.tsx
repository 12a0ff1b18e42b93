import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'

/** What a webhook needs whose address answered 410: another one, after which it is turned on. */
export function Gone({ id, again }: { readonly id: string; readonly again: () => void }) {
  const writing = useWrite()
  const send = async (entered: Entered) => {
    const url = entered('url').trim()
    await writing.run(async () => {
      await api.webhooks.update({ webhookId: id, url })
      await api.webhooks.turnOn({ webhookId: id })
    })
    again()
  }
  return (
    <Form writing={writing} onSend={send} send="Save the address and turn on">
      <Field
        label="New address"
        name="url"
        type="url"
        required
        placeholder="https://"
        hint="One that answered 410 is not taken again."
        error={writing.error.value}
      />
    </Form>
  )
}
