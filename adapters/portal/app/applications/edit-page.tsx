import type { ApplicationAnswer } from '@countersign/client'
import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Area, Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Page, type PageProps, Shown } from '../parts/page.tsx'
import { to } from '../paths.ts'

export default function EditApplicationPage({ params }: PageProps) {
  const { applicationId = '' } = params ?? {}
  const read = useRead(applicationId, (signal) =>
    api.applications.read({ applicationId }, { signal }),
  )
  return (
    <Page title="Change the application">
      <Shown of={read}>
        {(application) =>
          application.lifecycleState === 'active' ? (
            <Definition application={application} />
          ) : (
            <p>An application that is to be removed can not be changed.</p>
          )
        }
      </Shown>
      <p>
        <a href={to(`/applications/${applicationId}`)}>Back to the application</a>
      </p>
    </Page>
  )
}

function Definition({
  application: { applicationId, name, description, version, settings },
}: {
  readonly application: ApplicationAnswer
}) {
  const { route } = useLocation()
  const writing = useWrite()
  const error = writing.error.value
  const send = async (entered: Entered) => {
    const saved = await writing.run(() =>
      api.applications.update({
        applicationId,
        version,
        name: entered('name').trim(),
        description: entered('description').trim() || null,
        settings: {
          governanceThreshold: scoreOf(entered('settings/governanceThreshold')),
          qualityThreshold: scoreOf(entered('settings/qualityThreshold')),
        },
      }),
    )
    if (saved) route(to(`/applications/${applicationId}`), true)
  }
  return (
    <Form writing={writing} onSend={send} send="Save">
      <Field label="Name" name="name" required value={name} error={error} />
      <Area
        label="What it does (optional)"
        name="description"
        rows={3}
        value={description ?? ''}
        error={error}
      />
      <Score
        label="Least governance score (optional)"
        name="settings/governanceThreshold"
        value={settings?.governanceThreshold}
        hint="From 0 to 100. A score that falls below it makes an event."
        error={error}
      />
      <Score
        label="Least quality of a session (optional)"
        name="settings/qualityThreshold"
        value={settings?.qualityThreshold}
        hint="From 0 to 100. A session that scores below it is flagged."
        error={error}
      />
    </Form>
  )
}

function Score({
  label,
  name,
  value,
  hint,
  error,
}: {
  readonly label: string
  readonly name: string
  readonly hint: string
  readonly value: number | null | undefined
  readonly error: unknown
}) {
  return (
    <Field
      label={label}
      name={name}
      type="number"
      min={0}
      max={100}
      step="any"
      value={value ?? ''}
      hint={hint}
      error={error}
    />
  )
}

function scoreOf(entered: string): number | null {
  return entered.trim() === '' ? null : Number(entered)
}
