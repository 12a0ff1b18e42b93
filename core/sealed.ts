import { sealedCallbackSecrets } from './applications/records.ts'
import { sealedTenantKeys } from './content/vault/records.ts'
import { sealedEvidenceSeeds } from './evidence/keys/records.ts'
import { sealedPackageKeys } from './evidence/packages/records.ts'
import { sealedMails } from './kernel/mail/records.ts'
import type { AnySealedMembers } from './kernel/sealing/sealed-members.ts'
import { sealedSeeds } from './keys/records.ts'
import { sealedHashKeys } from './policies/records.ts'
import { sealedOutcomeKeys } from './review/outcome-keys.ts'
import { sealedOutcomes, sealedTokens } from './review/sealing.ts'
import { sealedChannelUrls } from './webhooks/channels/records.ts'
import { sealedSecrets } from './webhooks/secrets/secrets.ts'

/** Every room's sealed values, for the check and the replacement of the master key. */
export const sealed: readonly AnySealedMembers[] = [
  sealedSeeds,
  sealedSecrets,
  sealedCallbackSecrets,
  sealedTokens,
  sealedOutcomes,
  sealedOutcomeKeys,
  sealedTenantKeys,
  sealedEvidenceSeeds,
  sealedPackageKeys,
  sealedHashKeys,
  sealedChannelUrls,
  sealedMails,
]
