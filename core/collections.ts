import { applicationKeys, endedSessions, members, rosters, tenants } from './access/records.ts'
import { applications } from './applications/records.ts'
import { issuerKeyRings } from './keys/records.ts'
import { auditLog } from './ledger/audit.ts'
import { receipts } from './ledger/receipts.ts'
import { attempts, deliveries, messages } from './outbox/records.ts'
import type { Collection, Log } from './ports/store.ts'
import { reviewCases } from './review/records.ts'
import { sealingRecords } from './sealing/records.ts'
import { routings, webhooks } from './webhooks/records.ts'
import { workItems } from './work/records.ts'

/** Every room's collections, for the store that is to hold them. */
export const collections: readonly Collection<never>[] = [
  tenants,
  members,
  endedSessions,
  rosters,
  applications,
  applicationKeys,
  issuerKeyRings,
  receipts,
  reviewCases,
  webhooks,
  routings,
  messages,
  deliveries,
  attempts,
  workItems,
  sealingRecords,
]

/** Every append-only log of the service. */
export const logs: readonly Log[] = [auditLog]
