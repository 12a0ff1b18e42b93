import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { catalogue } from '@countersign/core/events'
import { routes } from '@countersign/koa'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = readFileSync(join(root, 'reference-server/COVERAGE.md'), 'utf8')

/** A row: what it is about, what must come by in its test, and where that is. */
interface Row {
  readonly what: string
  readonly needs: readonly string[]
  readonly shows: string
  readonly file: string
  readonly name: string
}

/** The reader of the page, which the long gate has too. */
const { allRows, rowsUnder } = (await import(
  pathToFileURL(join(root, '.ci/record/page.mjs')).href
)) as {
  readonly allRows: (page: string) => readonly Row[]
  readonly rowsUnder: (heading: string, page: string) => readonly Row[]
}
const told = (heading: string) => rowsUnder(heading, page)

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

const interfaceText = readFileSync(join(root, 'core/docs/interface.md'), 'utf8')

/** Statements that the interface does not make in these words. */
const misquoted = (statements: readonly string[]) =>
  statements.filter((statement) => !interfaceText.includes(statement))

interface Named {
  readonly enum?: readonly string[]
}

/** States that the description of an API has, by the machine that they are of. */
function statesOf(): ReadonlyMap<string, readonly string[]> {
  const schemas = (host: string) =>
    JSON.parse(readFileSync(join(root, `adapters/koa/dist/documents/openapi-${host}.json`), 'utf8'))
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
    erasure: portal.ErasureRequest?.properties.status,
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
    const rows = told('Operations').map(({ what }) => what)
    const served = routes.map(({ method, host, path }) => `${method} ${host} ${path}`)
    assert.deepEqual(
      {
        without: served.filter((what) => !rows.includes(what)),
        unknown: rows.filter((what) => !served.includes(what)),
        twice: rows.filter((what, at) => rows.indexOf(what) !== at),
      },
      { without: [], unknown: [], twice: [] },
      'give each operation a row in COVERAGE.md with a test that shows it',
    )
  })

  test('has every event type of the catalogue that is sent', () => {
    const types = told('Event types').map(({ what }) => what.replaceAll('`', ''))
    assert.deepEqual(types.toSorted(), Object.keys(catalogue).toSorted())
  })

  test('has every state of every machine', () => {
    const rows = new Set(told('States').map(({ what }) => what))
    for (const [machine, states] of statesOf())
      for (const state of states) {
        const what = `${machine}: ${state}`
        assert.ok(rows.has(what), what)
      }
  })

  test('names a test in each row that is there', () => {
    assert.ok(told('Limits').length > 20)
    assert.ok(told('Rules').length > 30)
    assert.deepEqual(rowsWithoutTest(), [])
  })

  test('has statements of the interface, word for word, each once', () => {
    const statements = told('Statements').map(({ what }) => what)
    assert.ok(statements.length > 50)
    assert.deepEqual(misquoted(statements), [])
    assert.equal(new Set(statements).size, statements.length)
    for (const statement of statements)
      assert.deepEqual(misquoted([`${statement} not`]), [`${statement} not`])
  })

  test('shows what there is: routes, event types, states and codes', () => {
    const isThere: Readonly<Record<string, (name: string) => boolean>> = {
      route: (name) =>
        routes.some(({ method, host, path }) => `${method} ${host} ${path}` === name),
      event: (name) => name === 'review.outcome' || name in catalogue,
      state: (name) => told('States').some(({ what }) => what === name),
      code: (name) => interfaceText.includes(`\n| ${name} | `),
    }
    for (const { what, needs, shows } of allRows(page)) {
      assert.ok(needs.length > 0 || shows === '–', `${what}: shows neither something nor –`)
      for (const need of needs) {
        const [kind = '', name = ''] = need.split(/ (.*)/s)
        assert.ok(isThere[kind]?.(name), `${what}: there is no ${need}`)
      }
    }
  })

  test('is found wrong where a test has another name, another file, or none', () => {
    const [row] = told('Rules')
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
