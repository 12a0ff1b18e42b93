import { useSignal } from '@preact/signals'
import { OwnAuthenticators } from '../authenticators/own-authenticators.tsx'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { permissionWords, roleWords } from '../members/words.ts'
import { MailChoice } from '../notices/mail-choice.tsx'
import { NoticeChoice } from '../notices/notice-choice.tsx'
import { Act } from '../parts/act.tsx'
import { Failure } from '../parts/failure.tsx'
import { Choice, Field, Tick } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { isSandbox } from '../paths.ts'
import { prefer, preferences } from '../preferences.ts'
import { findSession, logOut, may, session } from '../session.ts'
import { NewPassword } from './new-password.tsx'

export default function Me() {
  return (
    <Page title="You">
      <Identity />
      <Looks />
      {!isSandbox && may('Review Cases') && <MailChoice />}
      {!isSandbox && <PasswordChange />}
      {!isSandbox && <OwnAuthenticators />}
      <Devices />
    </Page>
  )
}

function Identity() {
  const member = session.value?.member
  if (!member) return null
  return (
    <section>
      <p>
        {member.name}, {member.email}
      </p>
      <p>{roleWords[member.role].means}</p>
      {member.permissions.length > 0 && (
        <ul>
          {member.permissions.map((permission) => (
            <li key={permission}>{permissionWords[permission]}</li>
          ))}
        </ul>
      )}
      <p class="quiet">An admin of the organization can change what you may do.</p>
    </section>
  )
}

const themes = [
  ['system', 'As the device has it'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

function Looks() {
  const { theme, timeZone, singleKeys } = preferences.value
  const zones = Intl.supportedValuesOf('timeZone')
  return (
    <section>
      <h2>How the pages look and answer</h2>
      <p class="quiet">Kept in this browser alone, at once.</p>
      <div class="narrow">
        <Choice
          label="Colours"
          name="theme"
          value={theme}
          options={themes}
          onChange={({ currentTarget: { value } }) => {
            prefer({ theme: themes.find(([one]) => one === value)?.[0] ?? 'system' })
          }}
        />
        <Choice
          label="Time zone"
          name="timeZone"
          value={timeZone}
          options={[
            ['', 'That of the device'],
            ...[...new Set(['UTC', ...zones])].map((zone) => [zone, zone] as const),
          ]}
          hint={
            <>
              Now it is <Time at={new Date().toISOString()} /> there.
            </>
          }
          onChange={({ currentTarget: { value } }) => prefer({ timeZone: value })}
        />
        <Tick
          label="Single keys act"
          name="singleKeys"
          ticked={singleKeys}
          hint="Such as j for the next row. Turn them off if you dictate, or if keys are hit by accident."
          onTick={(ticked) => prefer({ singleKeys: ticked })}
        />
        <NoticeChoice />
      </div>
    </section>
  )
}

function PasswordChange() {
  const writing = useWrite()
  const done = useSignal(0)
  const error = writing.error.value
  const send = async (entered: Entered) => {
    const [current, next] = [entered('current'), entered('next')]
    const changed = await writing.run(async () => {
      await api.auth.changePassword({ current, next })
      await findSession()
      return true
    })
    if (changed) done.value++
  }
  return (
    <section>
      <h2>Change the password</h2>
      <p>Everywhere else you are logged out by it.</p>
      {done.value > 0 && (
        <p role="status">The password is changed. Other devices have to log in again.</p>
      )}
      {/* Drawn anew once it is changed, so that no password stays in the page. */}
      <Form key={done.value} writing={writing} onSend={send} send="Change the password">
        <Field
          label="Present password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          error={error}
        />
        <NewPassword name="next" error={error} />
      </Form>
    </section>
  )
}

function Devices() {
  const writing = useWrite()
  const expiresAt = session.value?.expiresAt
  const leave = () => writing.run(() => logOut(true))
  return (
    <section>
      <h2>Where you are logged in</h2>
      {expiresAt != null && (
        <p>
          Here until <Time at={expiresAt} />, unless you log out before.
        </p>
      )}
      <Failure error={writing.error.value} />
      <Act writing={writing} onPress={leave}>
        Log out everywhere
      </Act>
    </section>
  )
}
