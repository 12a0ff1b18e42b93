import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ArchiveContent,
  type EvidenceSigner,
  fileNameOf,
  type PackHead,
  unlistedFiles,
  writePack,
} from '@countersign/core/evidence'
import { csvOf } from '@countersign/core/internal'
import { sampleEvidence, sampleEvidenceKey } from '@countersign/core/testing'
import { zipArchives } from '@countersign/documents'

/** A folder for the files of a test. */
export const folder = mkdtempSync(join(tmpdir(), 'countersign-documents-'))

/** The key that signs every sample. */
export const issuer = sampleEvidenceKey(new Uint8Array(32).fill(7))
/** A key of somebody else. */
export const stranger = sampleEvidenceKey(new Uint8Array(32).fill(9))

const createdAt = '2026-03-15T09:30:00.000Z'
const utf8 = new TextEncoder()

/** Members of a pack, by path. */
export type Members = ReadonlyMap<string, ArchiveContent>

/** All bytes of an archive. */
export async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/** A ZIP of these members as the writer of packs lays them out, nothing added. */
export async function zipOf(members: Members): Promise<Uint8Array> {
  const archive = zipArchives.create({ createdAt: Date.parse(createdAt) })
  const bytes = bytesOf(archive.bytes)
  for (const [path, content] of members)
    if (unlistedFiles.has(path) && content instanceof Uint8Array) {
      await archive.written()
      archive.addStored(path, content)
    } else await archive.add(path, content)
  await archive.finish()
  return bytes
}

/** What a pack has of authenticators in an organization whose reviewers sign nothing. */
export const withoutKeys: ReadonlyMap<string, Uint8Array> = new Map([
  ['authenticators.json', utf8.encode('{"authenticators":[]}')],
])

/** Documents of two sessions as members of a pack. */
export function sampleMembers(): Members {
  const members = new Map<string, Uint8Array>(withoutKeys)
  for (const kind of [
    { seed: 11, steps: 2 },
    { seed: 12, steps: 1, erased: true },
  ]) {
    const evidence = sampleEvidence(kind)
    const base = `applications/app_sample/sessions/${fileNameOf(evidence.session.sessionId)}`
    members.set(`${base}/evidence.json`, utf8.encode(JSON.stringify(evidence)))
    members.set(`${base}/session.csv`, utf8.encode(csvOf(evidence)))
  }
  return members
}

/** Who seals packs, and their public key. */
export type Sealer = EvidenceSigner & { readonly jwk: object }

/** A whole pack, signed; `omitted`: paths that its manifest names as left out. */
export async function packOf(
  members: Members,
  signer: Sealer = issuer,
  madeAt = createdAt,
  head: Partial<PackHead> = {},
  omitted: readonly string[] = [],
): Promise<Uint8Array> {
  const archive = zipArchives.create({ createdAt: Date.parse(madeAt) })
  const bytes = bytesOf(archive.bytes)
  await writePack(archive, {
    head: {
      packType: 'bulk',
      packageId: 'exp_sample',
      tenantId: 'ten_sample',
      createdAt: madeAt,
      scope: { applicationIds: ['app_sample'] },
      ...head,
    },
    signer,
    publicKey: signer.jwk,
    members: [
      ...[...members].map(([path, content]) => ({ path, mediaType: 'application/json', content })),
      ...omitted.map((path) => ({ path, omitted: 'too_large' })),
    ],
  })
  return bytes
}

/** What an issuer makes of the files of a pack that it changed: sealed once more as the same pack. */
export async function packedAgain(
  files: ReadonlyMap<string, Uint8Array>,
  signer: Sealer = issuer,
  head: Partial<PackHead> = {},
  omitted: readonly string[] = [],
): Promise<Uint8Array> {
  const manifest = Buffer.from(files.get('manifest.json') ?? []).toString()
  const { packType, packageId, tenantId, createdAt, scope } = JSON.parse(manifest) as PackHead
  const members = new Map(files)
  for (const name of [...unlistedFiles, 'README.txt']) members.delete(name)
  const told = { packType, packageId, tenantId, scope, ...head }
  return packOf(members, signer, head.createdAt ?? createdAt, told, omitted)
}

let files = 0

/** Writes bytes to a new file and yields its path. */
export function fileOf(bytes: Uint8Array | string, name = 'sample.zip'): string {
  const path = join(folder, `${++files}-${name}`)
  writeFileSync(path, bytes)
  return path
}
