import { ok, type Result } from '../../kernel/ledger/refusal.ts'
import type { Webhook } from '../records.ts'
import type { Decided, Notice } from './command.ts'

/** The change of a webhook that a part of the machine decided. */
export interface Change {
  readonly webhook: Webhook
  readonly notices?: readonly Notice[]
  readonly again?: readonly string[]
}

/** No change: returns the same record, by which callers know that there is nothing to write. */
export function unchanged(webhook: Webhook): Result<Decided> {
  return ok({ webhook, notices: [], again: [] })
}

export function changed(before: Webhook, change: Change, now: number): Result<Decided> {
  const { webhook, again = [] } = change
  // After a 410 nothing is sent, not even a notice, before the owner turns the webhook on.
  const notices = webhook.statusReason === 'endpoint_gone' ? [] : (change.notices ?? [])
  if (sameWebhook(before, webhook) && notices.length === 0) return unchanged(before)
  return ok({ webhook: { ...webhook, updatedAt: now }, notices, again })
}

function sameWebhook(a: Webhook, b: Webhook): boolean {
  const names = Object.keys(a) as (keyof Webhook)[]
  return names.every(
    (name) => a[name] === b[name] || JSON.stringify(a[name]) === JSON.stringify(b[name]),
  )
}
