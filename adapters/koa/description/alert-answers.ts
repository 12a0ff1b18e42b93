import { comparators, metricNames, severities } from '@countersign/core'
import * as z from 'zod'
import { paging, time } from './answer-parts.ts'

// What operations on alert rules answer with.

export const alertRuleAnswer = z.strictObject({
  alertRuleId: z.string(),
  name: z.string(),
  applicationId: z.string().nullable(),
  metricName: z.enum(metricNames),
  comparator: z.enum(comparators),
  threshold: z.number(),
  recoveryThreshold: z.number().nullable(),
  severity: z.enum(severities),
  windowSeconds: z.int(),
  enabled: z.boolean(),
  state: z.enum(['ok', 'triggered']),
  currentValue: z.number().nullable(),
  stateSince: time,
})

export const alertRulesAnswer = z.strictObject({ alertRules: z.array(alertRuleAnswer), ...paging })

export const removedAlertRuleAnswer = z.strictObject({
  alertRuleId: z.string(),
  deleted: z.literal(true),
})
