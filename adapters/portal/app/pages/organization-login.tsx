import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { type Entered, Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { EmailField } from '../parts/usual-fields.tsx'
import { to } from '../paths.ts'
import { keepDestination } from '../provider-login.ts'

/** Leads to the login of the organization that has the address's domain. */
export default function OrganizationLogin() {
  const { query } = useLocation()
  const writing = useWrite()
  const send = async (entered: Entered) => {
    const begun = await writing.run(() => api.auth.startProvider({ email: entered('email') }))
    if (!begun) return
    keepDestination(query.to)
    location.assign(begun.url)
  }
  return (
    <Page title="Log in by your organization">
      <Form writing={writing} onSend={send} send="Go on">
        <EmailField error={writing.error.value} />
      </Form>
      <p>
        <a href={to('/login')}>Use a password or a passkey</a>
      </p>
    </Page>
  )
}
