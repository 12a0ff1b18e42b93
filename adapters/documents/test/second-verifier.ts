import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { EvidenceKeys } from '@countersign/core/evidence'
import { seededRandom } from '@countersign/core/testing'
import {
  readAuthorityFiles,
  readKeyFile,
  readKnownFiles,
  verifyFile,
} from '@countersign/documents/verify'
import { fileOf, folder } from './packs.ts'
import { rowTamperings } from './row-tamperings.ts'
import { type Run, type Said, saidInRuns, saidOf } from './second-process.ts'
import { type Subject, tamperings } from './tamperings.ts'

export async function saidByFirst(
  file: string,
  keys: EvidenceKeys,
  known: readonly string[] = [],
  tsa: readonly string[] = [],
): Promise<Said> {
  const held = known.length > 0 ? await readKnownFiles(known) : null
  const authorOf = tsa.length > 0 ? await readAuthorityFiles(tsa) : null
  const { verdict, witness, findings } = await verifyFile(file, keys, { known: held, authorOf })
  return saidOf(verdict, witness, findings)
}

/** What both verifiers say of a file. */
export interface SaidTwice {
  readonly first: Said
  readonly second: Said | undefined
}

/** What both verifiers say of the files in these runs, each reading the keys as its command does. */
export async function saidByBoth(runs: readonly Run[]): Promise<readonly (readonly SaidTwice[])[]> {
  const [second, first] = await Promise.all([saidInRuns(runs), saidInRunsByFirst(runs)])
  return first.map((said, run) =>
    said.map((each, at) => ({ first: each, second: second[run]?.[at] })),
  )
}

async function saidInRunsByFirst(runs: readonly Run[]): Promise<readonly (readonly Said[])[]> {
  const said: (readonly Said[])[] = []
  for (const { files, keys, known, tsa } of runs) {
    const trusted = await readKeyFile(keys)
    const own: Said[] = []
    for (const file of files) own.push(await saidByFirst(file, trusted, known, tsa))
    said.push(own)
  }
  return said
}

/** A file for a verifier, and how it came to be. */
export interface Written {
  readonly name: string
  readonly file: string
  /** Files of what a reader holds from before; none: nothing. */
  readonly known: readonly string[]
  /** Of the authorities that a reader trusts; none: stamps are not asked for. */
  readonly tsa?: readonly string[]
}

/**
 * What readers may hold of a subject from before: nothing, all of its files that can be known, and each of them alone. The
 * files are of the genuine pack.
 */
export async function knownOf({ files }: Subject): Promise<readonly (readonly string[])[]> {
  const all: string[] = []
  for (const [path, bytes] of files) {
    if (!/\.jsonl?$/.test(path)) continue
    const file = fileOf(bytes, path.replace(/.*\//, ''))
    const isKnown = await readKnownFiles([file]).then(
      () => true,
      () => false,
    )
    if (isKnown) all.push(file)
  }
  return [[], all, ...all.map((file) => [file])]
}

/** Where two verifiers differ on genuine packs, whatever a reader holds of them from before, and what they say of them. */
export async function heldFromBefore(
  subjects: readonly Subject[],
): Promise<{ readonly differences: readonly string[]; readonly words: ReadonlySet<string> }> {
  const differences: string[] = []
  const words = new Set<string>()
  for (const subject of subjects) {
    const keys = fileOf(JSON.stringify(subject.jwks), 'keys.json')
    const files = [fileOf(subject.pack)]
    const runs = (await knownOf(subject)).map((known) => ({ files, keys, known }))
    for (const [at, said] of (await saidByBoth(runs)).entries())
      for (const { first, second } of said) {
        const held = runs[at]?.known.join() || 'nothing'
        if (!isDeepStrictEqual(second, first))
          differences.push(`${subject.name}, ${held} held: ${second?.verdict}`)
        words.add(`${first.verdict}, ${first.witness}`)
      }
  }
  return { differences, words }
}

/** Where two verifiers differ on these files, and which of them any takes for verified. */
export async function compared(
  written: readonly Written[],
  jwks: object,
): Promise<{ readonly differences: readonly string[]; readonly accepted: readonly string[] }> {
  const keys = fileOf(JSON.stringify(jwks), 'keys.json')
  const groups = alikeIn(written)
  const runs = groups.map((group) => ({ ...group[0], files: group.map(({ file }) => file), keys }))
  const differences: string[] = []
  const accepted: string[] = []
  for (const [run, said] of (await saidByBoth(runs)).entries())
    for (const [at, { first, second }] of said.entries()) {
      const { name, file } = groups[run]?.[at] ?? { name: '', file: '' }
      if (!isDeepStrictEqual(first, second))
        differences.push(
          `${name}: ${JSON.stringify(first)} and ${JSON.stringify(second)} (${file})`,
        )
      if (first.verdict === 'verified' || second?.verdict === 'verified') accepted.push(name)
    }
  return { differences, accepted }
}

/** The files in parts, in each of which all are compared with the same. */
function alikeIn(written: readonly Written[]): readonly (readonly Written[])[] {
  const groups = new Map<string, Written[]>()
  for (const each of written) {
    const name = JSON.stringify([each.known, each.tsa])
    const group = groups.get(name)
    if (group) group.push(each)
    else groups.set(name, [each])
  }
  return [...groups.values()]
}

/**
 * So many tampered files of these subjects in turn, by this seed. A third of each subject's is compared with nothing from
 * before, a third with all of its genuine files, the rest with one of them.
 */
export async function tamperedFiles(
  subjects: readonly Subject[],
  count: number,
  seed: number,
): Promise<ReadonlyMap<object, readonly Written[]>> {
  const random = seededRandom(seed)
  const kinds = Object.entries({ ...tamperings, ...rowTamperings })
  const byKeys = new Map<object, Written[]>()
  const held = await Promise.all(
    subjects.map(async (subject) => {
      const [none = [], all = [], ...single] = await knownOf(subject)
      return [none, all, single[random.below(single.length)] ?? []]
    }),
  )
  let made = 0
  for (let at = 0; made < count; at++) {
    const [kind, tamper] = kinds[at % kinds.length] ?? ['', () => null]
    const subject = subjects[Math.floor(at / kinds.length) % subjects.length]
    if (!subject) throw new Error('nothing to tamper with')
    const bytes = await tamper(subject, random)
    if (bytes === null || Buffer.compare(bytes, subject.pack) === 0) continue
    const file = join(folder, `tampered-${seed}-${at}.zip`)
    writeFileSync(file, bytes)
    const name = `${kind}, ${subject.name} (case ${at} of seed ${seed})`
    const known = held[subjects.indexOf(subject)]?.[made % 3] ?? []
    const tsa = subject.rootFile === undefined ? [] : [subject.rootFile]
    byKeys.set(subject.jwks, [...(byKeys.get(subject.jwks) ?? []), { name, file, known, tsa }])
    made++
  }
  return byKeys
}
