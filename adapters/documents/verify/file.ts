import { open, readFile } from 'node:fs/promises'
import type { EvidenceKeys } from '@countersign/core/evidence'
import { nodeTools, sourceOf } from './node-files.ts'
import { type FileReport, keysOfText, verifySource } from './report.ts'

/**
 * Verifies a pack (ZIP), an evidence document, a proof, a certificate, an anchor ledger, an audit log or a list of batches (JSON, or
 * JSON lines).
 * `keys`: the issuer's published keys; null to take those that come with a pack. Rejects for a file that can't be read.
 */
export async function verifyFile(file: string, keys: EvidenceKeys | null): Promise<FileReport> {
  const handle = await open(file)
  try {
    return await verifySource(file, await sourceOf(handle), keys, nodeTools)
  } finally {
    await handle.close()
  }
}

/** The evidence keys of a JWK or JWK set in a file; throws for any other content. */
export async function readKeyFile(file: string): Promise<EvidenceKeys> {
  return keysOfText(await readFile(file, 'utf8'))
}
