import { comparators, metricNames, severities } from '@countersign/core'
import { alertWindowSeconds, longest } from '@countersign/core/ledger'
import * as z from 'zod'
import { id } from './id-form.ts'

const text = (upTo: number) => z.string().min(1).max(upTo)

export const alertRule = z.strictObject({
  name: text(longest.name),
  applicationId: id.nullish(),
  metricName: z.enum(metricNames),
  comparator: z.enum(comparators),
  threshold: z.number(),
  recoveryThreshold: z.number().nullish(),
  severity: z.enum(severities),
  windowSeconds: z
    .number()
    .int()
    .min(alertWindowSeconds.least)
    .max(alertWindowSeconds.most)
    .optional(),
  enabled: z.boolean().optional(),
})
