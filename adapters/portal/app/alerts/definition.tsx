import type { AlertRuleAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { useApplicationNames } from '../client/names.ts'
import { Choice, Field } from '../parts/field.tsx'
import type { Entered } from '../parts/form.tsx'
import { comparatorWords, metricWords, severityWords, windowWords } from './words.ts'

type Metric = AlertRuleAnswer['metricName']

const usualWindow = 300
const windows: readonly number[] = [60, usualWindow, 900, 3_600, 21_600, 86_400]

/** The plan's sessions are the organization's. */
const isOfOrganization = (metric: Metric) => metric === 'quota.used_percent'

/** The fields of an alert rule. */
export function Definition({
  rule,
  error,
}: {
  readonly rule?: AlertRuleAnswer
  readonly error: unknown
}) {
  const names = useApplicationNames()
  const metric = useSignal<Metric>(rule?.metricName ?? 'reviews.overdue')
  const { unit, overWindow } = metricWords[metric.value]
  const own = rule?.applicationId
  const applications = new Map(own ? [[own, own], ...names] : names)
  const seconds = rule?.windowSeconds ?? usualWindow
  return (
    <>
      <Field label="Name" name="name" required value={rule?.name} error={error} />
      <Choice
        label="What it watches"
        name="metricName"
        value={metric.value}
        options={entriesOf(metricWords).map(([name, words]) => [name, words.name])}
        onChange={({ currentTarget: { value } }) => {
          metric.value = value as Metric
        }}
        error={error}
      />
      {!isOfOrganization(metric.value) && (
        <Choice
          // Names come later than the field: it is drawn again with what is chosen.
          key={applications.size}
          label="Application"
          name="applicationId"
          value={own ?? ''}
          options={[['', 'All applications together'], ...applications]}
          error={error}
        />
      )}
      <Choice
        label="Goes off when the value is"
        name="comparator"
        value={rule?.comparator ?? 'gt'}
        options={entriesOf(comparatorWords)}
        error={error}
      />
      <Field
        label={`Threshold${inUnit(unit)}`}
        name="threshold"
        type="number"
        step="any"
        required
        value={rule?.threshold}
        error={error}
      />
      <Field
        label={`Over again at${inUnit(unit)} (optional)`}
        name="recoveryThreshold"
        type="number"
        step="any"
        value={rule?.recoveryThreshold ?? ''}
        hint="On the good side of the threshold, so that a value that wavers does not alert again and again. Left empty: at the threshold."
        error={error}
      />
      {overWindow && (
        <Choice
          label="Measured over"
          name="windowSeconds"
          value={String(seconds)}
          options={[...new Set([...windows, seconds])]
            .sort((a, b) => a - b)
            .map((each) => [String(each), windowWords(each)])}
          error={error}
        />
      )}
      <Choice
        label="Severity"
        name="severity"
        value={rule?.severity ?? 'warning'}
        options={entriesOf(severityWords)}
        hint="A warning makes the application’s health degraded, a critical alert unhealthy."
        error={error}
      />
    </>
  )
}

/** What was entered, as the API takes it; a window that is not asked for stays. */
export function enteredRule(entered: Entered, before?: AlertRuleAnswer) {
  const metricName = oneOf(metricWords, entered('metricName'), 'reviews.overdue')
  const recovery = entered('recoveryThreshold').trim()
  return {
    name: entered('name').trim(),
    metricName,
    applicationId: isOfOrganization(metricName) ? null : entered('applicationId') || null,
    comparator: oneOf(comparatorWords, entered('comparator'), 'gt'),
    threshold: Number(entered('threshold')),
    recoveryThreshold: recovery === '' ? null : Number(recovery),
    windowSeconds: Number(entered('windowSeconds')) || (before?.windowSeconds ?? usualWindow),
    severity: oneOf(severityWords, entered('severity'), 'warning'),
    enabled: before?.enabled ?? true,
  }
}

const inUnit = (unit: string) => (unit === '' ? '' : ` in${unit}`)

/** The names of a table with its rows. */
function entriesOf<Name extends string, Row>(
  table: Readonly<Record<Name, Row>>,
): readonly (readonly [Name, Row])[] {
  return Object.entries(table) as unknown as readonly (readonly [Name, Row])[]
}

function oneOf<Name extends string>(
  table: Readonly<Record<Name, unknown>>,
  entered: string,
  usual: Name,
): Name {
  return Object.hasOwn(table, entered) ? (entered as Name) : usual
}
