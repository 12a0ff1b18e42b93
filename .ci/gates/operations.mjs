// The route table as it was built: each row declares its operation whole, for routers, tests and descriptions of the
// API are made of it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const table = 'adapters/koa/dist/index.js'
const codes = 'core/dist/kernel/ledger/index.js'

/** `<group>.<act>`, as `reviewCases.open`. */
const nameForm = /^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$/

export async function operations(root) {
  if (!existsSync(join(root, 'adapters/koa'))) return []
  const missing = [table, codes].filter((file) => !existsSync(join(root, file)))
  if (missing.length) return missing.map((file) => finding(`${file} is not there: build first`))
  const [{ routes }, { refusalCodes }] = await Promise.all(
    [table, codes].map((file) => import(pathToFileURL(join(root, file)).href)),
  )
  if (!routes?.length) return [finding(`${table} exports no routes`)]
  const taken = new Map()
  return routes.flatMap((row) => {
    const place = `${row.method} ${row.host} ${row.path}`
    const key = `${row.host} ${row.name}`
    const same = taken.get(key)
    taken.set(key, place)
    return [
      ...faultsOf(row, new Set(refusalCodes)),
      ...(same && row.name
        ? [`has the name of ${same}, '${row.name}': each is one on its host`]
        : []),
    ].map((fault) => finding(`${place} ${fault}`))
  })
}

function* faultsOf({ name, summary, answer, refuses }, known) {
  if (!nameForm.test(name ?? ''))
    yield `has no name of the form <group>.<act>, as reviewCases.open, got ${JSON.stringify(name)}`
  if (!/\S/.test(summary ?? '')) yield 'has no summary: say in one line what it does'
  if (Object.keys(answer?.schema ?? {}).length === 0)
    yield 'has no answer schema: answer with a shape, or with a file'
  if (!answer?.types?.length) yield 'names no media type of its answer'
  if (!Array.isArray(refuses)) {
    yield 'names no refusals: list its own codes, [] where there are none'
    return
  }
  for (const code of refuses)
    if (!known.has(code)) yield `refuses with '${code}', which is no code of the core`
  for (const code of new Set(refuses.filter((each, at) => refuses.indexOf(each) !== at)))
    yield `refuses with '${code}' twice`
}

function finding(text) {
  return { file: 'adapters/koa/api.ts', rule: 'operation', text }
}
