import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { ok } from '@countersign/core/ledger'
import { anyone } from './callers.ts'
import { openApiAnswer } from './description/description-answers.ts'
import { type Encoded, json } from './media.ts'
import type { Host, Route } from './operation.ts'
import { meterOf } from './rate-limit.ts'
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
  const tag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`
  return { bytes: bytes as Encoded<T>, tag }
}

const cached = { 'Cache-Control': 'public, max-age=3600' }

function openApi(host: Host): Route {
  const read = documentOf<typeof openApiAnswer._output>(`openapi-${host}.json`)
  return route({
    ...anyone,
    host,
    name: 'description.read',
    summary: 'Read the description of this API as OpenAPI 3.1',
    method: 'GET',
    path: '/openapi.json',
    answer: json(openApiAnswer, 'ETag'),
    refuses: [],
    handle: async ({ ctx }) => {
      const { bytes, tag } = await read()
      meterOf(ctx)(bytes.length)
      return ok({ body: bytes, headers: { ...cached, ETag: tag } })
    },
  })
}

/** The interface for machines (interface, Operations). */
export const descriptionRoutes: readonly Route[] = [openApi('ingest'), openApi('portal')]
