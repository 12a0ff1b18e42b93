// Node's loader hooks of the recorder: they put it at the few places through which all else passes, in compiled files as
// they are loaded. A place that is not found as it stands here is an error, for what it records would be missed in silence.
const tests = new URL('./node-test.mjs', import.meta.url).href

export async function resolve(specifier, context, next) {
  if (specifier === 'node:test' && context.parentURL !== tests)
    return { url: tests, shortCircuit: true }
  return next(specifier, context)
}

const recorder = "globalThis[Symbol.for('countersign.recorder')]"

/** Renames an exported function and exports in its place what `wrap` makes of it. */
const wrapped = (name, wrap) => [
  `export function ${name}(`,
  `export const ${name} = (...given) => ${wrap(`${name}Recorded(...given)`)}\nfunction ${name}Recorded(`,
]
const room = (group, name) => wrapped(name, (made) => `${recorder}.operations('${group}', ${made})`)
const store = (name) => wrapped(name, (made) => `${recorder}.store(${made})`)

/** By the end of a file's URL: a text of it and what takes its place. */
export const places = {
  'koa/dist/api.js': [
    'export function serve(row, options) {',
    `export function serve(row, options) {\n  const answer = serveRecorded(row, options)\n  return (ctx) => ${recorder}.request(row, ctx, () => answer(ctx))\n}\nfunction serveRecorded(row, options) {`,
  ],
  'koa/dist/answer-call.js': [
    'row.handle(call.value)',
    `${recorder}.handling(row, () => row.handle(call.value))`,
  ],
  'core/dist/testing/memory-store.js': store('createMemoryStore'),
  'sqlite/dist/sqlite-store.js': store('openSqliteStore'),
  'core/dist/organizations/access/create-access.js': room('access', 'createAccess'),
  'core/dist/kernel/facade.js': wrapped(
    'openGroups',
    (made) =>
      `Object.fromEntries(Object.entries(${made}).map(([group, operations]) => [group, ${recorder}.operations(group, operations)]))`,
  ),
  'core/dist/webhooks/delivery-logs.js': room('webhooks', 'createDeliveryLogs'),
  'core/dist/webhooks/replay-deliveries.js': room('webhooks', 'createRecovery'),
  'core/dist/sessions/create-ingest.js': room('ingest', 'createIngest'),
  'core/dist/evidence/create-evidence.js': [
    ...room('evidence', 'createEvidence'),
    ...room('evidencePackages', 'createPackages'),
  ],
}

export async function load(url, context, next) {
  const loaded = await next(url, context)
  const place = Object.keys(places).find((end) => url.endsWith(`/${end}`))
  if (!place) return loaded
  let source = String(loaded.source)
  const texts = places[place]
  for (let at = 0; at < texts.length; at += 2) {
    const parts = source.split(texts[at])
    if (parts.length !== 2)
      throw new Error(`${url}: expected "${texts[at]}" once, found it ${parts.length - 1} times`)
    source = parts.join(texts[at + 1])
  }
  return { ...loaded, source }
}
