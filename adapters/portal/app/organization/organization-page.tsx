import type { EntitlementsAnswer, ProfileAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Choice, Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Page, Shown } from '../parts/page.tsx'
import { Facts } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { isSandbox } from '../paths.ts'
import { isAdmin } from '../session.ts'
import { Provider } from './provider.tsx'
import { SignInRule } from './sign-in-rule.tsx'
import { SigningModels } from './signing-models.tsx'

/** What the organization is called and how it is reached, and what its plan includes. */
export default function OrganizationPage() {
  const profile = useRead('', (signal) => api.profile.read({}, { signal }))
  const plan = useRead('', (signal) => api.entitlements.read({}, { signal }))
  const mayChange = isAdmin.value && !isSandbox
  return (
    <Page title="Organization">
      <section aria-labelledby="profile">
        <h2 id="profile">Profile</h2>
        <Shown of={profile}>
          {(found) =>
            mayChange ? <ProfileForm profile={found} /> : <ProfileFacts profile={found} />
          }
        </Shown>
      </section>
      <Provider mayChange={mayChange} />
      <SignInRule mayChange={mayChange} />
      <SigningModels mayChange={mayChange} />
      <section aria-labelledby="plan">
        <h2 id="plan">Plan</h2>
        <Shown of={plan}>{(found) => <Plan plan={found} />}</Shown>
      </section>
    </Page>
  )
}

function ProfileFacts({ profile }: { readonly profile: ProfileAnswer }) {
  const { organizationName, contactEmail, country, timezone } = profile
  return (
    <Facts
      facts={[
        ['Name', <bdi key="name">{organizationName}</bdi>],
        ['Contact', contactEmail],
        ['Country', country ?? 'not given'],
        ['Time zone', timezone ?? 'not given'],
      ]}
    />
  )
}

function ProfileForm({ profile }: { readonly profile: ProfileAnswer }) {
  const writing = useWrite()
  const saved = useSignal(false)
  const error = writing.error.value
  const send = async (entered: Entered) => {
    saved.value = false
    const asked = {
      organizationName: entered('organizationName'),
      contactEmail: entered('contactEmail'),
      country: entered('country') || null,
      timezone: entered('timezone') || null,
    }
    saved.value = (await writing.run(() => api.profile.update(asked))) !== undefined
  }
  const zones = Intl.supportedValuesOf('timeZone')
  return (
    <Form writing={writing} onSend={send} send="Save">
      {saved.value && <p role="status">Saved.</p>}
      <Field
        label="Name"
        name="organizationName"
        required
        value={profile.organizationName}
        hint="It stands in evidence, certificates and invitations from then on."
        error={error}
      />
      <Field
        label="Contact address"
        name="contactEmail"
        type="email"
        required
        value={profile.contactEmail}
        hint="Hears of alerts, of webhooks that were turned off, and of deletions."
        error={error}
      />
      <Field
        label="Country (optional)"
        name="country"
        maxLength={2}
        value={profile.country ?? ''}
        hint="Two letters, such as DE."
        error={error}
      />
      <Choice
        label="Time zone (optional)"
        name="timezone"
        value={profile.timezone ?? ''}
        options={[
          ['', 'not given'],
          ...[...new Set([...(profile.timezone ? [profile.timezone] : []), 'UTC', ...zones])].map(
            (zone) => [zone, zone] as const,
          ),
        ]}
        error={error}
      />
    </Form>
  )
}

const featureWords: Readonly<Record<keyof EntitlementsAnswer['features'], string>> = {
  sessionEvidence: 'Evidence of sessions',
  subjectPack: 'Packages about data subjects',
  reviewCases: 'Review cases',
  webhooks: 'Webhooks',
  alertRules: 'Alert rules',
  bulkExport: 'Packages of sessions',
  auditorPack: 'Packages for auditors',
  blockchainCertificate: 'Certificates of seals',
  notificationChannels: 'Notifications in chats',
  customRetention: 'A retention of one’s own',
}

function Plan({ plan }: { readonly plan: EntitlementsAnswer }) {
  const { sessionsPerMonth, sessionsUsed, features, notes } = plan
  const names = Object.keys(featureWords) as readonly (keyof typeof featureWords)[]
  return (
    <>
      <Facts
        facts={[
          ['Plan', plan.plan],
          ['Content is kept', `${plan.retentionDays} days`],
          [
            'Sessions',
            <>
              {sessionsUsed} of {sessionsPerMonth ?? 'any number'} from{' '}
              <Time at={plan.periodStart} /> to <Time at={plan.periodEnd} />{' '}
              {sessionsPerMonth !== null && (
                <meter
                  aria-label="Sessions used"
                  min={0}
                  max={sessionsPerMonth}
                  high={sessionsPerMonth * 0.9}
                  value={Math.min(sessionsUsed, sessionsPerMonth)}
                />
              )}
            </>,
          ],
          ['Includes', listOf(names.filter((name) => features[name]))],
          ['Does not include', listOf(names.filter((name) => !features[name]))],
        ]}
      />
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </>
  )
}

const listOf = (names: readonly (keyof typeof featureWords)[]) =>
  names.length === 0 ? 'nothing else' : names.map((name) => featureWords[name]).join(', ')
