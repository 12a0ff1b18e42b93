import { longest } from '../../kernel/ledger/limits.ts'
import { count } from '../../kernel/page.ts'
import { line, type RowsOf, stored, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { attemptDays } from '../../outbox/records.ts'
import type { Latencies } from './latency-buckets.ts'

export const hourMs: number = 60 * 60 * 1_000

const id = line(longest.id)

/** The attempts of one hour to send to a webhook; tests are not counted. */
export const deliveryHours = table({
  name: 'deliveryHours',
  members: {
    webhookId: id,
    tenantId: id,
    /** When the hour began. */
    hourAt: time,
    delivered: count,
    failed: count,
    /** Of those that were delivered. */
    latencies: stored<Latencies>(),
  },
  key: ['webhookId', 'hourAt'],
  indexes: { byAge: ['hourAt'], byTenant: ['tenantId'] },
  tenant: 'tenantId',
  purge: { keep: 'counts of a webhook, which belongs to the tenant' },
  retain: { by: 'hourAt', days: attemptDays + 1 },
})

/** The attempts of one hour to send to a webhook. */
export interface DeliveryHour extends RowsOf<typeof deliveryHours.members> {}
