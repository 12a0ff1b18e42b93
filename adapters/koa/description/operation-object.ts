import { rights } from '@countersign/core/access'
import { binary } from '../download.ts'
import { formOfId } from '../id-form.ts'
import { jsonType } from '../media.ts'
import type { Route } from '../operation.ts'
import { isOwnInAnyMode } from '../permit.ts'
import { errorResponsesOf, headerReferences, rateHeadersOf } from './error-responses.ts'
import type { Json, SchemaWriter } from './json-schema.ts'
import type { OperationWords } from './operation-words.ts'
import { type Samples, sampleKeyOf } from './samples.ts'

/** What an operation is described with, beside its row. */
export interface Sources {
  readonly writer: SchemaWriter
  readonly samples: Samples
  readonly words: OperationWords
}

/** An operation of an OpenAPI document at a path, made of its row and its sample. */
export function operationObjectOf(row: Route, template: string, sources: Sources): Json {
  const { writer, samples, words } = sources
  const sample = samples[sampleKeyOf(row)]
  const parameters = [
    ...pathParametersOf(row, template, sample?.params),
    ...queryParametersOf(row, writer, sample?.query),
    ...headerParametersOf(row),
  ]
  const errors = errorResponsesOf(row)
  const description = descriptionOf(row)
  return {
    operationId: row.name,
    tags: [tagOf(row)],
    summary: row.summary,
    ...(description !== '' && { description }),
    security: securityOf(row),
    ...(parameters.length > 0 && { parameters }),
    ...(row.body.types.length > 0 && {
      requestBody: requestBodyOf(
        row,
        writer,
        sample?.body && { ...sample.body, ...sample.optional },
      ),
    }),
    responses: {
      [String(row.answer.status ?? 200)]: successOf(
        row,
        words.answerOf(row),
        writer,
        sample?.answer,
      ),
      ...(isConditional(row) && { '304': notModified(row) }),
      ...Object.fromEntries([...errors].map(([status, response]) => [String(status), response])),
    },
  }
}

/** The group of operations that it is listed with. */
export function tagOf({ name }: Pick<Route, 'name'>): string {
  return name.slice(0, name.indexOf('.'))
}

/** Whether an unchanged answer is told by its tag alone. */
function isConditional({ method, answer }: Route): boolean {
  return method === 'GET' && (answer.headers ?? []).includes('ETag')
}

function notModified(row: Route): Json {
  return {
    description: 'Unchanged since the tag of `If-None-Match`.',
    headers: headerReferences(['X-Request-Id', 'ETag', ...rateHeadersOf(row)]),
  }
}

function descriptionOf(row: Route): string {
  const { right, feature, body, auth, throttled } = row
  const members = right === null || auth !== 'member' ? 'any' : rights[right].members
  const who = typeof members === 'string' ? members : members.join(' or ')
  return [
    ...(auth === 'none' ? ['Needs no credential.'] : []),
    ...(members === 'any' || members === 'none' ? [] : [`Needs ${who}.`]),
    ...(feature === null ? [] : [`Needs a plan that includes ${feature}.`]),
    ...(body.types.length > 0 ? [`The body holds at most ${bytesOf(body.limit)}.`] : []),
    ...(throttled ? ['Failures slow down what comes next from their device or address.'] : []),
  ].join(' ')
}

function bytesOf(limit: number): string {
  const kib = limit / 1024
  return kib >= 1024 ? `${kib / 1024} MiB` : `${kib} KiB`
}

function securityOf({ auth }: Route): readonly Json[] {
  switch (auth) {
    case 'none':
      return []
    case 'member':
      return [{ session: [] }]
    case 'application':
      return [{ applicationKey: [] }, { applicationBearer: [] }]
    case 'customerKey':
      return [{ customerKey: [] }, { customerBearer: [] }]
    case 'staff':
      return [{ staffToken: [] }]
  }
}

function pathParametersOf(
  { path }: Route,
  template: string,
  examples: Readonly<Record<string, string>> = {},
): Json[] {
  const shown = Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
  return Array.from(path.matchAll(/:(\w+)/g), ([, own = '']) => own).map((own, at) => {
    const name = shown[at] ?? own
    return {
      name,
      in: 'path',
      required: true,
      description: `${name === own ? '' : `The ${own}. `}Anything else, and an unknown id, is 404.`,
      schema: { type: 'string', pattern: formOfId(own).source },
      ...(examples[own] !== undefined && { example: examples[own] }),
    }
  })
}

const parameterTexts: Readonly<Record<string, string>> = {
  page: 'Counted from 1.',
  pageSize: 'Rows of a page.',
  after: 'The `next` of the answer before; not beside `page` and `pageSize`.',
  limit: 'Rows at most; not beside `page` and `pageSize`.',
  applicationId: 'The application, where several have the same id.',
}

function queryParametersOf(
  { query }: Route,
  writer: SchemaWriter,
  examples: Readonly<Record<string, string>> = {},
): Json[] {
  const { properties = {}, required = [] } = writer.write(query.schema) as {
    readonly properties?: Readonly<Record<string, Json>>
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name) && !('default' in schema),
    ...(parameterTexts[name] !== undefined && { description: parameterTexts[name] }),
    schema,
    ...(examples[name] !== undefined && { example: exampleOf(schema, examples[name]) }),
  }))
}

/** What the text of a parameter stands for. */
function exampleOf({ type }: Json, text: string): unknown {
  return type === 'integer' || type === 'boolean' ? JSON.parse(text) : text
}

function headerParametersOf(row: Route): Json[] {
  const { host, auth, refuses } = row
  const names = [
    'RequestId',
    ...(refuses.includes('version_conflict') ? ['IfMatch'] : []),
    ...(isConditional(row) ? ['IfNoneMatch'] : []),
    ...(auth === 'customerKey' ? ['KeyComponent'] : []),
    ...(host === 'portal' && auth === 'member' && !isOwnInAnyMode(row) ? ['Sandbox'] : []),
    ...(row.body.encodings?.length ? ['ContentEncoding'] : []),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

/** Header parameters that operations refer to. */
export const headerParameters: Readonly<Record<string, Json>> = {
  RequestId: header('X-Request-Id', 'Names the request in logs and errors.', {
    pattern: '^[A-Za-z0-9._-]{1,64}$',
  }),
  IfMatch: header(
    'If-Match',
    'The `ETag` of what the caller saw; stands for the version in the body, and wins over it.',
    {},
  ),
  IfNoneMatch: header(
    'If-None-Match',
    'The `ETag` of what the caller has; 304 if it is unchanged.',
    {},
  ),
  KeyComponent: header('X-Key-Component', 'The segment of the customer key before the secret.', {}),
  Sandbox: header('X-Service-Sandbox', 'Shows the read-only sandbox; every change is 403.', {
    enum: ['true'],
  }),
  ContentEncoding: header('Content-Encoding', 'How the body is compressed.', {
    enum: ['gzip', 'identity'],
  }),
}

function header(name: string, description: string, schema: Json): Json {
  return { name, in: 'header', description, schema: { type: 'string', ...schema } }
}

function requestBodyOf({ body }: Route, writer: SchemaWriter, example: unknown): Json {
  const { input } = body
  const required = input === null || !input.read({}).ok
  const schema = input === null ? { type: 'object' } : writer.write(input.schema)
  const content = { schema, ...(example !== undefined && { example }) }
  return {
    required,
    content: Object.fromEntries(
      body.types.map((type) => [type, type === jsonType ? content : { schema: binary }]),
    ),
  }
}

function successOf(row: Route, description: string, writer: SchemaWriter, example: unknown): Json {
  const { types, schema, headers = [] } = row.answer
  const written = writer.write(schema)
  return {
    description,
    headers: headerReferences(['X-Request-Id', ...rateHeadersOf(row), ...headers]),
    content: Object.fromEntries(
      types.map((type) => [
        type,
        type === jsonType
          ? { schema: withoutBytes(written), ...(isJsonExample(example) && { example }) }
          : { schema: binary },
      ]),
    ),
  }
}

/** Of an answer in several media types, what its JSON is. */
function withoutBytes(schema: Json): Json {
  if (!Array.isArray(schema.anyOf)) return schema
  const [only, ...more] = (schema.anyOf as readonly Json[]).filter(
    ({ format }) => format !== 'binary',
  )
  return only && more.length === 0 ? only : schema
}

function isJsonExample(example: unknown): boolean {
  return typeof example === 'object' && example !== null
}
