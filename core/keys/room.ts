import { readWebhookKeys } from './key-set.ts'
import { issuerKeyRings, sealedSeeds } from './records.ts'
import { keyRequestOperations } from './requests/operations.ts'
import { keyRequestProgress } from './requests/progress.ts'
import { keyRequests } from './requests/records.ts'
import { issuerKeyUpkeep } from './rotate-keys.ts'

/** What this room contributes to the service. */
export const room = {
  tables: [issuerKeyRings, keyRequests],
  sealed: [sealedSeeds],
  groups: { keyRequests: keyRequestOperations, webhookKeys: [readWebhookKeys] } as const,
  handlers: () => [issuerKeyUpkeep, keyRequestProgress],
}
