import type { AuthenticatorAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'
import { Choice, Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Shown } from '../parts/page.tsx'
import { isAdmin } from '../session.ts'
import { takeToken } from '../token.ts'
import { createCredential } from './browser.ts'
import { AuthenticatorList } from './list.tsx'
import { signChange } from './sign-change.ts'

/** What can be done about one of them. */
type Open =
  | { readonly what: 'add' }
  | { readonly what: 'rename' | 'revoke'; readonly authenticator: AuthenticatorAnswer }

/** The own authenticators: enrolled, renamed and revoked, and what to do when one is lost. */
export function OwnAuthenticators() {
  const own = useRead('authenticators', (signal) => api.authenticators.list({}, { signal }))
  const open = useSignal<Open | null>(null)
  const news = useSignal('')
  const close = () => {
    open.value = null
  }
  const done = (what: string) => {
    close()
    news.value = what
    own.again()
  }
  const at = open.value
  return (
    <section>
      <h2>Authenticators</h2>
      <p>
        A security key or a passkey that signs what you decide, so that nobody else can decide in
        your name: once you have added one, you sign each decision. Another one, for logging in,
        takes the place of the password there.
      </p>
      <p role="status">{news.value}</p>
      <Shown of={own}>
        {({ authenticators }) => {
          const active = authenticators.filter(({ revokedAt }) => revokedAt === null)
          const isLost = active.length === 0 && authenticators.length > 0
          const token = isLost ? takeToken() : null
          return (
            <>
              <AuthenticatorList
                authenticators={authenticators}
                acts={(authenticator) => (
                  <>
                    <button
                      type="button"
                      onClick={() => {
                        open.value = { what: 'rename', authenticator }
                      }}
                    >
                      Rename
                    </button>
                    <button
                      type="button"
                      onClick={() => {
                        open.value = { what: 'revoke', authenticator }
                      }}
                    >
                      Revoke
                    </button>
                  </>
                )}
              />
              {isLost && token === null ? (
                <p>
                  All of yours are revoked. A mail brought you a link, good for an hour, that adds
                  another one; an admin has it sent again.
                </p>
              ) : (
                <button
                  type="button"
                  onClick={() => {
                    open.value = { what: 'add' }
                  }}
                >
                  Add an authenticator
                </button>
              )}
              {at?.what === 'add' && (
                <Adding by={proofOf(active.length, token)} onDone={done} onClose={close} />
              )}
            </>
          )
        }}
      </Shown>
      <details>
        <summary>When one is lost</summary>
        <p>
          Revoke it here with another one of yours, or have an admin revoke it, as an admin another
          one: if it was your last one, a mail brings a link that adds another, once two admins
          allow it. What it signed stays verified. Add a second one now, so that a loss does not
          keep you from deciding.
        </p>
      </details>
      {at?.what === 'rename' && (
        <Renaming authenticator={at.authenticator} onDone={done} onClose={close} />
      )}
      {at?.what === 'revoke' && (
        <Revoking authenticator={at.authenticator} onDone={done} onClose={close} />
      )}
    </section>
  )
}

interface Ends {
  readonly onDone: (what: string) => void
  readonly onClose: () => void
}

/** What an authenticator is for, and then does. */
const uses = {
  signing: { means: 'Signing decisions', does: 'signs your decisions' },
  sign_in: { means: 'Logging in', does: 'logs you in' },
} as const

/** What lets another one be added. */
type Proof = 'password' | 'another' | { readonly token: string }

function proofOf(active: number, token: string | null): Proof {
  if (token !== null) return { token }
  return active === 0 ? 'password' : 'another'
}

async function proofFor(by: Proof, password: string) {
  // The organization's provider may have just logged the member in, who then needs none.
  if (by === 'password') return password === '' ? {} : { password }
  return by === 'another' ? { assertion: await signChange({ change: 'add' }) } : by
}

const passwordOrProvider =
  "Password (none within 5 minutes of logging in by your organization's provider)"

function Adding({ by, onDone, onClose }: Ends & { readonly by: Proof }) {
  const writing = useWrite()
  const isFirst = by === 'password'
  const send = async (entered: Entered) => {
    const [name, password] = [entered('name'), entered('password')]
    const use = entered('use') === 'sign_in' ? 'sign_in' : 'signing'
    const added = await writing.run(async () => {
      const proof = await proofFor(by, password)
      const { options } = await api.authenticators.startRegistration({ use, ...proof })
      const credential = await createCredential(options)
      return api.authenticators.enrol({ name, use, credential })
    })
    if (added) onDone(`${added.name} ${uses[added.use].does} from now on.`)
  }
  return (
    <Dialog title="Add an authenticator" onClose={onClose}>
      {by === 'another' && <p>One that you have signs for it first, then the new one is asked.</p>}
      <Form writing={writing} onSend={send} send="Add it">
        <Field label="Name" name="name" required maxLength={100} error={writing.error.value} />
        <Choice
          label="It is for"
          name="use"
          value="signing"
          options={[
            ['signing', uses.signing.means],
            ['sign_in', uses.sign_in.means],
          ]}
        />
        {isFirst && (
          <Field
            label={passwordOrProvider}
            name="password"
            type="password"
            autoComplete="current-password"
            error={writing.error.value}
          />
        )}
      </Form>
    </Dialog>
  )
}

interface OfOne extends Ends {
  readonly authenticator: AuthenticatorAnswer
}

function Renaming({ authenticator: { authenticatorId, name }, onDone, onClose }: OfOne) {
  const writing = useWrite()
  const send = async (entered: Entered) => {
    const given = { authenticatorId, name: entered('name') }
    if (await writing.run(() => api.authenticators.rename(given))) onDone('It is renamed.')
  }
  return (
    <Dialog title={`Rename ${name}`} onClose={onClose}>
      <Form writing={writing} onSend={send} send="Rename it">
        <Field label="Name" name="name" value={name} required maxLength={100} />
      </Form>
    </Dialog>
  )
}

function Revoking({ authenticator: { authenticatorId, name }, onDone, onClose }: OfOne) {
  const writing = useWrite()
  const revoke = async () => {
    const revoked = await writing.run(async () => {
      const assertion = await signChange({ change: 'remove', subject: authenticatorId })
      return api.authenticators.revoke({ authenticatorId, assertion })
    })
    if (revoked) onDone(`${name} is revoked.`)
  }
  const byPassword = async (entered: Entered) => {
    const given = { authenticatorId, ...(await proofFor('password', entered('password'))) }
    if (await writing.run(() => api.authenticators.revoke(given))) onDone(`${name} is revoked.`)
  }
  return (
    <Dialog title={`Revoke ${name}`} onClose={onClose}>
      <Failure error={writing.error.value} />
      <p>
        It signs nothing any more, and where it logged you in, that ends. One of your authenticators
        signs for it, this one or another.
      </p>
      <Act writing={writing} onPress={revoke} primary>
        Revoke it
      </Act>
      {isAdmin.value && (
        <details>
          <summary>All of yours are lost, and there is no other admin</summary>
          <Form writing={writing} onSend={byPassword} send="Revoke it by the password" clears>
            <Field
              label={passwordOrProvider}
              name="password"
              type="password"
              autoComplete="current-password"
            />
          </Form>
        </details>
      )}
    </Dialog>
  )
}
