import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Shape } from '@countersign/core/kernel'
import { ok } from '@countersign/core/ledger'
import { tagOf } from './answer-tag.ts'
import { anyone } from './callers.ts'
import { asyncApiShape, openApiShape } from './description/description-answers.ts'
import { type Encoded, json } from './media.ts'
import { type Host, hosts, type Route } from './operation.ts'
import { route } from './route.ts'

// Found through the package, since a bundle of this module lies elsewhere.
const { resolve } = createRequire(import.meta.url)

interface Document<T> {
  readonly bytes: Encoded<T>
  readonly tag: string
}

/** A document of this package, read when it is first asked for. */
function documentOf<T>(file: string): () => Promise<Document<T>> {
  let read: Promise<Document<T>> | null = null
  return () => {
    read ??= readDocument<T>(file).catch((error: Error) => {
      // The next request looks again.
      read = null
      throw error
    })
    return read
  }
}

async function readDocument<T>(file: string): Promise<Document<T>> {
  const text = await readFile(resolve(`@countersign/koa/${file}`), 'utf8')
  const bytes = Buffer.from(JSON.stringify(JSON.parse(text)))
  return { bytes: bytes as Encoded<T>, tag: tagOf(bytes) }
}

const cached = { 'Cache-Control': 'public, max-age=3600' }

function description<T>(
  row: {
    readonly host: Host
    readonly name: string
    readonly summary: string
    readonly path: string
  },
  file: string,
  shape: Shape<unknown, unknown, T>,
): Route {
  const read = documentOf<T>(file)
  return route({
    ...anyone,
    ...row,
    method: 'GET',
    answer: json(shape, 'ETag'),
    refuses: [],
    handle: async () => {
      const { bytes, tag } = await read()
      return ok({ body: bytes, headers: { ...cached, ETag: tag } })
    },
  })
}

function openApi(host: Host): Route {
  const summary = 'Read the description of this API as OpenAPI 3.1'
  const row = { host, name: 'description.read', summary, path: '/openapi.json' }
  return description(row, `openapi-${host}.json`, openApiShape)
}

const eventCatalog = description(
  {
    host: 'portal',
    name: 'description.events',
    summary: 'Read the catalogue of events and the outcome callback as AsyncAPI 3.0',
    path: '/v1/event-catalog',
  },
  'asyncapi.json',
  asyncApiShape,
)

/** The interface for machines (interface, Operations). */
export const descriptionRoutes: readonly Route[] = [...hosts.map(openApi), eventCatalog]
