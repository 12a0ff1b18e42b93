import { type PackHead, unlistedFiles } from '@countersign/core/evidence'
import type { SeededRandom } from '@countersign/core/testing'
import { fileOf, packedAgain } from './packs.ts'
import { knownOf, type Written } from './second-verifier.ts'
import type { Json, Subject } from './tamperings.ts'

type Files = ReadonlyMap<string, Uint8Array>
/** A pack that its issuer made oddly: files of the genuine one, and how the manifest differs. */
type Odd = readonly [name: string, files: Files, head?: Partial<PackHead>]

const dayMs = 86_400_000
const nameOf = (path: string) => path.replace(/.*\//, '')

function shuffled<T>(random: SeededRandom, all: readonly T[]): readonly T[] {
  const left = [...all]
  return all.map(() => left.splice(random.below(left.length), 1)[0] as T)
}

/** Texts of a list of lines that say the same, or nearly. */
function linesOddly(text: string): Readonly<Record<string, string>> {
  return {
    'blank lines': text.replace(/\n/, '\n\n'),
    'carriage returns': text.replaceAll('\n', '\r\n'),
    'no last newline': text.trimEnd(),
    'a line of spaces': `${text}  \n`,
    'a space ahead': ` ${text}`,
    'a tab': text.replace(/,/, ',\t'),
    'a null': `${text}null\n`,
    'a list': `${text}[]\n`,
    'an empty object': `${text}{}\n`,
    'a text': `${text}"x"\n`,
    'other order': `${text.trimEnd().split('\n').reverse().join('\n')}\n`,
    'the first twice': `${text.split('\n')[0]}\n${text}`,
    nothing: '',
    'U+0085 for a newline': text.replace(/\n/, '\u0085\n'),
    'U+2028 for a newline': text.replace(/\n/, '\u2028\n'),
  }
}

function heads(manifest: Json): Readonly<Record<string, Json>> {
  const scope = manifest.scope as Json
  const ids = (scope.applicationIds ?? []) as readonly unknown[]
  const scopes: readonly unknown[] = [
    ...[null, [], {}],
    { ...scope, applicationIds: 'x' },
    { ...scope, applicationIds: [null, ...ids] },
    { ...scope, applicationIds: [...ids, ...ids] },
    { ...scope, applicationIds: [] },
    { ...scope, auditLog: null },
  ]
  const told: readonly Json[] = [
    ...scopes.map((each) => ({ scope: each })),
    ...['bulk', 'auditor', 'subject', 'other'].map((packType) => ({ packType })),
    ...[null, 'ten_other'].map((tenantId) => ({ tenantId })),
  ]
  return Object.fromEntries(told.map((each) => [JSON.stringify(each).slice(0, 80), each]))
}

function* oddly({ files }: Subject, random: SeededRandom): Generator<Odd, void, undefined> {
  const manifest = JSON.parse(Buffer.from(files.get('manifest.json') ?? '').toString()) as Json
  const at = Date.parse(String(manifest.createdAt))
  const members = new Map(files)
  for (const name of [...unlistedFiles, 'README.txt']) members.delete(name)
  const paths = [...members.keys()]
  for (let count = 0; count < 8; count++)
    yield ['another order', new Map(shuffled(random, [...members]))]
  for (const ms of [-400 * dayMs, -dayMs, -3_600_001, -60_000, -59_999, 59_999, dayMs, 400 * dayMs])
    yield [`told ${ms} ms off`, members, { createdAt: new Date(at + ms).toISOString() }]
  for (const createdAt of [
    '2026-03-14T09:32:00Z',
    '2026-03-14T09:32:00.000000Z',
    '2026-03-14T09:32:00.000+00:00',
    '1979-01-01T00:00:00.000Z',
    '2026-02-30T00:00:00.000Z',
  ])
    yield [`told at ${createdAt}`, members, { createdAt }]
  for (const [name, head] of Object.entries(heads(manifest))) yield [name, members, head]
  for (const path of paths.filter((each) => each.endsWith('.jsonl'))) {
    const text = Buffer.from(members.get(path) ?? '').toString()
    for (const [name, other] of Object.entries(linesOddly(text)))
      if (other !== text)
        yield [`${nameOf(path)}: ${name}`, new Map(members).set(path, Buffer.from(other))]
  }
  for (const path of paths) {
    const less = new Map(members)
    less.delete(path)
    yield [`without ${nameOf(path)}`, less]
  }
  for (const path of [
    ...['applications/app_x/batches.jsonl', 'x/batches.jsonl', 'batches.jsonl', 'a.json'],
    ...['x/audit-log.jsonl', 'audit-log.jsonl', 'x/anchors.jsonl', 'x/evidence.json'],
    ...['x/authenticators.json', 'x/verification-keys.json'],
  ])
    if (!members.has(path)) {
      const like = paths.find((each) => nameOf(each) === nameOf(path)) ?? paths[0] ?? ''
      yield [`with ${path}`, new Map(members).set(path, members.get(like) ?? new Uint8Array())]
    }
}

/**
 * Packs as their issuer could make them of the files of a genuine one, and does not: in another order, told at other times or
 * of another kind, with other lines, without one file or with one more; compared with nothing from before and with all of the
 * genuine pack.
 */
export async function oddPacks(
  subject: Subject,
  random: SeededRandom,
): Promise<readonly Written[]> {
  const [none = [], all = []] = await knownOf(subject)
  const written: Written[] = []
  for (const [name, files, head = {}] of oddly(subject, random)) {
    const again = new Map(files).set(
      'manifest.json',
      subject.files.get('manifest.json') ?? new Uint8Array(),
    )
    const bytes = await packedAgain(again, subject.sealer, head)
    const file = fileOf(bytes)
    for (const known of [none, all]) written.push({ name: `${subject.name}, ${name}`, file, known })
  }
  return written
}
