import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { Letter } from '../../kernel/mail/post.ts'
import type { AlertRule } from './records.ts'

/** The mail about a rule that is triggered; `times`: how often it was since the last mail. */
export function alertLetter(rule: AlertRule, times: number): Letter {
  const { alertRuleId, name, metricName, currentValue, threshold, severity, stateSince } = rule
  const often = times === 1 ? '' : ` It was triggered ${times} times since the last mail about it.`
  const text = [
    `The alert rule ${name} (${alertRuleId}) was triggered at ${isoTime(stateSince)}.${often}`,
    '',
    `${metricName} is ${currentValue}, the threshold is ${threshold}, the severity ${severity}.`,
    '',
    'About each rule one mail is sent an hour at most.',
  ].join('\n')
  return { to: null, subject: `Alert: ${name}`, text }
}
