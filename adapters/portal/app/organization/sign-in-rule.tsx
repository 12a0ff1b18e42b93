import type { SignInRuleAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Choice } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Facts } from '../parts/rows.tsx'
import { Setting } from '../parts/setting.tsx'
import { OwnPassword } from './own-password.tsx'

type Mode = SignInRuleAnswer['signIn']

const words: Readonly<Record<Mode, string>> = {
  password: 'by password',
  password_and_passkey: 'by password or passkey',
  passkey: 'by passkey, who has one',
}
const modes = Object.keys(words) as readonly Mode[]

/** Whether members log in by password, passkey or both, which admins set. */
export function SignInRule({ mayChange }: { readonly mayChange: boolean }) {
  const read = useRead('sign-in rule', (signal) => api.signInRule.read({}, { signal }))
  return (
    <Setting
      id="sign-in-rule"
      title="Passwords and passkeys"
      asks="How members log in"
      change="Change how members log in"
      mayChange={mayChange}
      read={read}
      saved="Logins follow it from now on."
      form={({ signIn }, onDone) => <Rule before={signIn} onDone={onDone} />}
    >
      {({ signIn }) => <Facts facts={[['Members log in', words[signIn]]]} />}
    </Setting>
  )
}

function Rule({ before, onDone }: { readonly before: Mode; readonly onDone: () => void }) {
  const writing = useWrite()
  const error = writing.error.value
  const send = async (entered: Entered) => {
    const signIn = modes.find((mode) => mode === entered('signIn')) ?? before
    const given = { signIn, password: entered('password') }
    if (await writing.run(() => api.signInRule.set(given))) onDone()
  }
  return (
    <Form writing={writing} onSend={send} send="Save">
      <Choice
        label="Members log in"
        name="signIn"
        value={before}
        options={modes.map((mode) => [mode, words[mode]] as const)}
        hint="Sessions that were opened otherwise end. By passkey: who has none logs in by password until they add one."
        error={error}
      />
      <OwnPassword error={error} />
    </Form>
  )
}
