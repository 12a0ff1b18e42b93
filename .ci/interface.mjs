// The tables of core/docs/interface.md that are generated: operations with who may call them, codes of refusals, events,
// and the longest texts. `npm run describe` writes them, `sourceOfInterface` makes them for the test that compares.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { home } from './packages.mjs'

const path = 'core/docs/interface.md'
const built = (file) => import(pathToFileURL(join(home, file)).href)
const { routes, statusOf } = await built('adapters/koa/dist/index.js')
const { cures, meanings } = await built('adapters/koa/dist/refusal.js')
const { answerWordsOf } = await built('adapters/koa/dist/description/operation-words.js')
const { readSources } = await built('adapters/koa/dist/description/read-sources.js')
const { rights } = await built('core/dist/organizations/access/index.js')
const { longest } = await built('core/dist/kernel/ledger/index.js')
const { catalogue } = await built('core/dist/base/events/index.js')
const { words } = readSources()

/** Parameters of lists, which stand after those that choose rows. */
const paging = ['page', 'pageSize', 'after', 'limit']

const operationHead = ['Operation', 'Method', 'Path', 'Who may', 'Body', 'Answer']

/** Head and rows of each host's operations, by the heading under which they stand. */
export const operationTables = {
  'Ingest host': [operationHead, operationsOf('ingest')],
  'Portal host': [operationHead, operationsOf('portal')],
  'Staff host': [operationHead, operationsOf('staff')],
}

/** Heads and rows of the tables, by the headings under which they stand. */
const tables = {
  Errors: [
    ['Code', 'Status', 'Meaning', 'What helps'],
    Object.entries(statusOf)
      .sort(([, a], [, b]) => a - b)
      .map(([code, status]) => [code, status, meanings[code], cures[code]]),
  ],
  ...operationTables,
  Events: [
    ['Type', 'Family', 'Envelope', 'Sent when'],
    Object.entries(catalogue).map(([type, { family, envelope }]) => [
      type,
      family,
      envelope,
      words.occasions[type],
    ]),
  ],
  Fields: [['Field', 'Longest'], Object.entries(longest)],
}

function operationsOf(host) {
  return routes
    .filter((row) => row.host === host)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((row) => [
      row.name,
      row.method,
      row.path,
      callerOf(row),
      takenOf(row),
      answerWordsOf(row, words),
    ])
}

/** Who may call an operation: the credential, and of members the permission or role. */
function callerOf({ auth, right }) {
  if (auth === 'application') return 'key'
  if (auth === 'customerKey') return 'customer key'
  if (auth !== 'member') return auth
  const { members } = right === null ? { members: 'any' } : rights[right]
  if (members === 'any') return 'session'
  return typeof members === 'string' ? members : members.join(' or ')
}

/** The members of the body, or of the query, and what else is to be known of them. */
function takenOf({ host, name, body, query }) {
  const asked = Object.keys(query.schema.properties)
  const inQuery = [
    ...asked.filter((each) => !paging.includes(each)),
    ...paging.filter((each) => asked.includes(each)),
  ]
  return [
    ...(body.input ? [`\`${membersOf(body.input.schema)}\``] : []),
    ...(inQuery.length > 0 ? [`query \`${inQuery.join(', ')}\``] : []),
    ...(words.takes[`${host} ${name}`] ? [words.takes[`${host} ${name}`]] : []),
  ].join('; ')
}

/** `{name, settings?{threshold}}`: members of an object, those that may be absent with a question mark. */
function membersOf({ properties, required = [] }) {
  const members = Object.entries(properties).map(([name, schema]) => {
    const [object] = [schema, ...(schema.anyOf ?? [])].filter((part) => part.properties)
    const own = object ? membersOf(object) : ''
    return `${name}${required.includes(name) ? '' : '?'}${own}`
  })
  return `{${members.join(', ')}}`
}

/** The text with another table under a heading, whose prose stays. */
function withTable(text, heading, [head, rows]) {
  const lines = text.split('\n')
  const from = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading)
  if (from < 0) throw new Error(`${path} has no heading "${heading}"`)
  const first = lines.findIndex((line, at) => at > from && line.startsWith('|'))
  const count = lines.slice(first).findIndex((line) => !line.startsWith('|'))
  const table = [head, head.map(() => '---'), ...rows].map(lineOf)
  return lines.toSpliced(first, count, ...table).join('\n')
}

function lineOf(cells) {
  if (cells.every((cell) => cell === '---')) return `|${cells.join('|')}|`
  return `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')
}

/** The page as it would be made, by its path from the root. */
export function sourceOfInterface(text = readFileSync(join(home, path), 'utf8')) {
  const made = Object.entries(tables).reduce(
    (page, [heading, table]) => withTable(page, heading, table),
    text,
  )
  return { [path]: made }
}
