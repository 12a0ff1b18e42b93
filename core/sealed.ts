import { sealedCallbackSecrets } from './applications/records.ts'
import { sealedChannelUrls } from './channels/records.ts'
import { sealedEvidenceSeeds } from './evidence/keys/records.ts'
import { sealedPackageKeys } from './evidence/packages/records.ts'
import { sealedSeeds } from './keys/records.ts'
import { sealedMails } from './mail/records.ts'
import { sealedTenantKeys } from './privacy/records.ts'
import { sealedOutcomeKeys } from './review/outcome-keys.ts'
import { sealedOutcomes, sealedTokens } from './review/sealing.ts'
import type { AnySealedMembers } from './sealing/sealed-members.ts'
import { sealedHashKeys } from './signals/records.ts'
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
