// Writes what is generated of `@countersign/client` from the route table: the tables of operations, and the types of
// what they take and answer. `npm run describe` writes the files, and the tables of core/docs/interface.md;
// `sourcesOfClient` makes them for the test that compares.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { sourceOfInterface } from './interface.mjs'
import { home } from './packages.mjs'

const koa = (file) => import(pathToFileURL(join(home, 'adapters/koa/dist', file)).href)
const { routes: allRoutes } = await koa('index.js')
// Staff of a deployment is no customer, and has no client.
const routes = allRoutes.filter(({ host }) => host !== 'staff')
const { errorShape, rpcErrorShape } = await koa('description/answers.js')

const head =
  '// Generated from the route table by .ci/client.mjs: change that, and run `npm run describe`.\n'

/** Operations that may be sent again though they were carried out, beside reads: what they store has a key of its own. */
const repeated = new Set(['ingest.otlp', 'ingest.submit'])

/** Removals that are refused the second time, and whose answer tells what is gone then. */
const unrepeated = new Set(['annotations.remove'])

/** As the formatter sorts imports: by letters, and capitals first of the same letter. */
const byName = (a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)
const placeOf = (name) =>
  name.replace(/[A-Za-z]/g, (each) => `${each.toLowerCase()}${each > 'Z' ? 1 : 0}`)
const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1)
const jsonType = 'application/json'

/** Answers by name, and the names of schemas. */
const answers = {}
const named = new Map()
for (const { json } of [errorShape, rpcErrorShape]) titled(json.answer)
for (const { answer } of routes) {
  const { $ref } = titled(inJson(answer.schema))
  if ($ref) named.set(answer.schema, nameOf($ref))
}

/** Of an answer in JSON or as a file, the JSON. */
function inJson(schema) {
  const isFile = ({ format }) => format === 'binary'
  return schema.anyOf?.some(isFile) ? schema.anyOf.find((part) => !isFile(part)) : schema
}

/** A shape's schema with a reference in place of each object that has a title, which becomes a named answer. */
function titled(schema) {
  if (Array.isArray(schema)) return schema.map(titled)
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, ...rest } = schema
  // Among `properties` it is a member of that name.
  const own = typeof title === 'string' ? rest : schema
  const parts = Object.fromEntries(Object.entries(own).map(([key, part]) => [key, titled(part)]))
  if (typeof title !== 'string') return parts
  answers[`${title}Answer`] = parts
  return { $ref: `#/$defs/${title}Answer` }
}

function nameOf(reference) {
  return reference.split('/').at(-1)
}

/** A JSON schema as a type. */
function typeOf(schema, used) {
  if (schema.$ref) {
    const name = nameOf(schema.$ref)
    used.add(name)
    return name
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ')
  const parts = schema.anyOf ?? schema.oneOf
  // Of an answer in JSON or as a file, the JSON.
  const known = parts?.filter((part) => Object.keys(part).length > 0)
  if (known) return [...new Set(known.map((part) => wrapped(typeOf(part, used))))].join(' | ')
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, used)).join(' | ')
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
    case 'null':
      return schema.type
    case 'array':
      return `readonly ${wrapped(typeOf(schema.items ?? {}, used))}[]`
    case 'object':
      return objectOf(schema, used)
    default:
      return 'unknown'
  }
}

const wrapped = (type) => (/ \| |^readonly /.test(type) ? `(${type})` : type)

function objectOf({ properties, required = [], additionalProperties }, used) {
  const members = Object.entries(properties ?? {})
  if (members.length === 0 && typeof additionalProperties === 'object')
    return `Readonly<Record<string, ${typeOf(additionalProperties, used)}>>`
  return `{ ${members.map(([name, schema]) => member(name, typeOf(schema, used), required.includes(name))).join('; ')} }`
}

function member(name, type, required) {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
  const absent = required || type === 'unknown' ? '' : ' | undefined'
  return `readonly ${key}${required ? '' : '?'}: ${type}${absent}`
}

/** A row as its entry of the operation table. */
function entryOf(row) {
  const { method, path, query, body, answer } = row
  const keyed = body.input?.schema.required?.includes('idempotencyKey') ?? false
  const list = pageOf(answerOf(row))
  const takesBody = body.types.length > 0
  const parameters = Object.keys(query.schema.properties)
  const gone = goneOf(answerOf(row))
  const harmless = method === 'GET' || (method === 'DELETE' && !unrepeated.has(row.name))
  return {
    method,
    path,
    ...(takesBody && parameters.length > 0 && { query: parameters }),
    ...(takesBody && { body: true }),
    ...((harmless || keyed || repeated.has(row.name)) && { repeats: true }),
    ...(keyed && { keyed: true }),
    ...(list && { items: list.items }),
    ...(list && parameters.includes('after') && { cursor: true }),
    ...(!answer.types.includes(jsonType) && { file: answer.types.join(', ') }),
    ...(gone && { gone }),
  }
}

/** The name of what was removed in an answer `{<name>, deleted}`; undefined for others. */
function goneOf({ properties = {} }) {
  const [name, ...others] = Object.keys(properties)
  return others.length === 1 && others[0] === 'deleted' ? name : undefined
}

/** The JSON schema of a row's answer, references included. */
function answerOf({ answer }) {
  const name = named.get(answer.schema)
  return name ? answers[name] : answer.schema
}

/** The form of a list's answer that has pages, and the name of its items; null for what is no list. */
function pageOf(schema) {
  const page = (schema.anyOf ?? [schema])
    .map((part) => (part.$ref ? answers[nameOf(part.$ref)] : part))
    .find(({ properties }) => properties?.hasMore)
  if (!page) return null
  const [items] = Object.entries(page.properties).find(([, { type }]) => type === 'array')
  return { page, items }
}

/** The type of what a row takes: parameters of path, query and body as one object. */
function inputOf(row, used) {
  const path = [...row.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  const query = row.query.schema
  const body = row.body.input?.schema
  const pages = pageOf(answerOf(row))
  if (row.body.types.length > 0 && !body)
    return { type: 'Readonly<Record<string, unknown>>', required: true }
  const ofCase = path.includes('reviewCaseId')
  // Reads and what only the application does to its case have no version; a body that must have it has no header for it.
  const isInBody = body?.required?.includes('caseVersion') ?? false
  const isSeen = body?.properties?.caseVersion && !isInBody
  const reference = isSeen ? 'SeenCase' : 'CaseReference'
  const members = []
  let required = false
  const add = (name, type, needed) => {
    if (members.some((each) => each.name === name))
      throw new Error(`${row.name}: ${name} stands twice`)
    members.push({ name, text: member(name, type, needed) })
    required ||= needed
  }
  for (const name of path) if (name !== 'reviewCaseId') add(name, 'string', true)
  for (const [name, schema] of Object.entries(query.properties)) {
    // Lists that have pages go on behind a cursor when they are iterated.
    if (pages && (name === 'after' || name === 'limit')) continue
    const digits = !schema.format && /^\^\\d/.test(schema.pattern ?? '')
    add(name, digits ? 'number' : typeOf(schema, used), query.required?.includes(name) ?? false)
  }
  for (const [name, schema] of Object.entries(body?.properties ?? {})) {
    if (ofCase && name === 'caseVersion' && isSeen) continue
    if (name === 'idempotencyKey') {
      add(name, 'string', false)
      continue
    }
    const needed = body.required?.includes(name) ?? false
    add(name, typeOf(schema, used), needed)
  }
  const rest =
    members.length === 0
      ? 'Readonly<Record<string, never>>'
      : `{ ${members.map(({ text }) => text).join('; ')} }`
  if (!ofCase) return { type: rest, required }
  used.add('CaseAnswer')
  return { type: members.length > 0 ? `${reference} & ${rest}` : reference, required: true }
}

/** The type of what a row's method gives. */
function resultOf(row, used) {
  if (!row.answer.types.includes(jsonType)) return 'Promise<FileAnswer>'
  const name = named.get(row.answer.schema)
  const answer = name ?? typeOf(answerOf(row), used)
  if (name) used.add(name)
  const list = pageOf(answerOf(row))
  if (!list) return `Promise<${answer}>`
  return `Pages<${answer}, ${typeOf(list.page.properties[list.items].items, used)}>`
}

/** The rows of a host, and one more for each that answers in JSON or as a file. */
function rowsOf(host) {
  return routes
    .filter((row) => row.host === host)
    .flatMap((row) => {
      // What answers a body of its own type is no other form of the answer; clients send JSON.
      const types = row.answer.types.filter(
        (type) => type !== jsonType && !row.body.types.includes(type),
      )
      if (types.length === 0 || !row.answer.types.includes(jsonType)) return [row]
      const asFile = {
        ...row,
        name: `${row.name}Pdf`,
        summary: `${row.summary}; here as PDF`,
        answer: { ...row.answer, types },
      }
      return [row, asFile]
    })
}

function tableOf(host) {
  const entries = rowsOf(host).map((row) => [row.name, entryOf(row)])
  return `${head}import type { Operation } from './call.ts'

/** The operations of the ${host} host. */
export const ${host}Operations: Readonly<Record<string, Operation>> = ${JSON.stringify(Object.fromEntries(entries))}
`
}

function apiOf(host) {
  const used = new Set()
  const groups = new Map()
  for (const row of rowsOf(host)) {
    const [group, act] = row.name.split('.')
    const input = inputOf(row, used)
    const method = `/** ${row.summary}. */\n${act}(input${input.required ? '' : '?'}: ${input.type}, options?: CallOptions): ${resultOf(row, used)}`
    groups.set(group, [...(groups.get(group) ?? []), method])
  }
  const body = [...groups].map(
    ([group, methods]) => `readonly ${group}: {\n${methods.join('\n')}\n}`,
  )
  const text = `/** The operations of the ${host} host, by group. */\nexport interface ${upper(host)}Api {\n${body.join('\n')}\n}\n`
  const fromCall = ['CallOptions', 'CaseReference', 'FileAnswer', 'SeenCase'].filter((name) =>
    text.includes(name),
  )
  return `${head}import type { ${fromCall.join(', ')} } from './call.ts'
${text.includes('Pages<') ? "import type { Pages } from './pages.ts'\n" : ''}import type { ${[...used].sort(byName).join(', ')} } from './types.ts'

${text}`
}

function typesText() {
  const used = new Set()
  const aliases = Object.entries(answers)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => {
      const shown = pageOf(schema)?.page ?? schema
      const by = routes.filter(({ answer }) => named.get(answer.schema) === name)
      // Two hosts may have an operation of one name.
      const told = [...new Set(by.map((row) => row.name))]
      const of =
        told.length > 0
          ? `Answer of ${told.slice(0, 3).join(', ')}${told.length > 3 ? ' and others' : ''}.`
          : `Part of answers.`
      const type = typeOf(shown, used)
      return shown.type === 'object' && type.startsWith('{')
        ? `/** ${of} */\nexport interface ${name} ${type}`
        : `/** ${of} */\nexport type ${name} = ${type}`
    })
  return `${head}\n${aliases.join('\n\n')}\n`
}

/** The generated files, by path from the root. */
export function sourcesOfClient() {
  const files = {
    'types.ts': typesText(),
    'ingest-operations.ts': tableOf('ingest'),
    'ingest-api.ts': apiOf('ingest'),
    'portal-operations.ts': tableOf('portal'),
    'portal-api.ts': apiOf('portal'),
  }
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => {
      const path = `adapters/client/${name}`
      return [path, formatted(path, text)]
    }),
  )
}

function formatted(path, text) {
  const biome = join(home, 'node_modules/.bin/biome')
  const ran = spawnSync(biome, ['format', `--stdin-file-path=${path}`], {
    cwd: home,
    input: text,
    encoding: 'utf8',
  })
  if (ran.status !== 0) throw new Error(`${path}: ${ran.stderr}`)
  return ran.stdout
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of Object.entries({ ...sourcesOfClient(), ...sourceOfInterface() }))
    writeFileSync(join(home, path), text)
