import { api } from '../client/api.ts'
import { loadScript } from '../client/load.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { EmailField } from '../parts/usual-fields.tsx'
import { logIn } from '../session.ts'

/** E-mail and password, or a passkey; `onDone` once the API let the member in. */
export function SignInForm({
  email,
  onDone,
}: {
  readonly email?: string
  readonly onDone?: () => void
}) {
  const writing = useWrite()
  const error = writing.error.value
  const enter = async (how: () => Promise<unknown>) => {
    const done = await writing.run(async () => {
      await logIn(how)
      return true
    })
    if (done) onDone?.()
  }
  const send = (entered: Entered) =>
    enter(() => api.auth.login({ email: entered('email'), password: entered('password') }))
  const byPasskey = () =>
    enter(async () => {
      const { signInByPasskey } = await loadScript(() => import('../authenticators/sign-in.ts'))
      await signInByPasskey()
    })
  return (
    <>
      <Form writing={writing} onSend={send} send="Log in">
        <EmailField error={error} {...(email !== undefined && { value: email })} />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={error}
        />
      </Form>
      <p>
        <Act writing={writing} onPress={byPasskey}>
          Use a passkey
        </Act>
      </p>
    </>
  )
}
