import { type EvidenceDocument, signDocument } from '@countersign/core/evidence'
import {
  type OpenEvidence,
  openEvidence,
  resealedEvidence,
  type SeededRandom,
} from '@countersign/core/testing'
import { oddTexts } from './odd-values.ts'
import { fileOf, type Sealer } from './packs.ts'
import type { Written } from './second-verifier.ts'
import type { Json, Subject } from './tamperings.ts'

/** Members that a document or what it seals may have and a sample has not. */
const others = [
  'metadata',
  'dataSubjectId',
  'checkpointId',
  'late',
  'ruleName',
  'followUps',
  'leafType',
]

/** A change of a document and of what its leaves have of it. */
interface Change {
  readonly name: string
  /** Before it is sealed. */
  make(document: OpenEvidence): void
  /** After it was sealed, which sets some members, and before it is signed. */
  makeAgain(document: OpenEvidence): void
}

type Path = readonly (string | number)[]

/** Where a document tells something (first), and where its leaves have it (second); null: nowhere. */
function pairsOf(document: OpenEvidence): readonly (readonly [Path | null, Path | null])[] {
  const input: Path = ['integrity', 'leafInput']
  const each = <T>(list: readonly T[] | null | undefined, pairs: (at: number, item: T) => Pairs) =>
    (list ?? []).flatMap((item, at) => pairs(at, item))
  type Pairs = readonly (readonly [Path | null, Path | null])[]
  const { steps, policyResults, scores, reviewCases } = document
  return [
    ...[[], ['session'], ['application'], ['integrity']].map((told) => [told, input] as const),
    [['session', 'sealed'], null],
    [
      ['session', 'agent'],
      [...input, 'agent'],
    ],
    ...each(steps, (at) => [
      [
        ['steps', at],
        [...input, 'steps', at],
      ] as const,
      [
        ['steps', at, 'payload'],
        [...input, 'steps', at],
      ] as const,
      [
        ['steps', at, 'payload', 'nonces'],
        [...input, 'steps', at, 'payloads', 0],
      ] as const,
    ]),
    ...each(policyResults, (at) => [
      [
        ['policyResults', at],
        [...input, 'policyResults', at],
      ] as const,
    ]),
    ...each(scores, (at) => [
      [
        ['scores', at],
        [...input, 'scores', at],
      ] as const,
    ]),
    ...each(reviewCases, (at, review) => {
      const told: Path = ['reviewCases', at]
      const record = [...told, 'integrity', 'leafInput']
      const within = [
        [],
        ['integrity'],
        ['checkpoint'],
        ['assignment'],
        ['nonces'],
        ['presentation'],
      ]
      return [
        ...within.map((path) => [[...told, ...path], record] as const),
        ...each(review.history as Json[], (step) => [[[...told, 'history', step], null] as const]),
      ]
    }),
  ]
}

function objectAt(document: unknown, path: Path | null | undefined): Json | null {
  let found = path ? document : null
  for (const name of path ?? [])
    found = typeof found === 'object' && found !== null ? (found as Json)[name] : null
  return isObject(found) ? found : null
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function pick<T>(random: SeededRandom, all: readonly T[]): T {
  return all[random.below(all.length)] as T
}

/** Odd values that are short, and none: the member is taken away. */
const odds: readonly (string | null)[] = [null, ...oddTexts.filter(({ length }) => length < 300)]

function putIn(holder: Json, name: string, odd: string | null): void {
  if (odd === null) Reflect.deleteProperty(holder, name)
  else holder[name] = JSON.parse(odd) as unknown
}

/** A drawn member of one object, odd where it is told, where it is sealed, or in both; a list may have an odd item more. */
function drawnMember(document: OpenEvidence, random: SeededRandom): Change {
  const pairs = pairsOf(document)
  const at = random.below(pairs.length)
  const paths = pairs[at] ?? []
  const names = paths.flatMap((path) => Object.keys(objectAt(document, path) ?? {}))
  const name = pick(random, [...new Set(names), ...(random.chance(0.2) ? others : [])])
  const odd = pick(random, odds)
  const isItem = random.chance(0.3)
  const sides = pick(random, [
    ['told'],
    ['sealed'],
    ['told', 'sealed'],
    ['told', 'sealed'],
  ] as const)
  const put = (of: OpenEvidence, path: Path | null | undefined) => {
    const holder = objectAt(of, path)
    const was = holder?.[name]
    if (holder && isItem && Array.isArray(was)) holder[name] = [...was, JSON.parse(odd ?? 'null')]
    else if (holder) putIn(holder, name, odd)
  }
  return {
    name: `${(paths[0] ?? []).join('.')}.${name}: ${isItem ? 'item ' : ''}${odd}, ${sides.join(' and ')}`,
    make(of) {
      if (sides.some((side) => side === 'sealed')) put(of, paths[1])
      if (sides.some((side) => side === 'told')) put(of, paths[0])
    },
    makeAgain: (of) => sides.some((side) => side === 'told') && put(of, paths[0]),
  }
}

/** Puts an odd value, or none, in the place of all members of a name, or of all with a value. */
export function everywhere(
  document: object,
  odd: string | null,
  isMeant: (name: string, value: unknown) => boolean,
): void {
  for (const [name, value] of Object.entries(document))
    if (!Array.isArray(document) && isMeant(name, value)) putIn(document as Json, name, odd)
    else if (typeof value === 'object' && value !== null) everywhere(value, odd, isMeant)
}

/** All that is called as a drawn member, or all that has the same value. */
function drawnEverywhere(document: OpenEvidence, random: SeededRandom): Change {
  const found: [string, unknown][] = []
  everywhere(structuredClone(document), null, (...each) => found.push(each) === 0)
  const [name, was] = pick(random, found)
  const odd = pick(random, odds)
  const isByName = random.chance(0.5)
  return {
    name: `${isByName ? name : JSON.stringify(was)} everywhere: ${odd}`,
    make: (of) => everywhere(of, odd, (each, value) => (isByName ? each === name : value === was)),
    makeAgain: () => {},
  }
}

/** The text of a document that its issuer changed, sealed and signed anew. */
export function sealedAnew(
  genuine: EvidenceDocument,
  sealer: Sealer,
  { make, makeAgain }: Pick<Change, 'make' | 'makeAgain'>,
): string {
  const forged = openEvidence(genuine)
  make(forged)
  let document: object = forged
  try {
    document = resealedEvidence(forged, sealer)
    const open = openEvidence(document as EvidenceDocument)
    makeAgain(open)
    document = open
    document = signDocument(open as unknown as EvidenceDocument, sealer)
  } catch {
    // What has no canonical form, or is no object, stays under the leaf and the signature that it had.
  }
  return JSON.stringify(document)
}

/** So many files of evidence documents that an issuer rewrote oddly; half of the readers hold the genuine document. */
export function oddlySealedFiles(
  { name: of, files, sealer }: Pick<Subject, 'name' | 'files' | 'sealer'>,
  count: number,
  random: SeededRandom,
): readonly Written[] {
  const genuine = [...files]
    .filter(([path]) => path.endsWith('evidence.json'))
    .map(([, bytes]) => ({
      document: JSON.parse(Buffer.from(bytes).toString()) as EvidenceDocument,
      file: fileOf(bytes, 'evidence.json'),
    }))
  return Array.from({ length: genuine.length > 0 ? count : 0 }, (_, at): Written => {
    const { document, file } = pick(random, genuine)
    const draw = random.chance(0.4) ? drawnEverywhere : drawnMember
    const change = draw(openEvidence(document), random)
    const text = sealedAnew(document, sealer, change)
    const known = random.chance(0.5) ? [] : [file]
    return { name: `${of}, case ${at}: ${change.name}`, file: fileOf(text, 'evidence.json'), known }
  })
}

/** Files of a document without one of its members each, the first of its name, signed by its issuer so. */
export function filesWithoutMembers(
  document: EvidenceDocument,
  sealer: Sealer,
): readonly Written[] {
  const places = new Map<string, Path>()
  const walk = (value: unknown, path: Path) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      const place = [...path, Array.isArray(value) ? Number(name) : name]
      const named = place.map((each) => (typeof each === 'number' ? '' : each)).join('.')
      if (!Array.isArray(value) && !places.has(named)) places.set(named, place)
      walk(member, place)
    }
  }
  walk(openEvidence(document), [])
  return [...places].map(([name, place]): Written => {
    const makeAgain = (of: object) =>
      putIn(objectAt(of, place.slice(0, -1)) ?? {}, String(place.at(-1)), null)
    const text = sealedAnew(document, sealer, { make: () => {}, makeAgain })
    return { name, file: fileOf(text, 'evidence.json'), known: [] }
  })
}

/** Members by which things are told apart. */
const ids = ['tenantId', 'applicationId', 'sessionId', 'stepId', 'reviewCaseId', 'batchId']

/** Files of a document whose ids of one kind are something else than text, or missing, wherever it has them. */
export function filesWithoutIds(document: EvidenceDocument, sealer: Sealer): readonly Written[] {
  return ids.flatMap((id) =>
    odds
      .filter((odd) => odd === null || typeof JSON.parse(odd) !== 'string' || odd === '""')
      .map((odd): Written => {
        const make = (of: object) => everywhere(of, odd, (name) => name === id)
        const text = sealedAnew(document, sealer, { make, makeAgain: () => {} })
        return { name: `${id}: ${odd}`, file: fileOf(text, 'evidence.json'), known: [] }
      }),
  )
}
