import * as z from 'zod'
import { routes } from '../api.ts'
import { hosts, type Route } from '../operation.ts'
import { asyncApiOf } from './asyncapi.ts'
import type { Json } from './json-schema.ts'
import { openApiOf } from './openapi.ts'
import { readOperationWords } from './operation-words.ts'
import type { Samples } from './samples.ts'
import { readWire } from './wire.ts'
import type { Words } from './words.ts'

/** What the descriptions are made of, beside the route table and the event catalogue. */
export interface DescriptionSources {
  /** The modules whose exports are schemas of answers, `<name>Answer`. */
  readonly answers: readonly Readonly<Record<string, unknown>>[]
  readonly samples: Samples
  /** The text of core/docs/interface.md. */
  readonly wire: string
  readonly words: Words
  readonly version: string
}

/** Every description of the API, by the name of its file. */
export function describeApi(
  { answers, samples, wire, words, version }: DescriptionSources,
  table: readonly Route[] = routes,
): Readonly<Record<string, Json>> {
  const tables = readWire(wire)
  const sources = {
    routes: table,
    samples,
    named: namesOf(answers),
    words: readOperationWords(tables, words),
    version,
  }
  return {
    ...Object.fromEntries(hosts.map((host) => [`openapi-${host}.json`, openApiOf(host, sources)])),
    'asyncapi.json': asyncApiOf(tables, words),
  }
}

/** A document as its file holds it, one member a line, so that a review sees what changed. */
export function fileText(document: Json): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

/** `caseAnswer` is `Case`; one schema has one name, and one name is of one schema. */
function namesOf(modules: DescriptionSources['answers']): ReadonlyMap<string, z.ZodType> {
  const named = new Map<string, z.ZodType>()
  const known = new Set<unknown>()
  for (const [exported, schema] of modules.flatMap((each) => Object.entries(each))) {
    if (!(schema instanceof z.ZodType) || known.has(schema)) continue
    const stem = exported.replace(/Answer$/, '')
    const name = stem.charAt(0).toUpperCase() + stem.slice(1)
    if (named.has(name))
      throw new Error(`two answers are called ${name}: rename one of ${exported}`)
    named.set(name, schema)
    known.add(schema)
  }
  return named
}
