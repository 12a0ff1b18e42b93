import type { EvidenceKeys, KnownEvidence } from '@countersign/core/evidence'
import {
  type Compared,
  type FileReport,
  keysOfText,
  knownOfFiles,
  sha256OfRecord,
  verifySource,
} from '../verify/report.ts'
import { blobSource } from './blob-source.ts'
import { webTools } from './web-tools.ts'

/**
 * Verifies a file that a person chose, by its name and bytes: the same findings as `countersign-verify`, and nothing is
 * sent anywhere.
 * `keys`: the issuer's published keys; null to take those that come with a pack. Rejects for a file that can't be read.
 */
export function verifyBlob(
  file: Blob,
  name: string,
  keys: EvidenceKeys | null,
  compared: Compared = {},
): Promise<FileReport> {
  return verifySource(name, blobSource(file), keys, webTools, compared)
}

/** The evidence keys of a JWK or JWK set in a file; rejects for any other content. */
export async function readKeyBlob(file: Blob): Promise<EvidenceKeys> {
  return keysOfText(await file.text(), webTools)
}

/** What is known from before, of files as `--known` of the command takes them; rejects for any other content. */
export async function readKnownBlobs(files: readonly Blob[]): Promise<KnownEvidence> {
  const all = await Promise.all(files.map((file) => file.arrayBuffer()))
  return knownOfFiles(all.map((bytes) => new Uint8Array(bytes)))
}

/** The SHA-256 that a package's record or event in a file names; rejects for any other content. */
export async function readRecordBlob(file: Blob): Promise<string> {
  return sha256OfRecord(await file.text())
}
