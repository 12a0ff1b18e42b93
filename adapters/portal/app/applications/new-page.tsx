import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Area, Choice, Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { to } from '../paths.ts'
import { stages } from './words.ts'

export default function NewApplicationPage() {
  const { route } = useLocation()
  const writing = useWrite()
  const error = writing.error.value
  const send = async (entered: Entered) => {
    const stage = stages.find((each) => each === entered('stage'))
    const made = await writing.run(() =>
      api.applications.create({
        name: entered('name').trim(),
        description: entered('description').trim() || null,
        stage,
      }),
    )
    if (made) route(to(`/applications/${made.applicationId}`), true)
  }
  return (
    <Page title="New application">
      <p>
        An application is what asks for decisions, such as one agent or service of yours. It has its
        own keys, and hears its outcomes at its own address.
      </p>
      <Form writing={writing} onSend={send} send="Create">
        <Field label="Name" name="name" required hint="Reviewers see it." error={error} />
        <Area label="What it does (optional)" name="description" rows={3} error={error} />
        <Choice
          label="Stage"
          name="stage"
          options={stages.map((stage) => [stage, stage] as const)}
          hint="It can be promoted later, never moved back."
          error={error}
        />
      </Form>
      <p>
        <a href={to('/applications')}>Back to all applications</a>
      </p>
    </Page>
  )
}
