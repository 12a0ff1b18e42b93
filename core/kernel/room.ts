import type { Collection } from '../base/ports/store.ts'
import { receipts } from './ledger/receipts.ts'
import { owedMails, sealedMails } from './mail/records.ts'
import { createMailHandler } from './mail/send-mail.ts'
import { sealingRecords } from './sealing/records.ts'
import { workItems } from './work/records.ts'
import { createRetention, type RetentionOptions } from './work/retention.ts'

type Host = Parameters<typeof createMailHandler>[0] & {
  /** The collections of the whole service. */
  readonly collections: readonly Collection[]
  readonly retention: RetentionOptions
}

/** What this room contributes to the service. */
export const room = {
  tables: [receipts, workItems, sealingRecords, owedMails],
  sealed: [sealedMails],
  handlers: (host: Host) => [
    createRetention(host.collections, host.retention),
    createMailHandler(host),
  ],
}
