import {
  attempts,
  deliveries,
  type Message,
  messages,
  type Webhook,
  webhooks,
} from '@countersign/core/internal'
import type { Post } from '../network.ts'
import { type Committed, of, type Transition, type Truth } from '../truth.ts'
import type { World } from '../world.ts'

/** What a change of a webhook must tell it, in the same commit; after a 410 nothing. */
function noticesOf({ before, after }: Transition<Webhook>): readonly string[] {
  if (!after || after.row.statusReason === 'endpoint_gone') return []
  const was = before?.row
  const now = after.row
  const turnedOn = was?.status === 'turned_off' && now.status === 'receiving'
  const verify = !was || turnedOn || was.url !== now.url || was.method !== now.method
  const disabled = was?.status === 'receiving' && now.statusReason === 'retries_exhausted'
  const previous = now.previousSecret?.version
  const rotating = previous !== undefined && previous !== was?.previousSecret?.version
  return [
    ...(verify ? ['subscription.verification_requested'] : []),
    ...(disabled ? ['subscription.disabled'] : []),
    ...(rotating ? ['subscription.signing_key_rotating'] : []),
  ]
}

const acts = ['status', 'url', 'method', 'eventTypes'] as const

/** What holds of every change of a webhook. */
export function checkHooks(
  world: World,
  truth: Truth,
  { transitions, set }: Committed,
  posts: (endpointId: string, messageId: string) => readonly Post[],
): void {
  const changed = of(webhooks, transitions)
  for (const { after } of of(attempts, transitions))
    if (after?.row.responseStatus === 410) {
      const { endpointId, messageId } = after.row
      const answered = posts(endpointId, messageId).filter(
        ({ result }) => result?.kind === 'answer' && result.status === 410,
      )
      checkGone(world, truth, endpointId, answered.at(-1)?.url, changed)
    }
  if (changed.length === 0) return
  const told = new Map<string, Message>()
  for (const { before, after } of of(messages, transitions))
    if (!before && after) told.set(after.row.messageId, after.row)
  for (const change of changed) {
    const { before, after, key } = change
    const owed = of(deliveries, transitions).flatMap(({ before: had, after: made }) =>
      !had && made?.row.endpointId === key ? [told.get(made.row.messageId)?.type ?? ''] : [],
    )
    for (const type of noticesOf(change))
      if (!owed.includes(type)) world.broken('notices are owed', `${key} is not told ${type}`)
    if (owed.length > 0 && after?.row.statusReason === 'endpoint_gone')
      world.broken('gone is silent', `${key} is owed ${owed.join(', ')} after its 410`)
    const acted =
      !before ||
      !after ||
      acts.some((name) => JSON.stringify(before.row[name]) !== JSON.stringify(after.row[name]))
    if (acted && (set.appends ?? []).length === 0)
      world.broken('acts are audited', `${key} was changed without an entry`)
    checkGeneration(world, change)
    checkReason(world, truth, transitions, change)
  }
}

/** The commit that records a 410 ends the webhook, unless it leads elsewhere by now. */
function checkGone(
  world: World,
  truth: Truth,
  webhookId: string,
  url: string | undefined,
  changed: readonly Transition<Webhook>[],
): void {
  const before = truth.rows(webhooks).get(webhookId)?.row
  const change = changed.find(({ key }) => key === webhookId)
  const after = change ? change.after?.row : before
  if (after && after.url === url && after.statusReason !== 'endpoint_gone')
    world.broken('gone is silent', `${webhookId} answered 410 and is still ${after.status}`)
}

/**
 * What turns a webhook off stands in the same commit: its owner's act, a 410, or the last failure of a review event,
 * whose message is there.
 */
function checkReason(
  world: World,
  truth: Truth,
  transitions: Committed['transitions'],
  { before, after, key }: Transition<Webhook>,
): void {
  if (before?.row.status !== 'receiving' || after?.row.status !== 'turned_off') return
  const { statusReason } = after.row
  const isMine = (row: { readonly endpointId: string }) => row.endpointId === key
  if (statusReason === 'endpoint_gone') {
    const answered = of(attempts, transitions).some(
      (one) => one.after && isMine(one.after.row) && one.after.row.responseStatus === 410,
    )
    if (!answered) world.broken('turned off for a reason', `${key} is gone without a 410`)
  }
  if (statusReason !== 'retries_exhausted') return
  const exhausted = of(deliveries, transitions).some(
    (one) =>
      one.after &&
      isMine(one.after.row) &&
      one.after.row.status === 'dead_lettered' &&
      one.after.row.type.startsWith('review.') &&
      truth.rows(messages).has(one.after.row.messageId),
  )
  if (!exhausted)
    world.broken('turned off for a reason', `${key} is off, and no review event of its failed`)
}

function checkGeneration(world: World, { before, after, key }: Transition<Webhook>): void {
  if (!before || !after) return
  const off = before.row.status === 'receiving' && after.row.status === 'turned_off'
  const risen = after.row.generation - before.row.generation
  if (risen < 0 || (off && risen !== 1))
    world.broken(
      'delivery moves',
      `${key} went from generation ${before.row.generation} to ${after.row.generation}`,
    )
}
