import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { JsonSchema } from '@countersign/core/kernel'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { templateOf } from '../description/templates.ts'
import { type Host, hosts, type Route, routes } from '../index.ts'
import type { Answered, Asked } from './client.ts'

/** A part of a description. */
export interface Part {
  readonly [member: string]: unknown
}

/** How documents follow a change of an operation. */
export const remedy = 'run `npm run build`'

/** The text of a description as the package has it. */
export function shippedText(file: string): string {
  return readFileSync(new URL(`../documents/${file}`, import.meta.url), 'utf8')
}

const shipped = Object.fromEntries(
  hosts.map((host) => [host, JSON.parse(shippedText(`openapi-${host}.json`))]),
) as Readonly<Record<Host, Part>>

/** A validator of JSON Schema 2020-12; lengths are in code points, as shapes count them. */
export function newValidator(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, unicodeRegExp: false, logger: false })
  formats.default(ajv)
  return ajv.addFormat('binary', true)
}

const validator = newValidator()
for (const [host, document] of Object.entries(shipped))
  validator.addSchema(closed(document) as object, `${host}.json`)

/**
 * With every object closed that the description leaves open for members to come, so that an answer with a member that
 * is not declared is found.
 */
function closed(value: unknown, within = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => closed(each, within))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, closed(each, name)]),
  )
  const isObject =
    [members.type].flat().includes('object') && typeof members.properties === 'object'
  return isObject && within !== 'allOf' && !('additionalProperties' in members)
    ? { ...members, additionalProperties: false }
    : members
}

/** An operation of a description, null where it has none of that path and method. */
export function shippedOperation(row: Pick<Route, 'host' | 'path' | 'method'>): Part | null {
  const paths = shipped[row.host].paths as Readonly<Record<string, Part>>
  return (paths[templateOf(row, routes)]?.[row.method.toLowerCase()] as Part | undefined) ?? null
}

const ofAnswers = new WeakMap<JsonSchema, ValidateFunction>()

/** What is wrong with an answer by its row's schema, which a member that it does not name is too; null when nothing is. */
export function answerFault(schema: JsonSchema, answer: unknown): string | null {
  const holds = ofAnswers.get(schema) ?? validator.compile(closed(schema) as object)
  ofAnswers.set(schema, holds)
  return holds(answer) ? null : validator.errorsText(holds.errors)
}

const compiled = new Map<string, ValidateFunction>()

function validate(host: Host, pointer: readonly string[]): ValidateFunction {
  const steps = pointer.map((step) =>
    encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')),
  )
  const $ref = `${host}.json#/${steps.join('/')}`
  const known = compiled.get($ref)
  if (known) return known
  const made = validator.compile({ $ref })
  compiled.set($ref, made)
  return made
}

/** Of HTTP itself, and of every answer. */
const common: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'transfer-encoding', 'date', 'connection', 'keep-alive'],
  ...['vary', 'allow', 'cache-control', 'x-content-type-options'],
])

/** Fails unless the description that is shipped has this answer: its status, headers, media type and body. */
export function checkShipped(
  row: Route,
  asked: Pick<Asked, 'method' | 'path'>,
  { status, headers, json }: Pick<Answered, 'status' | 'headers' | 'json'>,
): void {
  const operation = shippedOperation(row)
  // That every operation has one is a test of its own.
  if (operation === null) return
  const what = `${asked.method} ${row.host} ${asked.path} answered ${status}`
  const file = `openapi-${row.host}.json; if it is to be so, ${remedy}`
  const responses = operation.responses as Readonly<Record<string, Part>>
  const own = responses[String(status)]
  assert.ok(own, `${what}, which is not in ${file}`)
  const name =
    typeof own.$ref === 'string' ? own.$ref.slice('#/components/responses/'.length) : null
  const components = shipped[row.host].components as Readonly<Record<string, Part>>
  const response = name === null ? own : (components.responses?.[name] as Part)
  const declared = Object.keys(response.headers ?? {}).map((each) => each.toLowerCase())
  for (const header of Object.keys(headers))
    assert.ok(
      common.has(header) || declared.includes(header),
      `${what} with the header ${header}, which is not in ${file}`,
    )
  const type = (headers['content-type'] ?? '').split(';')[0] ?? ''
  if (asked.method === 'HEAD' || status === 304) return
  const content = response.content as Readonly<Record<string, unknown>>
  assert.ok(type in content, `${what} as ${type}, which is not in ${file}`)
  if (type !== 'application/json') return
  const place =
    name === null
      ? ['paths', templateOf(row, routes), row.method.toLowerCase(), 'responses', String(status)]
      : ['components', 'responses', name]
  const holds = validate(row.host, [...place, 'content', type, 'schema'])
  assert.ok(holds(json), `${what}, not as in ${file}: ${validator.errorsText(holds.errors)}`)
}

/** Checks bodies against the description of what is sent. */
export interface EventCheck {
  /** What is wrong with the body of a message of this type; null when nothing is. */
  fault(type: string, body: unknown): string | null
  membersOf(type: string): Readonly<Record<string, Part>>
}

/** Of `asyncapi.json`, as its sender has it: no member more, and no reason category that is not of the list. */
export function eventCheck(): EventCheck {
  const { components } = JSON.parse(shippedText('asyncapi.json'))
  const messages = components.messages as Readonly<Record<string, { readonly payload: Part }>>
  const ajv = newValidator()
  const made = new Map<string, ValidateFunction>()
  return {
    fault(type, body) {
      const payload = messages[type]?.payload
      if (!payload) return `${type} is not in asyncapi.json; ${remedy}`
      const holds = made.get(type) ?? ajv.compile(closed(listed(payload)) as object)
      made.set(type, holds)
      return holds(body) ? null : ajv.errorsText(holds.errors)
    },
    membersOf: (type) => (messages[type]?.payload.properties ?? {}) as Record<string, Part>,
  }
}

function listed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(listed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name === 'x-extensible-enum' ? 'enum' : name,
      listed(each),
    ]),
  )
}
