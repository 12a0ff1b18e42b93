// Runs every test: `npm test`, or `npm test -- core/outbox` for the files whose path has that text; a place that
// the reporter printed (`core/test/outbox/owe.test.ts:12`) is one too and runs its file.
// `--seed N` repeats the run of fast-check that printed it; `--names` prints each test.
// `--long` (`npm run test:long`) runs the slow proofs, `*.long.test.ts`, and nothing else; those that a neighbour would disturb one at a time.
// `--prove` (`npm run prove`) runs whole those of them that take over five minutes so; `test:long` runs a part of each, drawn by the seed.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { batchesOf } from './batches.mjs'
import { home, packages } from './packages.mjs'
import { bundlePrograms } from './programs.mjs'
import { isAlone, isMeant, sourceOf } from './test-files.mjs'

const { values, positionals: wanted } = parseArgs({
  options: {
    seed: { type: 'string' },
    names: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    prove: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
if (values.seed !== undefined && !/^-?\d{1,10}$/.test(values.seed)) {
  console.error(`--seed expected an integer, got ${values.seed}`)
  process.exit(2)
}
const slow = values.long || values.prove
const command = values.prove ? 'run prove' : slow ? 'run test:long' : 'test'
const seed = values.seed ?? String(randomInt(2 ** 31))

const all = [...packages.map((dir) => join(dir, 'dist', 'test')), '.ci/test']
  .filter((dir) => existsSync(join(home, dir)))
  .flatMap((dir) =>
    readdirSync(join(home, dir), { recursive: true }).map((file) => join(dir, file)),
  )
  .filter((file) => /\.test\.m?js$/.test(file))
  // A package that has no test yet keeps its test project compiling with an empty file.
  .filter((file) => !file.endsWith('/empty.test.js'))
  .filter((file) => wanted.length === 0 || wanted.some((text) => isMeant(file, text)))
  .sort()
const isLong = (file) => /\.long\.test\.m?js$/.test(file)
const textOf = (file) => readFileSync(join(home, file), 'utf8')
/** Whether a proof has a part for every day and a whole. */
const isParted = (file) => textOf(file).includes('COUNTERSIGN_PROVE')
const files = all.filter((file) => isLong(file) === slow && (!values.prove || isParted(file)))
// Node's runner takes an empty list for "look around yourself" and can end green with no test run.
if (files.length === 0) {
  const what = wanted.length ? ` matches ${wanted.join(', ')}` : ''
  const [other] = all
  console.error(
    other
      ? `no test file${what} in this run, but ${sourceOf(other)} does: npm ${isLong(other) ? 'run test:long' : 'test'} runs it`
      : `no test file${what}: expected dist/test/**/*.test.js, run npm run build first`,
  )
  process.exit(1)
}

// Tests of processes start the bundles, and whoever runs the compiler alone must not be shown old ones.
await bundlePrograms(home, { stale: true })

console.log(`${files.length} test files, fast-check seed ${seed}`)
const reporter = (path) => [`--test-reporter=${path}`, '--test-reporter-destination=stdout']

/**
 * V8 optimizes a function after it ran about seven times as long as by default (67,584). Most tests are over before
 * optimized code pays for its compiler, which took up to a third of the processor time of a file of a few seconds.
 * Node 24 refuses to start with it.
 */
const laterOptimized = knownBy('--interrupt-budget=500000')

/** Options of V8, where this Node starts with them. */
function knownBy(...options) {
  const { status } = spawnSync(process.execPath, [...options, '--version'])
  return status === 0 ? options : []
}

/** The exit code of a run of some files. */
function runFiles(some, atOnce) {
  if (some.length === 0) return 0
  const batches = batchesOf(some, textOf)
  const run = spawnSync(
    process.execPath,
    [
      '--enable-source-maps',
      ...(slow ? [] : laterOptimized),
      '--import',
      join(home, '.ci/seed.mjs'),
      '--import',
      join(home, '.ci/unfollowed.mjs'),
      '--import',
      join(home, '.ci/batch.mjs'),
      '--test',
      `--test-concurrency=${atOnce}`,
      // For each process, which may have 24 files on a busy machine: one that hangs, or leaves a timer or socket open, is
      // named instead of stopping the run for ever.
      `--test-timeout=${values.prove ? 14_400_000 : slow ? 1_200_000 : 360_000}`,
      ...(values.names ? reporter('spec') : []),
      ...reporter(join(home, '.ci/reporter.mjs')),
      ...batches.map(([first]) => first),
    ],
    {
      cwd: home,
      stdio: 'inherit',
      env: {
        ...process.env,
        ...(values.prove && { COUNTERSIGN_PROVE: '1' }),
        FC_SEED: seed,
        TEST_BATCHES: JSON.stringify(batches),
      },
    },
  )
  if (run.error) throw run.error
  return run.status ?? 1
}

const isApart = (file) => slow && isAlone(file)
const together = runFiles(
  files.filter((file) => !isApart(file)),
  // Short ones wait for what they start, so one more than there are processors; long ones keep a processor each.
  availableParallelism() + (slow ? 0 : 1),
)
const alone = runFiles(files.filter(isApart), 1)
const status = together || alone
if (status !== 0) console.error(`\ntests failed; same seed again: npm ${command} -- --seed ${seed}`)
process.exit(status)
