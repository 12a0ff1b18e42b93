import type { Collection } from '../../base/ports/store.ts'
import type { SealedMembers } from '../sealing/sealed-members.ts'

/** A mail that is still to be sent; removed once it was, or given up. */
export interface OwedMail {
  readonly tenantId: string
  /** Also its idempotency key. */
  readonly mailId: string
  /** The JSON of a `Letter`, sealed under `mailContext`: it may hold a token and an address. */
  readonly sealed: Uint8Array
  readonly createdAt: number
}

/** Mails that are still to be sent. */
export const owedMails: Collection<OwedMail> = {
  name: 'owedMails',
  key: ['tenantId', 'mailId'],
  columns: { tenantId: 'text', mailId: 'text' },
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant, and is gone within days' },
  retain: { work: 'mail' },
}

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
