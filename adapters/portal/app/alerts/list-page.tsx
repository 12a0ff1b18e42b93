import type { AlertRuleAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useApplicationNames } from '../client/names.ts'
import { useRead } from '../client/use-read.ts'
import { useKeys } from '../parts/keys.ts'
import { Empty, Page, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { isSandbox, to } from '../paths.ts'
import { isAdmin } from '../session.ts'
import { rowKeys } from '../webhooks/row-keys.ts'
import { State } from './state.tsx'
import { conditionOf, severityWords, valueWords } from './words.ts'

/** More rules than an organization may have do not fit one page of the API. */
const pageSize = 100

export default function AlertsPage() {
  const names = useApplicationNames()
  const read = useRead(
    'alert-rules',
    async (signal) => api.alertRules.list({ pageSize }, { signal }),
    { everyMs: 5_000 },
  )
  useKeys(rowKeys)
  const mayCreate = isAdmin.value && !isSandbox
  const columns: readonly Column<AlertRuleAnswer>[] = [
    {
      head: 'Rule',
      cell: ({ alertRuleId, name }) => (
        <a data-row={alertRuleId} href={to(`/alerts/${alertRuleId}`)}>
          <bdi>{name}</bdi>
        </a>
      ),
    },
    { head: 'State', cell: (rule) => <State rule={rule} /> },
    { head: 'Since', cell: ({ stateSince }) => <Time at={stateSince} /> },
    {
      head: 'Value',
      cell: ({ metricName, currentValue }) =>
        currentValue === null ? (
          <span class="quiet">no data</span>
        ) : (
          valueWords(metricName, currentValue)
        ),
    },
    { head: 'Goes off at', cell: conditionOf },
    { head: 'Severity', cell: ({ severity }) => severityWords[severity] ?? severity },
    {
      head: 'Of',
      cell: ({ applicationId }) =>
        applicationId === null ? (
          'all applications'
        ) : (
          <bdi>{names.get(applicationId) ?? applicationId}</bdi>
        ),
    },
  ]
  return (
    <Page title="Alert rules" acts={mayCreate && <a href={to('/alerts/new')}>New rule</a>}>
      <p>
        A rule watches a number. When it goes off and when that is over, webhooks and chat channels
        hear of it, and the contact address gets a mail.
      </p>
      <Shown of={read}>
        {({ alertRules, totalCount }) =>
          totalCount === 0 ? (
            <Empty>
              <p>There is no rule yet, so nobody is alerted.</p>
              {mayCreate ? (
                <a href={to('/alerts/new')}>Add the first rule</a>
              ) : (
                <p class="quiet">An admin can add one.</p>
              )}
            </Empty>
          ) : (
            <>
              <p>{goneOff(alertRules)}</p>
              <Rows
                caption="Alert rules"
                columns={columns}
                rows={firstThoseThatWentOff(alertRules)}
                keyOf={({ alertRuleId }) => alertRuleId}
              />
            </>
          )
        }
      </Shown>
    </Page>
  )
}

const hasGoneOff = ({ state, enabled }: AlertRuleAnswer) => enabled && state === 'triggered'

function goneOff(rules: readonly AlertRuleAnswer[]): string {
  const count = rules.filter(hasGoneOff).length
  if (count === 0) return 'No rule has gone off.'
  return count === 1 ? '1 rule has gone off.' : `${count} rules have gone off.`
}

/** The latest first of those that went off, then the others as they came. */
function firstThoseThatWentOff(rules: readonly AlertRuleAnswer[]): readonly AlertRuleAnswer[] {
  const latest = rules
    .filter(hasGoneOff)
    .sort((a, b) => Date.parse(b.stateSince) - Date.parse(a.stateSince))
  return [...latest, ...rules.filter((rule) => !hasGoneOff(rule))]
}
