import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { to } from '../paths.ts'
import { takeToken } from '../token.ts'
import { NewPassword } from './new-password.tsx'

export default function Invitation() {
  const { route } = useLocation()
  const writing = useWrite()
  const error = writing.error.value
  const token = takeToken()
  if (token === null)
    return (
      <Page title="This link is not complete">
        <p>Open the link of the mail again; if a program cut it short, copy the whole of it.</p>
      </Page>
    )
  const send = async (entered: Entered) => {
    const [name, password] = [entered('name'), entered('password')]
    const done = await writing.run(() => api.auth.acceptInvitation({ token, name, password }))
    if (done) route(to('/login'), true)
  }
  return (
    <Page title="You are invited">
      <p>
        Choose how others see you, and a password. Then log in with the address that the invitation
        came to.
      </p>
      <Form writing={writing} onSend={send} send="Join">
        <Field label="Your name" name="name" autoComplete="name" required error={error} />
        <NewPassword error={error} />
      </Form>
    </Page>
  )
}
