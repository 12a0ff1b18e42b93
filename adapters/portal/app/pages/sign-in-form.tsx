import { useWrite } from '../client/use-write.ts'
import { Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { EmailField } from '../parts/usual-fields.tsx'
import { logIn } from '../session.ts'

/** E-mail and password; `onDone` once the API let the member in. */
export function SignInForm({
  email,
  onDone,
}: {
  readonly email?: string
  readonly onDone?: () => void
}) {
  const writing = useWrite()
  const error = writing.error.value
  const send = async (entered: Entered) => {
    const done = await writing.run(async () => {
      await logIn(entered('email'), entered('password'))
      return true
    })
    if (done) onDone?.()
  }
  return (
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
  )
}
