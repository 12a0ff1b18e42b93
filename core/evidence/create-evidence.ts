import { createErasureExports } from './erasure-exports.ts'
import { createPackages } from './packages/create-packages.ts'
import type { PackageDeps } from './packages/deps.ts'
import { createSessionExports } from './session-exports.ts'
import type { EvidenceUseCases } from './use-cases.ts'

/** Evidence of sessions and erasures, and packages of it. */
export function createEvidence(
  deps: PackageDeps,
  certificate: Parameters<typeof createErasureExports>[1],
): EvidenceUseCases {
  return {
    ...createSessionExports(deps),
    ...createErasureExports(deps, certificate),
    ...createPackages(deps),
    keySet: deps.signers.keySet,
  }
}
