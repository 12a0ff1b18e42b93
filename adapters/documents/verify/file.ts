import { open, readFile } from 'node:fs/promises'
import type { EvidenceKeys, KnownEvidence } from '@countersign/core/evidence'
import { nodeTools, sourceOf } from './node-files.ts'
import {
  type Compared,
  type FileReport,
  keysOfText,
  knownOfFiles,
  sha256OfRecord,
  verifySource,
} from './report.ts'
import type { StampVerifier } from './stamps.ts'

/**
 * Verifies a pack (ZIP), an evidence document, a proof, a certificate, an anchor ledger, an audit log or a list of batches (JSON, or
 * JSON lines).
 * `keys`: the issuer's published keys; null to take those that come with a pack. Rejects for a file that can't be read.
 */
export async function verifyFile(
  file: string,
  keys: EvidenceKeys | null,
  compared: Compared = {},
): Promise<FileReport> {
  const handle = await open(file)
  try {
    return await verifySource(file, await sourceOf(handle), keys, nodeTools, compared)
  } finally {
    await handle.close()
  }
}

/** The evidence keys of a JWK or JWK set in a file; throws for any other content. */
export async function readKeyFile(file: string): Promise<EvidenceKeys> {
  return keysOfText(await readFile(file, 'utf8'), nodeTools)
}

/** What is known from before, of files as `knownOfFiles` takes them; throws for any other content. */
export async function readKnownFiles(files: readonly string[]): Promise<KnownEvidence> {
  return knownOfFiles(await Promise.all(files.map((file) => readFile(file))))
}

/** The time-stamping authorities whose certificates these files hold (PEM); throws for a file without any. */
export async function readAuthorityFiles(files: readonly string[]): Promise<StampVerifier> {
  // pkijs is large, and most verifications need none of it.
  const { trustAuthorities } = await import('./authorities.ts')
  return trustAuthorities(await Promise.all(files.map((file) => readFile(file, 'utf8'))))
}

/** The SHA-256 that a package's record or event in a file names; throws for any other content. */
export async function readRecordFile(file: string): Promise<string> {
  return sha256OfRecord(await readFile(file, 'utf8'))
}
