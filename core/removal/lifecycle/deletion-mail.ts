import type { Put } from '../../base/ports/store.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import type { Post } from '../../kernel/mail/post.ts'

/** A deletion that was asked for, as its mail tells it. */
interface RequestedDeletion {
  readonly tenantId: string
  /** Of the application or the organization. */
  readonly name: string
  /** What goes, as the object of a sentence. */
  readonly what: string
  /** Who can still cancel it. */
  readonly by: string
  /** Ms: when the grace period ends. */
  readonly purgeAt: number
}

/** A mail to the contact address (interface, Profile); none without a mailer. */
export function deletionMail(
  post: Post,
  unit: UnitOfWork,
  { tenantId, name, what, by, purgeAt }: RequestedDeletion,
): readonly Put[] {
  const text = [
    `The deletion of ${what} was requested at ${isoTime(unit.now)}.`,
    '',
    `Until ${isoTime(purgeAt)} ${by} can cancel it; then its data are deleted for good.`,
  ].join('\n')
  return post.owe(unit, tenantId, { to: null, subject: `Deletion of ${name} requested`, text })
}

/** A mail that a deletion was cancelled, as its request was told. */
export function deletionCancelledMail(
  post: Post,
  unit: UnitOfWork,
  { tenantId, name, what }: Pick<RequestedDeletion, 'tenantId' | 'name' | 'what'>,
): readonly Put[] {
  const text = `The deletion of ${what} was cancelled at ${isoTime(unit.now)}. Its data stay.`
  return post.owe(unit, tenantId, { to: null, subject: `Deletion of ${name} cancelled`, text })
}
