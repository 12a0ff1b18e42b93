import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { type Entered, Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { EmailField } from '../parts/usual-fields.tsx'
import { to } from '../paths.ts'

export default function Forgotten() {
  const writing = useWrite()
  const asked = useSignal(false)
  const send = async (entered: Entered) => {
    const email = entered('email')
    asked.value = (await writing.run(() => api.auth.requestPasswordReset({ email }))) !== undefined
  }
  return (
    <Page title="Forgot the password?">
      {asked.value ? (
        <p role="status">
          If a member has this address, a mail with a link is on its way. Look into the folder for
          spam too.
        </p>
      ) : (
        <Form writing={writing} onSend={send} send="Send a link">
          <EmailField error={writing.error.value} />
        </Form>
      )}
      <p>
        <a href={to('/login')}>Back to the login</a>
      </p>
    </Page>
  )
}
