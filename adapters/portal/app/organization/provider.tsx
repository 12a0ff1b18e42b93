import type { SignInProviderAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useMemberNames } from '../client/names.ts'
import { useAdmins } from '../client/use-admins.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Area, Choice, Field, Tick } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Empty, Shown } from '../parts/page.tsx'
import { Facts } from '../parts/rows.tsx'
import { Section } from '../parts/section.tsx'
import { session } from '../session.ts'
import { OwnPassword } from './own-password.tsx'

type Open = 'set' | 'remove'

/** The OpenID provider by which members sign in, which admins set. */
export function Provider({ mayChange }: { readonly mayChange: boolean }) {
  const open = useSignal<Open | null>(null)
  const news = useSignal('')
  const read = useRead('sign-in provider', (signal) => api.signInProvider.read({}, { signal }))
  const close = () => {
    open.value = null
  }
  const done = (what: string) => {
    close()
    news.value = what
    read.again()
  }
  const found = read.data.value
  const begin = (what: Open) => () => {
    news.value = ''
    open.value = what
  }
  return (
    <Section
      id="provider"
      title="Login by your own provider"
      act={mayChange && found !== null && { label: 'Set the provider', onPress: begin('set') }}
    >
      <p role="status">{news.value}</p>
      <Shown of={read}>
        {({ provider }) =>
          provider === null ? (
            <Empty>
              <p>There is none: members log in as it is set below.</p>
            </Empty>
          ) : (
            <>
              <ProviderFacts provider={provider} />
              {mayChange && (
                <button type="button" onClick={begin('remove')}>
                  Remove the provider
                </button>
              )}
            </>
          )
        }
      </Shown>
      {open.value === 'set' && found && (
        <Dialog title="The OpenID provider" onClose={close}>
          <Setting before={found.provider} onDone={() => done('It is saved.')} />
        </Dialog>
      )}
      {open.value === 'remove' && (
        <Dialog title="Remove the provider?" onClose={close}>
          <Removal onDone={() => done('It is removed.')} />
        </Dialog>
      )}
    </Section>
  )
}

function ProviderFacts({ provider }: { readonly provider: SignInProviderAnswer }) {
  const { issuer, clientId, emailDomains, provision, required, breakGlassMemberId } = provider
  const names = useMemberNames()
  const left = names.get(breakGlassMemberId ?? '') ?? breakGlassMemberId
  return (
    <Facts
      facts={[
        ['Issuer', <code key="issuer">{issuer}</code>],
        ['Client', <code key="client">{clientId}</code>],
        ['Domains of e-mail addresses', emailDomains.join(', ')],
        ['Whom it does not know', provision === null ? 'is refused' : 'becomes an auditor'],
        ['Passwords and passkeys', required ? `closed, but for ${left}` : 'open as well'],
      ]}
    />
  )
}

function Setting({
  before,
  onDone,
}: {
  readonly before: SignInProviderAnswer | null
  readonly onDone: () => void
}) {
  const writing = useWrite()
  const error = writing.error.value
  const { tenantId = '' } = session.value ?? {}
  const isRequired = useSignal(before?.required ?? false)
  const send = async (entered: Entered) => {
    const secret = entered('clientSecret')
    const permissions = before?.provision?.permissions ?? []
    const asked = {
      issuer: entered('issuer').trim(),
      clientId: entered('clientId').trim(),
      ...(secret !== '' && { clientSecret: secret }),
      emailDomains: entered('emailDomains')
        .split(/[\s,]+/)
        .filter((domain) => domain !== ''),
      provision: entered('provision') === 'auditor' ? { permissions } : null,
      required: entered('required') === 'on',
      breakGlassMemberId: entered('breakGlassMemberId') || null,
      password: entered('password'),
    }
    if (await writing.run(() => api.signInProvider.set(asked))) onDone()
  }
  return (
    <Form writing={writing} onSend={send} send="Save">
      <Field
        label="Issuer"
        name="issuer"
        type="url"
        required
        placeholder="https://"
        value={before?.issuer}
        error={error}
      />
      <Field
        label="Client id"
        name="clientId"
        required
        value={before?.clientId}
        hint={
          <>
            The provider sends browsers back to{' '}
            <code>{before?.redirectUri ?? `${location.origin}/login/provider`}</code>
          </>
        }
        error={error}
      />
      <Field
        label={before ? 'Client secret (empty: as before)' : 'Client secret'}
        name="clientSecret"
        type="password"
        autoComplete="off"
        required={before === null}
        error={error}
      />
      <Area
        label="Domains of e-mail addresses"
        name="emailDomains"
        rows={3}
        required
        value={before?.emailDomains.join('\n')}
        hint={
          <>
            One a line. Each needs the TXT record <code>countersign={tenantId}</code>
          </>
        }
        error={error}
      />
      <Choice
        label="Whom it does not know"
        name="provision"
        value={before?.provision ? 'auditor' : 'nobody'}
        options={[
          ['nobody', 'is refused'],
          ['auditor', 'becomes an auditor'],
        ]}
        error={error}
      />
      <Tick
        label="Close passwords and passkeys for all but one admin"
        name="required"
        ticked={isRequired.value}
        onTick={(ticked) => {
          isRequired.value = ticked
        }}
        error={error}
      />
      {isRequired.value && (
        <LeftAdmin
          memberId={before?.breakGlassMemberId ?? session.value?.member.memberId ?? ''}
          error={error}
        />
      )}
      <OwnPassword error={error} />
    </Form>
  )
}

/** The admin who still logs in otherwise, for the day on which the provider does not answer. */
function LeftAdmin({ memberId, error }: { readonly memberId: string; readonly error: unknown }) {
  return (
    <Shown of={useAdmins()}>
      {(admins) => (
        <Choice
          label="The admin who keeps password and passkey"
          name="breakGlassMemberId"
          value={memberId}
          options={admins}
          hint="They need an authenticator. All others, you too, log in by the provider from then on."
          error={error}
        />
      )}
    </Shown>
  )
}

function Removal({ onDone }: { readonly onDone: () => void }) {
  const writing = useWrite()
  const send = async (entered: Entered) => {
    const password = entered('password')
    if (await writing.run(() => api.signInProvider.remove({ password }))) onDone()
  }
  return (
    <>
      <p>
        Members then log in as it is set for passwords and passkeys. Who has neither has a password
        reset.
      </p>
      <Form writing={writing} onSend={send} send="Remove it">
        <OwnPassword error={writing.error.value} />
      </Form>
    </>
  )
}
