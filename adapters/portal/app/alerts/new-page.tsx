import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { type Entered, Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { to } from '../paths.ts'
import { Definition, enteredRule } from './definition.tsx'

export default function NewAlertPage() {
  const { route } = useLocation()
  const writing = useWrite()
  const send = async (entered: Entered) => {
    const rule = await writing.run(() => api.alertRules.create(enteredRule(entered)))
    if (rule) route(to(`/alerts/${rule.alertRuleId}`), true)
  }
  return (
    <Page title="New alert rule">
      <Form writing={writing} onSend={send} send="Create">
        <Definition error={writing.error.value} />
      </Form>
      <p>
        <a href={to('/alerts')}>Back to all rules</a>
      </p>
    </Page>
  )
}
