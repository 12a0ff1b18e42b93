import { rmSync } from 'node:fs'
import type { EvidenceKeys, Finding } from '@countersign/core/evidence'
import { seededRandom } from '@countersign/core/testing'
import { verifyFile } from '@countersign/documents/verify'
import { openZip } from '../verify/zip-files.ts'
import { bytesOf, fileOf, packOf, sampleMembers } from './packs.ts'
import { attacks } from './tampering.ts'

/** How a pack is judged; a broken one may be put in its place. */
export type Judge = (
  file: string,
  keys: EvidenceKeys,
) => Promise<{ readonly verdict: string; readonly findings: readonly Finding[] }>

/** The files of a sample pack, by path. */
export async function sampleFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const zip = await openZip(fileOf(await packOf(sampleMembers())))
  const files = new Map<string, Uint8Array>()
  for (const entry of zip.entries) files.set(entry.fileName, await bytesOf(await zip.read(entry)))
  zip.close()
  return files
}

/** The attacks that a judge did not see, of `cases` tries by this seed. */
export async function missed(
  cases: number,
  seed: number,
  keys: EvidenceKeys,
  judge: Judge = verifyFile,
): Promise<readonly string[]> {
  const files = await sampleFiles()
  const random = seededRandom(seed)
  const names = Object.keys(attacks)
  const unseen: string[] = []
  for (let at = 0; at < cases; at++) {
    const name = names[at % names.length] ?? ''
    const bytes = await attacks[name]?.(new Map(files), random)
    if (!bytes) continue
    const file = fileOf(bytes)
    const { verdict } = await judge(file, keys)
    if (verdict === 'verified') unseen.push(`${name} (case ${at} of seed ${seed})`)
    rmSync(file)
  }
  return unseen
}
