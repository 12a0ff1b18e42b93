// Runs tests by file and name under the recorder, a process a file, and yields what came by in each.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { home } from '../packages.mjs'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
/** Of so many programs beside the suite, one is drawn. */
const parts = whole ? 1 : 3

const here = (file) => join(home, '.ci/record', file)
const checksFolder = 'conformance/server/checks/'
const suite = here('server-suite.mjs')

/** The program that runs a test of this file. */
export const programOf = (file) =>
  file.startsWith(checksFolder)
    ? suite
    : join(home, file.replace('/test/', '/dist/test/').replace(/\.ts$/, '.js'))

/**
 * The rows of this run: all where whole proofs are run, else those of the server suite, which has calls of most routes,
 * and of a part of the other files, drawn by the seed.
 */
export function drawnRows(rows) {
  const programs = [...new Set(rows.map(({ file }) => programOf(file)))].filter(
    (program) => program !== suite,
  )
  const drawn = programs.filter((_, at) => (at + Number(seed)) % parts === 0)
  return rows.filter(({ file }) => [suite, ...drawn].includes(programOf(file)))
}

/** Processes with the names that each runs; checks of the server suite run in one, in the suite's order. */
function processesOf(rows) {
  const runs = new Map()
  for (const { file, name } of rows) {
    const program = programOf(file)
    if (!runs.has(program)) runs.set(program, new Set())
    runs.get(program).add(name)
  }
  // The suite takes longest.
  return [...runs].sort(([a], [b]) => (b === suite) - (a === suite))
}

/**
 * What came by: `found` has the notes of each program's tests; `handlers` has for each route the operations of the core
 * behind it; `failed` is the output of programs that failed.
 */
export async function runNamed(rows) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-record-'))
  const found = new Map()
  const handlers = new Map()
  const failed = []
  const waiting = processesOf(rows)
  let count = 0

  async function work() {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [program, names] = next
      const file = join(folder, `${count++}.json`)
      const output = await run(program, { file, only: [...names] })
      if (output !== null) failed.push(`${program}\n${output}`)
      const notes = readNotes(file)
      found.set(program, notes.tests)
      for (const [route, operations] of Object.entries(notes.handlers))
        handlers.set(route, new Set([...(handlers.get(route) ?? []), ...operations]))
    }
  }
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, work))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { found, handlers, failed }
}

const noNotes = { tests: [], handlers: {} }

function readNotes(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return noNotes
  }
}

/** The output of a process that failed; null of one that did not. */
function run(program, { file, only }) {
  const child = spawn(
    process.execPath,
    ['--import', join(home, '.ci/seed.mjs'), '--import', here('register.mjs'), program],
    {
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_TEST_CONTEXT: undefined,
        FC_SEED: process.env.FC_SEED ?? String(randomInt(2 ** 31)),
        COUNTERSIGN_RECORD: file,
        COUNTERSIGN_RECORD_ONLY: JSON.stringify(only),
      },
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-20_000)
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code === 0 ? null : output))
  })
}
