import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { Letter } from '../../kernel/mail/post.ts'

/** A deletion that was requested. */
interface RequestedDeletion {
  /** Of the application or the organization. */
  readonly name: string
  /** What is deleted, as the object of a sentence. */
  readonly what: string
  /** Who can still cancel it. */
  readonly by: string
  readonly requestedAt: number
  /** Ms: when the grace period ends. */
  readonly purgeAt: number
}

/** To the contact address (interface, Profile). */
export function deletionMail({ name, what, by, requestedAt, purgeAt }: RequestedDeletion): Letter {
  const text = [
    `The deletion of ${what} was requested at ${isoTime(requestedAt)}.`,
    '',
    `Until ${isoTime(purgeAt)} ${by} can cancel it; then its data are deleted for good.`,
  ].join('\n')
  return { to: null, subject: `Deletion of ${name} requested`, text }
}

/** To the contact address, which heard of the request. */
export function deletionCancelledMail(
  { name, what }: Pick<RequestedDeletion, 'name' | 'what'>,
  now: number,
): Letter {
  const text = `The deletion of ${what} was cancelled at ${isoTime(now)}. Its data stay.`
  return { to: null, subject: `Deletion of ${name} cancelled`, text }
}
