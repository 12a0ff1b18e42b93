import { ApiError } from '@countersign/client'
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
  const token = takeToken()
  if (token === null)
    return (
      <Page title="This link is not complete">
        <p>Open the link of the mail again; if a program cut it short, copy the whole of it.</p>
      </Page>
    )
  return <Invited token={token} />
}

function Invited({ token }: { readonly token: string }) {
  const read = useRead('invitation', (signal) => api.auth.readInvitation({ token }, { signal }))
  const error = read.error.value
  const isInvalid =
    error instanceof ApiError && (error.code === 'invitation_expired' || error.code === 'not_found')
  return (
    <Page title={isInvalid ? 'This invitation is not valid' : 'You are invited'}>
      <Shown of={read}>{(offer) => <Offer offer={offer} />}</Shown>
      {!isInvalid && <Join token={token} />}
    </Page>
  )
}

function Join({ token }: { readonly token: string }) {
  const { route } = useLocation()
  const writing = useWrite()
  const error = writing.error.value
  const send = async (entered: Entered) => {
    const [name, password] = [entered('name'), entered('password')]
    const done = await writing.run(() => api.auth.acceptInvitation({ token, name, password }))
    if (done) route(to('/login'), true)
  }
  return (
    <>
      <p>Choose how others see you, and a password. Then log in with the address above.</p>
      <Form writing={writing} onSend={send} send="Join">
        <Field label="Your name" name="name" autoComplete="name" required error={error} />
        <NewPassword error={error} />
      </Form>
    </>
  )
}

type OfferAnswer = Awaited<ReturnType<typeof api.auth.readInvitation>>

/** Who invites to what, before anything is entered. */
function Offer({ offer }: { readonly offer: OfferAnswer }) {
  const { organizationName, inviterName, email, role, permissions, expiresAt } = offer
  return (
    <>
      <p>
        <bdi>{inviterName ?? 'An admin'}</bdi> invites you to join <bdi>{organizationName}</bdi> on
        Countersign, where people approve or refuse what AI systems are about to do.
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
  )
}
