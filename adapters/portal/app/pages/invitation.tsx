import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { permissionsOfRole, permissionWords, roleWords } from '../members/words.ts'
import { Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Page, Shown } from '../parts/page.tsx'
import { Facts } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
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
      <Offer token={token} />
      <p>Choose how others see you, and a password. Then log in with the address above.</p>
      <Form writing={writing} onSend={send} send="Join">
        <Field label="Your name" name="name" autoComplete="name" required error={error} />
        <NewPassword error={error} />
      </Form>
    </Page>
  )
}

/** Who invites to what, before anything is entered. */
function Offer({ token }: { readonly token: string }) {
  const read = useRead('invitation', (signal) => api.auth.readInvitation({ token }, { signal }))
  return (
    <Shown of={read}>
      {({ organizationName, inviterName, email, role, permissions, expiresAt }) => (
        <>
          <p>
            <bdi>{inviterName ?? 'An admin'}</bdi> invites you to join <bdi>{organizationName}</bdi>{' '}
            on Countersign, where people approve or refuse what AI systems are about to do.
          </p>
          <Facts
            facts={[
              ['Organization', <bdi key="name">{organizationName}</bdi>],
              ['Your address', email],
              ['Your role', roleWords[role]?.means ?? role],
              [
                'You may',
                <ul key="may" class="plain">
                  {[...new Set([...(permissionsOfRole[role] ?? []), ...permissions])].map((one) => (
                    <li key={one}>{permissionWords[one] ?? one}</li>
                  ))}
                </ul>,
              ],
              ['Open until', <Time key="until" at={expiresAt} />],
            ]}
          />
        </>
      )}
    </Shown>
  )
}
