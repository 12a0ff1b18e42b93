import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { type Entered, Form } from '../parts/form.tsx'
import { Page, type PageProps, Shown } from '../parts/page.tsx'
import { to } from '../paths.ts'
import { Definition, enteredRule } from './definition.tsx'

export default function EditAlertPage({ params }: PageProps) {
  const { alertRuleId = '' } = params ?? {}
  const { route } = useLocation()
  const writing = useWrite()
  const read = useRead(alertRuleId, (signal) => api.alertRules.read({ alertRuleId }, { signal }))
  return (
    <Page title="Change the alert rule">
      <Shown of={read}>
        {(rule) => (
          <Form
            writing={writing}
            onSend={async (entered: Entered) => {
              const saved = await writing.run(() =>
                api.alertRules.update({ alertRuleId, ...enteredRule(entered, rule) }),
              )
              if (saved) route(to(`/alerts/${alertRuleId}`), true)
            }}
            send="Save"
          >
            <Definition rule={rule} error={writing.error.value} />
          </Form>
        )}
      </Shown>
      <p>
        With anything but another name or severity the rule begins again as quiet; no event tells of
        that.
      </p>
      <p>
        <a href={to(`/alerts/${alertRuleId}`)}>Back to the rule</a>
      </p>
    </Page>
  )
}
