import type { SeededRandom } from '@countersign/core/testing'
import { fileOf, packedAgain, zipOf } from './packs.ts'
import { compared, type Written } from './second-verifier.ts'
import type { Subject } from './tamperings.ts'

/** JSON of values that a parser takes and that no service writes: of objects without a text, nesting, numbers, halves. */
export const oddTexts: readonly string[] = [
  ...['{"toString":null}', '{"toString":1,"valueOf":null}', '{"toJSON":1}', '{"constructor":null}'],
  ...['{"__proto__":null}', '[{"toString":null}]', '[]', '{}', 'true', 'null', '""', '7', '-0.5'],
  ...['1e999', '"\\ud800"', '"x\\udfff"', `${'['.repeat(300)}${']'.repeat(300)}`],
  `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
]

type Path = readonly (string | number)[]

/** Stands for the value until the text is made. */
const mark = 'the odd value'

/** Where values stand in a JSON document: scalars, objects and lists. */
function placesIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const within = Object.entries(value).flatMap(([name, member]) =>
    placesIn(member, [...path, Array.isArray(value) ? Number(name) : name]),
  )
  return path.length > 0 ? [path, ...within] : within
}

function put(document: unknown, path: Path): void {
  let holder = document as Record<string | number, unknown>
  for (const name of path.slice(0, -1)) holder = holder[name] as typeof holder
  holder[path.at(-1) ?? ''] = mark
}

/** The JSON text with an odd value at a drawn place. */
function changed(text: string, random: SeededRandom, odd: string): string {
  const document: unknown = JSON.parse(text)
  const places = placesIn(document)
  put(document, places[random.below(places.length)] ?? [])
  const [end = ''] = /\n?$/.exec(text) ?? []
  return JSON.stringify(document).replace(JSON.stringify(mark), () => odd) + end
}

/** One member of a pack with an odd value in one place, sealed by its issuer as it is. */
export function withOddValue(
  { files, sealer }: Pick<Subject, 'files' | 'sealer'>,
  random: SeededRandom,
  odd: string,
  which: RegExp = /\.jsonl?$/,
): Promise<Uint8Array> {
  const paths = [...files.keys()].filter(
    (path) => which.test(path) && !/^(?:manifest|public-key)\.json$/.test(path),
  )
  const path = paths[random.below(paths.length)] ?? ''
  const text = withOddLine(Buffer.from(files.get(path) ?? []).toString(), random, odd)
  return packedAgain(new Map(files).set(path, Buffer.from(text)), sealer)
}

/** The text of a JSON document or a list of lines with an odd value at one place. */
export function withOddLine(text: string, random: SeededRandom, odd: string): string {
  const lines = text.split(/(?<=\n)/)
  const at = random.below(lines.length)
  const line = lines[at] ?? ''
  return lines.with(at, line === '' ? line : changed(line, random, odd)).join('')
}

/** A pack whose manifest has an odd value in one place, signed by its issuer as it is. */
export function withOddManifest(
  { files, sealer }: Pick<Subject, 'files' | 'sealer'>,
  random: SeededRandom,
  odd: string,
): Promise<Uint8Array> {
  const text = changed(Buffer.from(files.get('manifest.json') ?? []).toString(), random, odd)
  const manifest = Buffer.from(text)
  const signature = Buffer.from(sealer.sign('', manifest)).toString('base64')
  return zipOf(
    new Map(files).set('manifest.json', manifest).set('manifest.sig', Buffer.from(signature)),
  )
}

/** What two verifiers say of the pack of samples with each of these texts in place of a value. */
export async function comparedOddly(
  subjects: readonly Subject[],
  random: SeededRandom,
  odd: readonly string[],
  which?: RegExp,
): ReturnType<typeof compared> {
  const subject = subjects.find(({ name }) => name === 'sample')
  if (!subject) throw new Error('there is no pack of samples')
  // The pack is the same in each run, and so are the places.
  const written = odd.map(async (each): Promise<Written> => {
    const file = fileOf(await withOddValue(subject, random, each, which))
    return { name: each.slice(0, 30), file, known: [] }
  })
  return compared(await Promise.all(written), subject.jwks)
}
