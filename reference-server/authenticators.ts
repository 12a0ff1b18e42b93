import { readFileSync } from 'node:fs'
import type { Authenticators } from '@countersign/core/ports'
import * as z from 'zod'
import { following } from './config.ts'

const rootsShape = z.record(z.string(), z.array(z.string()))

/**
 * Registrations of authenticators as they are made by `open`, of the root certificates in a file: in PEM by the AAGUID of
 * the model for which they vouch.
 */
export function openAuthenticators(
  rootsFile: string | null,
  open: (given: {
    readonly attestationRoots: Readonly<Record<string, readonly string[]>>
  }) => Authenticators,
): Authenticators {
  if (rootsFile === null) return open({ attestationRoots: {} })
  return following('COUNTERSIGN_ATTESTATION_ROOTS_FILE', () =>
    open({ attestationRoots: rootsShape.parse(JSON.parse(readFileSync(rootsFile, 'utf8'))) }),
  )
}
