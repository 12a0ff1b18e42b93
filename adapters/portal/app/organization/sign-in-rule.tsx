import type { SignInRuleAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Choice } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Shown } from '../parts/page.tsx'
import { Facts } from '../parts/rows.tsx'
import { Section } from '../parts/section.tsx'
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
  const isOpen = useSignal(false)
  const news = useSignal('')
  const read = useRead('sign-in rule', (signal) => api.signInRule.read({}, { signal }))
  const found = read.data.value
  const open = () => {
    news.value = ''
    isOpen.value = true
  }
  const close = () => {
    isOpen.value = false
  }
  return (
    <Section
      id="sign-in-rule"
      title="Passwords and passkeys"
      act={mayChange && found !== null && { label: 'Change how members log in', onPress: open }}
    >
      <p role="status">{news.value}</p>
      <Shown of={read}>
        {({ signIn }) => <Facts facts={[['Members log in', words[signIn]]]} />}
      </Shown>
      {isOpen.value && found && (
        <Dialog title="How members log in" onClose={close}>
          <Setting
            before={found.signIn}
            onDone={() => {
              close()
              news.value = 'Logins follow it from now on.'
              read.again()
            }}
          />
        </Dialog>
      )}
    </Section>
  )
}

function Setting({ before, onDone }: { readonly before: Mode; readonly onDone: () => void }) {
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
