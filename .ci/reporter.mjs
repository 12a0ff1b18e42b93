// What `npm test` prints: a line for each file, each failure in full, and a closing total.
// It also fails the run for what Node's runner lets pass: a file without a test, a skip without a reason, a todo.
import { relative } from 'node:path'
import { inspect } from 'node:util'
import { home } from './packages.mjs'
import { sourceOf as sourceOfTest } from './test-files.mjs'

export default async function* report(events) {
  const tally = { files: 0, tests: 0, failed: 0, skipped: 0 }
  const wrong = []
  const skips = new Map()
  /** Files of which a test ended, or whose process failed as a whole. */
  const ended = new Set()
  /** Names of the tests around the current one, outermost first. */
  const names = []
  const started = performance.now()

  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') yield data.message
    if (type === 'test:diagnostic' && !isTotal.test(data.message)) yield `${data.message}\n`
    if (type === 'test:start') names.splice(data.nesting, Infinity, data.name)
    if (type === 'test:complete' && isFile(data)) {
      const batch = batchOf(data.file)
      tally.files += batch.length
      const seconds = (data.details.duration_ms / 1000).toFixed(1)
      yield `${data.details.passed === false ? '✗' : '✓'} ${named(data.file)}  ${seconds} s${progress(tally.files, performance.now() - started)}\n`
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue

    if (isFile(data)) {
      const why = type === 'test:pass' ? '0 tests ran in this file' : outside(data.details.error)
      wrong.push(`${named(data.file)}  ${why}`)
      for (const file of batchOf(data.file)) ended.add(file)
      continue
    }
    ended.add(sourceOf(data.file))
    if (data.details.type === 'suite' && type === 'test:pass') continue
    const place = `${sourceOf(data.file)}:${data.line}  ${names.slice(0, data.nesting + 1).join(' > ')}`
    if (data.details.type !== 'suite') tally.tests += 1
    if (data.skip !== undefined) {
      tally.skipped += 1
      if (typeof data.skip === 'string' && data.skip !== '')
        skips.set(data.skip, (skips.get(data.skip) ?? 0) + 1)
      else wrong.push(`${place}  skipped without a reason: give one, or run it`)
    }
    if (data.todo !== undefined) wrong.push(`${place}  is a todo: finish it or leave it out`)
    if (type === 'test:fail' && data.details.error.failureType !== 'subtestsFailed') {
      tally.failed += 1
      wrong.push(place)
      yield `✗ ${place}\n${indent(show(data.details.error.cause ?? data.details.error))}\n`
    }
  }

  for (const file of batches.filter(({ length }) => length > 1).flat())
    if (!ended.has(file)) wrong.push(`${file}  0 tests ran in this file`)
  if (tally.tests === 0) wrong.push('0 tests ran')
  for (const [reason, count] of skips) yield `${count} skipped: ${reason}\n`
  if (wrong.length) yield `\n${wrong.map((line) => `✗ ${line}`).join('\n')}\n`
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  yield `\n${tally.tests} tests in ${tally.files} files, ${tally.failed} failed, ${tally.skipped} skipped, ${seconds} s\n`
  if (wrong.length) process.exitCode = 1
}

/** The files of each process, as the run that starts this says; none where nobody does. */
const batches = JSON.parse(process.env.TEST_BATCHES ?? '[]').map((batch) => batch.map(sourceOfTest))
const fileCount = batches.flat().length

/** How far a run is, and how long it still takes if the rest takes as long as what is done. */
export function progress(done, elapsedMs, count = fileCount) {
  if (count === 0) return ''
  const left = Math.round(((elapsedMs / done) * (count - done)) / 1_000)
  return `  (${done} of ${count}${left > 0 ? `, about ${left} s left` : ''})`
}

/** The runner's own totals, which it tells as diagnostics too. */
const isTotal = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/

/** The runner reports a file itself as a test of that name: when it completes, and in place of tests when it had none. */
const isFile = ({ name, file, nesting }) => nesting === 0 && name === file

const sourceOf = (file) => sourceOfTest(relative(home, file ?? ''))

/** The files whose tests run in the process of a file. */
const batchOf = (file) => {
  const source = sourceOf(file)
  return batches.find(([first]) => first === source) ?? [source]
}

/** A file, and how many others shared its process. */
function named(file) {
  const others = batchOf(file).length - 1
  return `${sourceOf(file)}${others > 0 ? ` and ${others} more` : ''}`
}

const outside = (error) =>
  error.failureType === 'testTimeoutFailure'
    ? `did not end in time: a test waits for ever, or a timer or socket was left open (${error.cause})`
    : 'failed outside its tests: what it printed stands above'

/** An error with the frames of this project, without those of Node's runner. */
const show = (error) =>
  inspect(error)
    .split('\n')
    .filter((line) => !/^\s*(at .*\(?node:|\.\.\. \d+ lines matching)/.test(line))
    .join('\n')

const indent = (text) => text.replace(/^/gm, '    ')
