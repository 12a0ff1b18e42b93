import type { EvidenceSigner } from '../proof/sign.ts'
import { canonicalBytes } from '../proof/signed-text.ts'
import { encodeBase64 } from '../proof/signing/encoding.ts'
import { isSafePath } from './file-name.ts'
import type { Manifest, ManifestFile } from './model.ts'
import type { Archive, ArchiveContent } from './outputs.ts'
import { unlistedFiles } from './verify/manifest.ts'

/** A file of a pack, or one that was left out and why. */
export type PackMember =
  | { readonly path: string; readonly mediaType: string; readonly content: ArchiveContent }
  | { readonly path: string; readonly omitted: string }

/** What a pack is, beside its files. */
export type PackHead = Pick<Manifest, 'packType' | 'packageId' | 'tenantId' | 'createdAt' | 'scope'>

const utf8 = new TextEncoder()
const readmePath = 'README.txt'

/**
 * Writes a whole pack: `README.txt`, the members as they come, and uncompressed `manifest.json` (canonical JSON),
 * `manifest.sig` and `public-key.json`, so that the signature covers every byte in front of them. A member whose path is unsafe or there already is left out, and the manifest names it. Resolves with
 * the manifest when the archive is finished; any failure aborts the archive and rejects.
 */
export async function writePack(
  archive: Archive,
  {
    head,
    signer,
    publicKey,
    members,
    scope = () => head.scope,
  }: {
    readonly head: PackHead
    readonly signer: EvidenceSigner
    /** The signer's public half, a JWK. */
    readonly publicKey: object
    readonly members: AsyncIterable<PackMember> | Iterable<PackMember>
    /** Yields the scope once all members are written; absent where the head has it whole. */
    readonly scope?: () => unknown
  },
): Promise<Manifest> {
  try {
    const files: ManifestFile[] = []
    const omitted: Manifest['omitted'][number][] = []
    const paths = new Set([readmePath, ...unlistedFiles].map((path) => path.toLowerCase()))
    const add = async (path: string, mediaType: string, content: ArchiveContent) => {
      files.push({ path, ...(await archive.add(path, content)), mediaType })
    }
    await add(readmePath, 'text/plain', utf8.encode(readmeOf(head)))
    for await (const member of members) {
      const { path } = member
      const refused = 'omitted' in member ? member.omitted : refusedPath(path, paths)
      if (refused !== null) omitted.push({ path: wellFormed(path), reason: refused })
      else if ('content' in member) {
        paths.add(path.toLowerCase())
        await add(path, member.mediaType, member.content)
      }
    }
    const before = await archive.written()
    const manifest: Manifest = {
      ...{ manifestVersion: '1.0', ...head, scope: scope() },
      ...{ files, omitted, before },
    }
    const bytes = canonicalBytes(manifest)
    archive.addStored('manifest.json', bytes)
    archive.addStored('manifest.sig', utf8.encode(encodeBase64(signer.sign('', bytes))))
    archive.addStored('public-key.json', canonicalBytes(publicKey))
    await archive.finish()
    return manifest
  } catch (error) {
    archive.abort(error instanceof Error ? error : new Error(String(error)))
    throw error
  }
}

/** The reason that a path can't be written to an archive, names that differ by case alone included; null if it can. */
function refusedPath(path: string, taken: ReadonlySet<string>): string | null {
  if (!isSafePath(path)) return 'unsafe_path'
  return taken.has(path.toLowerCase()) ? 'path_taken' : null
}

/** The text with U+FFFD for lone surrogates, which JSON that is signed can not hold. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd')
}

function readmeOf({ packType, packageId, createdAt }: PackHead): string {
  return [
    `Countersign evidence pack (${packType}), ${packageId}, made ${createdAt}.`,
    '',
    'To verify it offline:  npx countersign-verify --keys KEYS.json FILE.zip',
    'KEYS.json are the issuer’s published keys (/.well-known/evidence-keys/<tenant>), taken from the issuer itself.',
    'Without them the issuer is UNCHECKED: who changes a pack can seal it anew by a key of their own.',
    'With  --known FILE  (a ledger, proof or certificate that you hold from before) a rewriting by the issuer is found.',
    '',
    'By hand:',
    '1. public-key.json is an Ed25519 public key (JWK). Compare its thumbprint (RFC 7638) with the published keys.',
    '2. manifest.sig is the base64 of that key’s Ed25519 signature over the bytes of manifest.json.',
    '3. manifest.json names the SHA-256 and size of every other file. There must be no further files.',
    '   Its "before" are the size and SHA-256 of all bytes of the archive in front of manifest.json’s own header.',
    '   Under "omitted" it names what was left out, and why.',
    '4. Each evidence.json is signed by itself: "signatures" are over its canonical JSON (RFC 8785) without that member.',
    '5. Files that end in .tsr, if any, are RFC 3161 time stamps of entries of the ledger; ENTRYHASH stands beside the same',
    '   stamp in anchors.jsonl and evidence.json:  openssl ts -verify -digest ENTRYHASH -in FILE -CAfile AUTHORITY.pem',
    '',
  ].join('\n')
}
