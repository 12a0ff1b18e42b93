// What a single file may be: its name, its length, what it reaches for, how its SQL opens a transaction.
import { lineOf } from '../read-source.mjs'
import { lines, surroundings } from '../walls.mjs'

/** Findings with `warning: true` are told and pass. */
export function sources(tree) {
  return tree.flatMap(({ dir, files }) => [
    ...placeholder(files),
    ...files.flatMap((file) => [
      ...fileName(file),
      ...length(file),
      ...(dir === 'core' ? reaches(file) : []),
      ...transactions(file),
      ...limits(file),
      ...ownLimit(file),
      ...unfinished(file),
    ]),
  ])
}

/** `test/empty.test.ts` keeps the test project of a package compiling until it has a test; the runner leaves it out. */
function placeholder(files) {
  const empty = files.find(({ path }) => path === 'test/empty.test.ts')
  if (!empty) return []
  const tested = files.some((file) => file !== empty && file.path.endsWith('.test.ts'))
  return [
    tested
      ? { file: empty.file, rule: 'placeholder', text: 'the package has tests now: delete it' }
      : { file: empty.file, rule: 'placeholder', text: 'the package has no test', warning: true },
  ]
}

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/

function fileName({ file, path }) {
  const wrong = path.split('/').find((part) => !kebab.test(part))
  if (wrong === undefined) return []
  return [
    { file, rule: 'file name', text: `'${wrong}' is not kebab-case (a-z, 0-9, single hyphens)` },
  ]
}

/** What a program writes is as long as what it is written from. */
const generated = '// Generated '

function length({ file, isTest, source }) {
  if (isTest || source.text.startsWith(generated)) return []
  const count = source.text.split('\n').length - (source.text.endsWith('\n') ? 1 : 0)
  if (count > lines.most)
    return [
      {
        file,
        rule: 'file length',
        text: `${count} lines, at most ${lines.most}: split it by what it does`,
      },
    ]
  if (count > lines.warn)
    return [
      { file, rule: 'file length', text: `${count} lines, aim for ${lines.warn}`, warning: true },
    ]
  return []
}

/** Where a bound of a caller's field may be written as a number; everything else takes it from there. */
const limitsTable = 'core/kernel/ledger/limits.ts'
const bounds = [
  // A schema's or a check's own number.
  /\.(?:max|length)\(\s*\d[\d_]*\s*[,)]/g,
  /\bcheck(?:Text|Line|Name)\([^()]*,\s*\d[\d_]*\s*\)/g,
  // A table of such numbers beside the one.
  /\bconst longest\w*\s*=\s*(?:\d|\{)/g,
]
const judgesInput =
  /^(?:core\/(?!signing\/|test\/|ledger\/iso-time)|adapters\/koa\/(?!test\/)).*(?:check|schemas|commands|new-|email|password|url)[^/]*\.ts$/

function ownLimit({ file, source }) {
  if (file === limitsTable || !judgesInput.test(file)) return []
  return bounds.flatMap((pattern) =>
    [...source.code.matchAll(pattern)].map(({ 0: found, index }) => ({
      file,
      line: lineOf(source.text, index),
      rule: 'limit',
      text: `'${found.trim()}' bounds a field here: name it in ${limitsTable} and take it from there`,
    })),
  )
}

function reaches({ file, isTest, source }) {
  if (isTest || file.endsWith('.d.ts')) return []
  return surroundings.flatMap(([pattern, name, instead]) =>
    [...source.code.matchAll(new RegExp(pattern, 'g'))].map(({ index }) => ({
      file,
      line: lineOf(source.text, index),
      rule: 'surroundings of the core',
      text: `uses ${name}; take ${instead}`,
    })),
  )
}

const marks = [
  [/\b(?:TODO|FIXME|XXX|HACK)\b/g, 'finish it, or say in the docs what is not done'],
  [/@ts-(?:ignore|nocheck)\b/g, 'let the types say it, or expect the error with its reason'],
]

const boundLimit = /\bLIMIT \?(?! \+)/g

/** SQLite (3.53 was measured) plans by the value of a bound LIMIT, and prepares the statement anew for each that is bound: five to eight times the cost of a read. */
function limits({ file, isTest, source: { text, strings } }) {
  if (isTest) return []
  return strings.flatMap(({ start, value }) =>
    [...value.matchAll(boundLimit)].map(({ index }) => ({
      file,
      line: lineOf(text, start + index),
      rule: 'bound limit',
      text: 'LIMIT ? is prepared anew each time it is bound: say LIMIT ? + 0',
    })),
  )
}

/** Looks at comments, tests included: what a mark means to a reader later is that the work was left. */
function unfinished({ file, source: { text, code, strings } }) {
  const inString = (at) =>
    strings.some(({ start, value }) => at >= start && at < start + value.length)
  const found = marks.flatMap(([pattern, say]) =>
    [...text.matchAll(pattern)]
      .filter(({ index }) => !inString(index))
      .map(({ index, 0: mark }) => ({ at: index, say: `${mark}: ${say}` })),
  )
  for (const { index, 0: cast } of code.matchAll(/\bas any\b/g))
    found.push({ at: index, say: `${cast}: name the type` })
  return found.map(({ at, say }) => ({
    file,
    line: lineOf(text, at),
    rule: 'unfinished',
    text: say,
  }))
}

// The body of a trigger opens with BEGIN too, and a PEM header has hyphens before it.
const plainBegin =
  /(?<!\bTRIGGER\b[^;]*)(?<![-\w])BEGIN\b(?!\s+(?:IMMEDIATE|EXCLUSIVE)\b)|^\s*begin\s*(?:;|(?:transaction|deferred)\b)/g

/** A transaction that starts by reading can't write once another has committed: SQLITE_BUSY_SNAPSHOT, whatever the timeout. */
function transactions({ file, isTest, source: { text, code, strings } }) {
  if (isTest) return []
  const sql = file.endsWith('.sql') ? [{ start: 0, value: text }] : strings
  const found = sql.flatMap(({ start, value }) =>
    [...value.matchAll(plainBegin)].map(({ index }) => ({
      at: start + index,
      text: 'BEGIN without IMMEDIATE opens a deferred transaction: say BEGIN IMMEDIATE',
    })),
  )
  const wrapped = code.match(/\.transaction\s*\(/)
  if (wrapped && !/\.immediate\b/.test(code))
    found.push({
      at: wrapped.index,
      text: '.transaction(…) opens a deferred transaction: call its .immediate(…)',
    })
  return found.map(({ at, text: say }) => ({
    file,
    line: lineOf(text, at),
    rule: 'deferred transaction',
    text: say,
  }))
}
