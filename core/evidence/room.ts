import { evidenceKeyRings, sealedEvidenceSeeds } from './keys/records.ts'
import { readEvidenceKeySet, signingKeyOperations } from './keys/signing-keys.ts'
import { createPackageCleanUp } from './packages/clean-up.ts'
import { packageOperations } from './packages/operations.ts'
import { evidencePackages, expiredPackages, sealedPackageKeys } from './packages/records.ts'

/** What this room contributes to the service. */
export const room = {
  tables: [evidenceKeyRings, evidencePackages, expiredPackages],
  sealed: [sealedEvidenceSeeds, sealedPackageKeys],
  groups: {
    evidenceKeys: [readEvidenceKeySet],
    evidencePackages: packageOperations,
    signingKeys: signingKeyOperations,
  } as const,
  handlers: (host: Parameters<typeof createPackageCleanUp>[0]) => [createPackageCleanUp(host)],
}
