import type { PolicyRulesAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Empty, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'

type Rule = PolicyRulesAnswer['rules'][number]

const effects: Readonly<Record<Rule['effect'], string>> = {
  allow: 'is allowed',
  deny: 'is a violation',
  require_review: 'needs a decision',
}

const columns: readonly Column<Rule>[] = [
  { head: 'Rule', cell: ({ name }) => <bdi>{name}</bdi> },
  { head: 'A step', cell: ({ match }) => conditionsOf(match).join(', and ') || 'of any kind' },
  {
    head: 'Then it',
    cell: ({ effect, reviewTier }) =>
      effect === 'require_review' ? `${effects[effect]} (${reviewTier})` : effects[effect],
  },
  { head: 'Severity', cell: ({ severity }) => severity },
  { head: 'In force', cell: ({ enabled }) => (enabled ? 'yes' : 'no') },
  { head: 'Version', cell: ({ version }) => version },
]

/** The policy rules of an application, as they hold now. */
export function Rules({ applicationId }: { readonly applicationId: string }) {
  const read = useRead(`rules ${applicationId}`, (signal) =>
    api.policyRules.read({ applicationId }, { signal }),
  )
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Policy rules</h2>
      <Shown of={read}>
        {({ rules, ruleSetVersion, updatedAt }) =>
          rules.length === 0 ? (
            <Empty>
              <p>
                No rule asks for a decision by itself; the application opens its cases. Rules are
                set by <code>PUT /v1/applications/{applicationId}/policy-rules</code>.
              </p>
            </Empty>
          ) : (
            <>
              <p class="quiet">
                Version {ruleSetVersion}, of <Time at={updatedAt} />
              </p>
              <Rows
                caption="Policy rules"
                columns={columns}
                rows={rules}
                keyOf={({ ruleId }) => ruleId}
              />
            </>
          )
        }
      </Shown>
    </section>
  )
}

/** What a step has to be for a rule, in words. */
function conditionsOf({ stepTypes, toolNames, attributes, dataCategories }: Rule['match']) {
  return [
    ...(stepTypes.length > 0 ? [`of type ${stepTypes.join(' or ')}`] : []),
    ...(toolNames.length > 0 ? [`with the tool ${toolNames.join(' or ')}`] : []),
    ...attributes.map(({ key, op, value }) => `${key} ${op} ${JSON.stringify(value)}`),
    ...(dataCategories.length > 0 ? [`with data of ${dataCategories.join(' or ')}`] : []),
  ]
}
