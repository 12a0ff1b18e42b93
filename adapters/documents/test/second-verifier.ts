import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { type EvidenceKeys, type Finding, readEvidenceKeys } from '@countersign/core/evidence'
import { seededRandom } from '@countersign/core/testing'
import { readAuthorityFiles, readKnownFiles, verifyFile } from '@countersign/documents/verify'
import { fileOf, folder } from './packs.ts'
import { rowTamperings } from './row-tamperings.ts'
import { type Subject, tamperings } from './tamperings.ts'

const program = fileURLToPath(new URL('../../../../conformance/verifier', import.meta.url))

/** Why the second verifier can't run on this machine; false where it can. */
export function isMissing(): string | false {
  const { status } = spawnSync('python3', ['-c', 'import cryptography'])
  return status === 0 ? false : 'needs python3 with the package cryptography'
}

/** What a verifier says of a file, as far as two of them must agree. */
export interface Said {
  readonly verdict: string
  /** Results and checks of all that failed or was left open. */
  readonly open: string
  readonly witness: string
}

function saidOf(verdict: string, witness: string, findings: readonly Finding[]): Said {
  const open = findings
    .filter(({ result }) => result === 'failed' || result === 'unchecked')
    .map(({ result, check }) => `${result} ${check}`)
  return { verdict, witness, open: [...new Set(open)].toSorted().join() }
}

/** What the second verifier says of these files, each with the same keys (JSON), in their order. */
export function saidBySecond(
  files: readonly string[],
  keys: string,
  known: readonly string[] = [],
  tsa: readonly string[] = [],
): readonly Said[] {
  const given = [
    ...['--keys', keys],
    ...known.flatMap((file) => ['--known', file]),
    ...tsa.flatMap((file) => ['--tsa', file]),
  ]
  const { stdout, stderr } = spawnSync('python3', ['-B', program, '--json', ...given, ...files], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  if (stdout === '') throw new Error(`the second verifier died: ${stderr}`)
  const { files: reports } = JSON.parse(stdout) as {
    readonly files: readonly {
      readonly verdict: string
      readonly witness: string
      readonly findings: readonly Finding[]
    }[]
  }
  return reports.map(({ verdict, witness, findings }) => saidOf(verdict, witness, findings))
}

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

/** Files that the second verifier is given in one process. */
const atOnce = 250

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
  for (const { pack, jwks, ...subject } of subjects) {
    const keys = readEvidenceKeys(jwks)
    if (!keys) throw new Error('the keys are malformed')
    const keyFile = fileOf(JSON.stringify(jwks), 'keys.json')
    const file = fileOf(pack)
    for (const known of await knownOf({ pack, jwks, ...subject })) {
      const [second] = saidBySecond([file], keyFile, known)
      const first = await saidByFirst(file, keys, known)
      if (!isDeepStrictEqual(second, first))
        differences.push(`${subject.name}, ${known.join() || 'nothing'} held: ${second?.verdict}`)
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
  const keys = readEvidenceKeys(jwks)
  if (!keys) throw new Error('the keys are malformed')
  const keyFile = fileOf(JSON.stringify(jwks), 'keys.json')
  const differences: string[] = []
  const accepted: string[] = []
  for (const some of alikeIn(written)) {
    const { known = [], tsa = [] } = some[0] ?? {}
    const second = saidBySecond(
      some.map(({ file }) => file),
      keyFile,
      known,
      tsa,
    )
    for (const [at, { name, file }] of some.entries()) {
      const [one, other] = [await saidByFirst(file, keys, known, tsa), second[at]]
      if (!isDeepStrictEqual(one, other))
        differences.push(`${name}: ${JSON.stringify(one)} and ${JSON.stringify(other)} (${file})`)
      if (one.verdict === 'verified' || other?.verdict === 'verified') accepted.push(name)
    }
  }
  return { differences, accepted }
}

/** The files in parts for one process each, in which all are compared with the same. */
function alikeIn(written: readonly Written[]): readonly (readonly Written[])[] {
  const groups = new Map<string, Written[]>()
  for (const each of written) {
    const name = JSON.stringify([each.known, each.tsa])
    const group = groups.get(name)
    if (group) group.push(each)
    else groups.set(name, [each])
  }
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / atOnce) }, (_, part) =>
      group.slice(part * atOnce, (part + 1) * atOnce),
    ),
  )
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
