import { longest } from '../ledger/limits.ts'
import type { SealedMembers } from '../sealing/sealed-members.ts'
import { line, type RowsOf, stored, time } from '../shape.ts'
import { table } from '../table.ts'

/** Mails that are still to be sent. A row is removed once its mail is sent or given up. */
export const owedMails = table({
  name: 'owedMails',
  members: {
    tenantId: line(longest.id),
    /** Also its idempotency key. */
    mailId: line(longest.id),
    /** The JSON of a `Letter`, sealed under `mailContext`: it may hold a token and an address. */
    sealed: stored<Uint8Array>(),
    createdAt: time,
  },
  key: ['tenantId', 'mailId'],
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant, and is gone within days' },
  retain: { work: 'mail' },
})
/** A mail that is still to be sent. */
export interface OwedMail extends RowsOf<typeof owedMails.members> {}

/** The context of a sealed mail. */
export function mailContext(tenantId: string, mailId: string): string {
  return JSON.stringify(['mail', tenantId, mailId])
}

export const sealedMails: SealedMembers<OwedMail> = {
  collection: owedMails,
  map: (mail, change) => ({
    ...mail,
    sealed: change(mail.sealed, mailContext(mail.tenantId, mail.mailId)),
  }),
}
