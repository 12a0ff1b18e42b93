import { readFileSync } from 'node:fs'
import type { Authenticators } from '@countersign/core/ports'
import { authenticators } from '@countersign/node'
import * as z from 'zod'
import { following } from './config.ts'

const rootsShape = z.record(z.string(), z.array(z.string()))

/** Registrations of authenticators; a file has by AAGUID the root certificates in PEM that vouch for the model. */
export function openAuthenticators(rootsFile: string | null): Authenticators {
  if (rootsFile === null) return authenticators()
  return following('COUNTERSIGN_ATTESTATION_ROOTS_FILE', () =>
    authenticators({
      attestationRoots: rootsShape.parse(JSON.parse(readFileSync(rootsFile, 'utf8'))),
    }),
  )
}
