import { createPackages } from './packages/create-packages.ts'
import type { PackageDeps } from './packages/deps.ts'
import { createSessionExports } from './session-exports.ts'
import type { EvidenceUseCases } from './use-cases.ts'

/** Evidence of sessions. */
export function createEvidence(deps: PackageDeps): EvidenceUseCases {
  return { ...createSessionExports(deps), ...createPackages(deps), keySet: deps.signers.keySet }
}
