import { rmSync } from 'node:fs'
import { type EvidenceKeys, type Finding, readEvidenceKeys } from '@countersign/core/evidence'
import { seededRandom } from '@countersign/core/testing'
import { verifyFile } from '@countersign/documents/verify'
import { openZip } from './open-zip.ts'
import { bytesOf, fileOf, issuer, packOf, sampleMembers } from './packs.ts'
import { type ServicePacks, servicePacks } from './service.ts'
import { attacks } from './tampering.ts'

/** How a pack is judged; a broken one may be put in its place. */
export type Judge = (
  file: string,
  keys: EvidenceKeys,
) => Promise<{ readonly verdict: string; readonly findings: readonly Finding[] }>

/** The files of a pack, by path. */
export async function filesOf(pack: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const zip = await openZip(fileOf(pack))
  const files = new Map<string, Uint8Array>()
  for (const entry of zip.entries) files.set(entry.path, await bytesOf(zip.read(entry)))
  await zip.close()
  return files
}

/** A pack that is attacked, and the keys that its issuer has published. */
export interface Target {
  readonly name: string
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly keys: EvidenceKeys
}

/** A pack of sample documents, and each kind of pack as the service makes it. */
export async function targets(
  made: Promise<ServicePacks> = servicePacks(),
): Promise<readonly Target[]> {
  const { keys, sealer: _, ...packs } = await made
  const own = readEvidenceKeys(issuer.jwk)
  if (!own) throw new Error('the key of the samples is malformed')
  return [
    { name: 'sample', files: await filesOf(await packOf(sampleMembers())), keys: own },
    ...(await Promise.all(
      Object.entries(packs).map(async ([name, pack]) => ({
        name,
        files: await filesOf(pack),
        keys,
      })),
    )),
  ]
}

/** The attacks that a judge did not see, of `cases` tries by this seed, on each of the packs in turn. */
export async function missed(
  packs: readonly Target[],
  cases: number,
  seed: number,
  judge: Judge = verifyFile,
): Promise<readonly string[]> {
  const random = seededRandom(seed)
  const names = Object.keys(attacks)
  const unseen: string[] = []
  for (let at = 0; at < cases; at++) {
    const name = names[at % names.length] ?? ''
    const target = packs[Math.floor(at / names.length) % packs.length]
    if (!target) throw new Error('no pack to attack')
    const bytes = await attacks[name]?.(new Map(target.files), random)
    if (!bytes) continue
    const file = fileOf(bytes)
    const { verdict } = await judge(file, target.keys)
    if (verdict === 'verified') unseen.push(`${name}: ${target.name} (case ${at} of seed ${seed})`)
    rmSync(file)
  }
  return unseen
}

/** Members whose own signatures cover all that they say. */
const signedAlone = /(?:evidence\.json|anchors\.jsonl)$/

/** The changed bytes that a judge did not see, of `cases` tries on signed members that stand by themselves. */
export async function missedAlone(
  packs: readonly Target[],
  cases: number,
  seed: number,
  judge: Judge = verifyFile,
): Promise<readonly string[]> {
  const random = seededRandom(seed)
  const alone = packs.flatMap(({ files, keys }) =>
    [...files]
      .filter(([path]) => signedAlone.test(path))
      .map(([path, bytes]) => ({ path, bytes, keys })),
  )
  const unseen: string[] = []
  for (let at = 0; at < cases; at++) {
    const target = alone[at % alone.length]
    if (!target) throw new Error('no document to attack')
    const changed = Uint8Array.from(target.bytes)
    const place = random.below(changed.length)
    changed[place] = (changed[place] ?? 0) ^ (1 << random.below(8))
    const file = fileOf(changed, target.path.replace(/.*\//, ''))
    const { verdict } = await judge(file, target.keys)
    if (verdict === 'verified') unseen.push(`${target.path}, byte ${place} (seed ${seed})`)
    rmSync(file)
  }
  return unseen
}
