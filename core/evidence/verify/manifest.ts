import { isObject } from '../../events/shape.ts'
import { collectFindings, type Finding } from './finding.ts'
import type { EvidenceKeys } from './keys.ts'
import { objectsAt, textAt } from './read.ts'
import { checkSignature } from './signature.ts'

/** A file of a pack as it was found, by path. */
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
}: {
  readonly manifest: Uint8Array
  readonly signature: string
  /** Thumbprint of the pack's `public-key.json`. */
  readonly keyId: string
  readonly keys: EvidenceKeys
  /** All files but those of `unlistedFiles`. */
  readonly files: ReadonlyMap<string, FoundFile>
}): readonly Finding[] {
  const findings = collectFindings()
  checkSignature(manifest, keyId, signature, 'manifest.json', keys, findings)
  const parsed = parse(manifest)
  const listed = isObject(parsed) ? objectsAt(parsed, 'files') : null
  if (!isObject(parsed) || listed === null || parsed.manifestVersion !== '1.0') {
    findings.add(
      'failed',
      'manifest',
      'manifest.json',
      'Expected a manifest of version 1.0 with a list of files.',
    )
    return findings.all
  }
  const left = new Map(files)
  for (const file of listed) {
    const path = textAt(file, 'path') ?? ''
    const found = left.get(path)
    left.delete(path)
    if (found === undefined)
      findings.add(
        'failed',
        'file',
        path,
        files.has(path) ? 'The manifest lists it twice.' : 'It is missing from the pack.',
      )
    else if (found.sha256 !== file.sha256 || found.bytes !== file.bytes)
      findings.add(
        'failed',
        'file',
        path,
        `It was changed: the manifest names ${String(file.bytes)} bytes with SHA-256 ${String(file.sha256)}, the pack has ${found.bytes} bytes with ${found.sha256}.`,
      )
  }
  for (const path of left.keys())
    findings.add('failed', 'file', path, 'It is not in the manifest: it was added.')
  if (!findings.all.some(({ check, result }) => check === 'file' && result === 'failed'))
    findings.add(
      'verified',
      'file',
      'pack',
      `All ${listed.length} files are as the manifest lists them, and no others.`,
    )
  for (const omitted of objectsAt(parsed, 'omitted') ?? [])
    findings.add(
      'noted',
      'file',
      String(omitted.path),
      `The issuer left it out: ${String(omitted.reason)}.`,
    )
  return findings.all
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}
