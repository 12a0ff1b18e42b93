import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { type Entered, Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { to } from '../paths.ts'
import { takeToken } from '../token.ts'
import { NewPassword } from './new-password.tsx'

export default function Reset() {
  const { route } = useLocation()
  const writing = useWrite()
  const token = takeToken()
  if (token === null)
    return (
      <Page title="This link is not complete">
        <p>
          <a href={to('/forgotten')}>Ask for another.</a>
        </p>
      </Page>
    )
  const send = async (entered: Entered) => {
    const password = entered('password')
    const done = await writing.run(() => api.auth.acceptPasswordReset({ token, password }))
    if (done) route(to('/login'), true)
  }
  return (
    <Page title="Choose a new password">
      <p>All devices that are logged in as you will be logged out.</p>
      <Form writing={writing} onSend={send} send="Save">
        <NewPassword error={writing.error.value} />
      </Form>
    </Page>
  )
}
