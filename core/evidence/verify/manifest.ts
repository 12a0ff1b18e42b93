import { isObject } from '../../base/events/shape.ts'
import { canonicalBytes } from '../../proof/signed-text.ts'
import { createReport, type Finding } from './finding.ts'
import type { EvidenceKeys } from './keys.ts'
import { bytesOrNull, type Json, objectAt, objectsAt, textAt, textOf } from './read.ts'
import { checkSignature } from './signature.ts'

/** Size and hash of a file of a pack, or of a range of its bytes, as found. */
export interface FoundFile {
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
}

/** Files of a pack that its manifest can't list. */
export const unlistedFiles: ReadonlySet<string> = new Set([
  'manifest.json',
  'manifest.sig',
  'public-key.json',
])

/**
 * Checks a pack: its manifest's signature (`manifest.sig`) over the manifest's bytes by the pack's key, and each
 * file against the manifest, in its order, so that the first failure names the first bad file.
 */
export function verifyManifest({
  manifest,
  signature,
  keyId,
  keys,
  files,
  before,
}: {
  readonly manifest: Uint8Array
  readonly signature: string
  /** Thumbprint of the pack's `public-key.json`. */
  readonly keyId: string
  readonly keys: EvidenceKeys
  /** All files but those of `unlistedFiles`. */
  readonly files: ReadonlyMap<string, FoundFile>
  /** All bytes of the archive in front of the manifest's header. */
  readonly before: FoundFile
}): readonly Finding[] {
  const report = createReport('manifest.json', keys)
  checkSignature(manifest, keyId, signature, report)
  const parsed = readManifest(manifest)
  if (parsed !== null && !isCanonical(parsed, manifest))
    report.failed('manifest', 'It is not in canonical JSON (RFC 8785).')
  const listed = isObject(parsed) ? objectsAt(parsed, 'files') : null
  if (!isObject(parsed) || listed === null || parsed.manifestVersion !== '1.0') {
    report.failed('manifest', 'Expected a manifest of version 1.0 with a list of files.')
    return report.all
  }
  const left = new Map(files)
  for (const file of listed) {
    const path = textAt(file, 'path') ?? ''
    const found = left.get(path)
    left.delete(path)
    if (found === undefined)
      report
        .on(path)
        .failed(
          'file',
          files.has(path) ? 'The manifest lists it twice.' : 'It is missing from the pack.',
        )
    else if (found.sha256 !== file.sha256 || found.bytes !== file.bytes)
      report
        .on(path)
        .failed(
          'file',
          `It was changed: the manifest names ${textOf(file.bytes)} bytes with SHA-256 ${textOf(file.sha256)}, the pack has ${found.bytes} bytes with ${found.sha256}.`,
        )
  }
  for (const path of left.keys())
    report.on(path).failed('file', 'It is not in the manifest: it was added.')
  if (!namesBefore(parsed, before))
    report
      .on('archive')
      .failed(
        'file',
        'It was packed anew: its bytes in front of the manifest are not those that the manifest names.',
      )
  if (!report.all.some(({ check, result }) => check === 'file' && result === 'failed'))
    report
      .on('pack')
      .verified('file', `All ${listed.length} files are as the manifest lists them, and no others.`)
  for (const omitted of objectsAt(parsed, 'omitted') ?? [])
    report
      .on(textOf(omitted.path))
      .noted('file', `The issuer left it out: ${textOf(omitted.reason)}.`)
  return report.all
}

/** Whether a manifest, given as its bytes, records these as the archive's bytes before it. Checks no signature. */
export function isPackedAs(manifest: Uint8Array, before: FoundFile): boolean {
  const parsed = readManifest(manifest)
  return isObject(parsed) && namesBefore(parsed, before)
}

function namesBefore(manifest: Json, { bytes, sha256 }: FoundFile): boolean {
  const named = objectAt(manifest, 'before')
  return named?.sha256 === sha256 && named.bytes === bytes
}

function isCanonical(parsed: unknown, bytes: Uint8Array): boolean {
  const canonical = bytesOrNull(() => canonicalBytes(parsed))
  return canonical?.length === bytes.length && canonical.every((byte, at) => byte === bytes[at])
}

/** The JSON of a manifest's bytes; null for bytes that are none, and for JSON without a canonical form, which no manifest is. */
export function readManifest(bytes: Uint8Array): unknown {
  return bytesOrNull(() => {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const parsed = JSON.parse(text) as unknown
    canonicalBytes(parsed)
    return parsed
  })
}
