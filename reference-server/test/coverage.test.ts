import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { catalogue } from '@countersign/core/events'
import { routes } from '@countersign/koa'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = readFileSync(join(root, 'reference-server/COVERAGE.md'), 'utf8')

interface Row {
  readonly what: string
  readonly file: string
  readonly name: string
}

const rowForm = /^\| (?<what>.+?) \| `(?<file>[^`]+)` › (?<name>.+?) \|$/

/** The rows of a section's table. A line that is no row of the form has no name, and is found as a fault. */
function rowsUnder(heading: string, text = page): readonly Row[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) => {
    const { what = line, file = '', name = '' } = rowForm.exec(line)?.groups ?? {}
    return { what, file, name }
  })
}

const sections = ['Operations', 'States', 'Event types', 'Limits', 'Rules']
const allRows = (text = page) => sections.flatMap((heading) => rowsUnder(heading, text))

/** Whether a literal of the source is this name whole; what a test that is made for each of a list appends is left out. */
function hasName(source: string, name: string): boolean {
  const ends = ["'", '"', '`', ': ${']
  return ["'", '"', '`'].some((quote) =>
    ends.some((end) => source.includes(`${quote}${name}${end}`)),
  )
}

/** Rows whose test is not there. */
function rowsWithoutTest(text = page): readonly string[] {
  const sources = new Map<string, string>()
  const sourceOf = (file: string) => {
    const path = join(root, file)
    const known = sources.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '')
    sources.set(file, known)
    return known.replaceAll("\\'", "'")
  }
  return allRows(text)
    .filter(({ file, name }) => name === '' || !hasName(sourceOf(file), name))
    .map(({ what, file, name }) => `${what}: ${file} has no test "${name}"`)
}

interface Named {
  readonly enum?: readonly string[]
}

/** States that the description of an API has, by the machine that they are of. */
function statesOf(): ReadonlyMap<string, readonly string[]> {
  const schemas = (host: string) =>
    JSON.parse(readFileSync(join(root, `adapters/koa/description/openapi-${host}.json`), 'utf8'))
      .components.schemas as Readonly<
      Record<string, { readonly properties: Readonly<Record<string, Named>> }>
    >
  const [portal, staff] = [schemas('portal'), schemas('staff')]
  const machines = {
    'review case': portal.Case?.properties.state,
    delivery: portal.ReviewEvent?.properties.deliveryStatus,
    subscription: portal.Webhook?.properties.status,
    application: portal.Application?.properties.lifecycleState,
    'customer key': portal.CustomerKey?.properties.status,
    'key request': portal.KeyRequest?.properties.status,
    member: portal.MemberRecord?.properties.status,
    session: portal.Session?.properties.status,
    erasure: portal.Erasure?.properties.status,
    tenant: staff.TenantStatus?.properties.status,
  }
  return new Map(
    Object.entries(machines).map(([machine, schema]) => {
      assert.ok(schema?.enum, `the description has no states of ${machine}`)
      // A purged application is answered as a tombstone of its own form.
      return [machine, machine === 'application' ? [...schema.enum, 'purged'] : schema.enum]
    }),
  )
}

describe('COVERAGE.md', () => {
  test('has every operation of the route table, and no other', () => {
    const told = rowsUnder('Operations').map(({ what }) => what)
    const served = routes.map(({ method, host, path }) => `${method} ${host} ${path}`)
    assert.deepEqual(
      {
        without: served.filter((what) => !told.includes(what)),
        unknown: told.filter((what) => !served.includes(what)),
        twice: told.filter((what, at) => told.indexOf(what) !== at),
      },
      { without: [], unknown: [], twice: [] },
      'give each operation a row in COVERAGE.md with a test that shows it',
    )
  })

  test('has every event type of the catalogue that is sent', () => {
    const told = rowsUnder('Event types').map(({ what }) => what.replaceAll('`', ''))
    assert.deepEqual(told.toSorted(), Object.keys(catalogue).toSorted())
  })

  test('has every state of every machine', () => {
    const told = new Set(rowsUnder('States').map(({ what }) => what))
    for (const [machine, states] of statesOf())
      for (const state of states) {
        const what = `${machine}: ${state}`
        assert.ok(told.has(what), what)
      }
  })

  test('names a test in each row that is there', () => {
    assert.ok(rowsUnder('Limits').length > 20)
    assert.ok(rowsUnder('Rules').length > 30)
    assert.deepEqual(rowsWithoutTest(), [])
  })

  test('is found wrong where a test has another name, another file, or none', () => {
    const [row] = rowsUnder('Rules')
    assert.ok(row)
    for (const [from, to] of [
      [row.name, `${row.name} not`],
      [row.name, row.name.slice(1)],
      [row.file, `${row.file}x`],
      [` › ${row.name}`, ''],
    ] as const)
      assert.equal(rowsWithoutTest(page.replaceAll(from, to)).length > 0, true, to)
  })
})
