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
  readonly samples: Samples
  /** The text of core/docs/interface.md. */
  readonly wire: string
  readonly words: Words
  readonly version: string
}

/** Every description of the API, by the name of its file. */
export function describeApi(
  { samples, wire, words, version }: DescriptionSources,
  table: readonly Route[] = routes,
): Readonly<Record<string, Json>> {
  const tables = readWire(wire)
  const sources = {
    routes: table,
    samples,
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
