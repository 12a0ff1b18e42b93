import type { AlertRuleAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useApplicationNames } from '../client/names.ts'
import { type Reading, useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { AskingButton } from '../parts/asking-button.tsx'
import { Failure } from '../parts/failure.tsx'
import { Page, type PageProps, Shown } from '../parts/page.tsx'
import { Facts } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { isSandbox, to } from '../paths.ts'
import { isAdmin } from '../session.ts'
import { Earlier } from './earlier.tsx'
import { State } from './state.tsx'
import { conditionOf, definitionOf, severityWords, valueWords } from './words.ts'

export default function AlertPage({ params }: PageProps) {
  const { alertRuleId = '' } = params ?? {}
  const read = useRead(alertRuleId, (signal) => api.alertRules.read({ alertRuleId }, { signal }), {
    everyMs: 5_000,
  })
  return (
    <Page title={read.data.value?.name ?? 'Alert rule'}>
      <Shown of={read}>{(rule) => <Rule rule={rule} read={read} />}</Shown>
      <p>
        <a href={to('/alerts')}>All rules</a>
      </p>
    </Page>
  )
}

function Rule({
  rule,
  read,
}: {
  readonly rule: AlertRuleAnswer
  readonly read: Reading<AlertRuleAnswer>
}) {
  const names = useApplicationNames()
  const { alertRuleId, applicationId, metricName, currentValue, recoveryThreshold } = rule
  return (
    <>
      {isAdmin.value && !isSandbox && <Acts rule={rule} again={read.again} />}
      <Facts
        facts={[
          ['State', <State key="state" rule={rule} />],
          ['Since', <Time key="since" at={rule.stateSince} exact />],
          ['Value', currentValue === null ? 'no data yet' : valueWords(metricName, currentValue)],
          ['Goes off at', conditionOf(rule)],
          [
            'Over again at',
            recoveryThreshold === null
              ? 'the threshold'
              : valueWords(metricName, recoveryThreshold),
          ],
          ['Severity', severityWords[rule.severity] ?? rule.severity],
          [
            'Of',
            applicationId === null ? (
              'all applications together'
            ) : (
              <a key="of" href={to(`/applications/${applicationId}`)}>
                <bdi>{names.get(applicationId) ?? applicationId}</bdi>
              </a>
            ),
          ],
          ['Id', <code key="id">{alertRuleId}</code>],
        ]}
      />
      <Earlier />
    </>
  )
}

/** What an admin can do with a rule. */
function Acts({ rule, again }: { readonly rule: AlertRuleAnswer; readonly again: () => void }) {
  const { alertRuleId, enabled } = rule
  const { route } = useLocation()
  const writing = useWrite()
  const said = useSignal('')
  const turn = async () => {
    said.value = ''
    const saved = await writing.run(() =>
      api.alertRules.update({ alertRuleId, ...definitionOf(rule), enabled: !enabled }),
    )
    if (saved) said.value = saved.enabled ? 'It watches again.' : 'It is off.'
    again()
  }
  return (
    <>
      <div class="acts">
        <Act writing={writing} onPress={turn}>
          {enabled ? 'Turn off' : 'Turn on'}
        </Act>
        <a href={to(`/alerts/${alertRuleId}/edit`)}>Change</a>
        <AskingButton
          title="Remove the alert rule?"
          act="Remove"
          run={() => api.alertRules.remove({ alertRuleId })}
          then={() => route(to('/alerts'), true)}
          means={<p>Nothing is watched by it any more, and no event tells of that.</p>}
        >
          Remove
        </AskingButton>
      </div>
      <Failure error={writing.error.value} />
      <p role="status">{said.value}</p>
    </>
  )
}
