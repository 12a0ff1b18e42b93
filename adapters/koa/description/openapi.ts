import { answerHeaders, countingHeaders } from '../answer-headers.ts'
import type { Host, Route } from '../operation.ts'
import { sessionCookie } from '../session.ts'
import { errorShape, rpcErrorShape } from './answers.ts'
import { groups } from './groups.ts'
import { createSchemaWriter, type Json } from './json-schema.ts'
import { headerParameters, operationObjectOf, tagOf } from './operation-object.ts'
import type { OperationWords } from './operation-words.ts'
import type { Samples } from './samples.ts'
import { templateOf } from './templates.ts'

/** What the description of a host's API is made of. */
export interface OpenApiSources {
  readonly routes: readonly Route[]
  readonly samples: Samples
  readonly words: OperationWords
  /** Of the packages. */
  readonly version: string
}

const intro = {
  ingest:
    'What applications call: they open review cases and hear of their decisions, and send what their agents did.',
  portal:
    'What people and integrations call: they decide cases, manage webhooks and keys, and export evidence.',
  staff:
    'What staff of the service call: they act on organizations and carry out what these asked for.',
} as const

const conventions = [
  'Times are ISO 8601 in UTC. Lengths of texts are in characters: Unicode code points.',
  'A member without a value is `null`. Ignore members that you do not know; a request with a member that the operation does not know is 400.',
  'Every refusal has one body; its `code` tells what happened, `detail` is for people.',
  'An id of another organization answers as an unknown one: 404.',
].join('\n\n')

/** The OpenAPI 3.1 document of a host, whole from the route table. */
export function openApiOf(host: Host, sources: OpenApiSources): Json {
  const { samples, words, version } = sources
  const rows = sources.routes.filter((row) => row.host === host)
  const writer = createSchemaWriter()
  writer.write(errorShape.json.answer)
  const paths: Record<string, Record<string, Json>> = {}
  for (const row of rows) {
    const path = templateOf(row, rows)
    paths[path] ??= {}
    paths[path][row.method.toLowerCase()] = operationObjectOf(row, path, {
      writer,
      samples,
      words,
    })
  }
  if (rows.some(({ errors }) => errors === 'rpc')) writer.write(rpcErrorShape.json.answer)
  const responses = shareResponses(paths)
  const used = referencesIn([paths, responses])
  return {
    openapi: '3.1.1',
    info: {
      title: `Countersign, ${host} API`,
      version,
      summary: intro[host],
      description: conventions,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(rows.map(tagOf))].map((name) => tagObject(name)),
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(writer.components()).map(([name, schema]) => [
          name,
          words.withMeanings(name, schema as Json),
        ]),
      ),
      responses,
      parameters: onlyUsed(headerParameters, 'parameters', used),
      headers: onlyUsed(headers, 'headers', used),
      securitySchemes: securitySchemes[host],
    },
  }
}

function tagObject(name: string): Json {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  return { name, 'x-displayName': title, description: groups[name] ?? `${title}.` }
}

const headers = Object.fromEntries(
  Object.entries(answerHeaders).map(([name, description]) => [
    name,
    {
      description,
      schema: { type: countingHeaders.has(name as never) ? 'integer' : 'string' },
    },
  ]),
)

const securitySchemes: Readonly<Record<Host, Json>> = {
  ingest: {
    applicationKey: apiKey('An application key, `svc_app_…`.'),
    applicationBearer: { type: 'http', scheme: 'bearer', description: 'The same key.' },
    customerKey: apiKey('The last segment of a customer key.'),
    customerBearer: { type: 'http', scheme: 'bearer', description: 'The same segment.' },
  },
  portal: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie.name,
      description: 'Set by `POST /v1/auth/login`, for 24 hours.',
    },
  },
  staff: {
    staffToken: { type: 'http', scheme: 'bearer', description: 'A token of the deployment.' },
  },
}

function apiKey(description: string): Json {
  return { type: 'apiKey', in: 'header', name: 'X-API-Key', description }
}

/** Puts responses that several operations have into the components; the paths then refer to them. */
function shareResponses(paths: Record<string, Record<string, Json>>): Json {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const responsesOf = (operation: Json) => operation.responses as Record<string, Json>
  const counts = new Map<string, number>()
  for (const operation of operations)
    for (const response of Object.values(responsesOf(operation))) {
      const text = JSON.stringify(response)
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
  const names = new Map<string, string>()
  const shared: Record<string, Json> = {}
  for (const operation of operations) {
    const responses = responsesOf(operation)
    for (const [status, response] of Object.entries(responses)) {
      const text = JSON.stringify(response)
      if (status.startsWith('2') || (counts.get(text) ?? 0) < 2) continue
      const name = names.get(text) ?? freeName(`Status${status}`, shared)
      names.set(text, name)
      shared[name] = response
      responses[status] = { $ref: `#/components/responses/${name}` }
    }
  }
  return shared
}

/** Numbered by the order of the table, which the document keeps. */
function freeName(stem: string, taken: Json): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? stem : `${stem}.${number}`
    if (!(name in taken)) return name
  }
}

function referencesIn(value: unknown): ReadonlySet<string> {
  return new Set([...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to = '']) => to))
}

function onlyUsed(all: Json, kind: string, used: ReadonlySet<string>): Json {
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => used.has(`#/components/${kind}/${name}`)),
  )
}
