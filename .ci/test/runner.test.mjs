import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import test from 'node:test'
import { batchesOf } from '../batches.mjs'
import { home } from '../packages.mjs'
import { progress } from '../reporter.mjs'
import { isAlone, isMeant } from '../test-files.mjs'
import { plantFiles } from './plant.mjs'

/** A run inside a run: without the mark that makes Node report to the outer one. */
function node(args, env = {}) {
  const { NODE_TEST_CONTEXT: _, TEST_BATCHES: __, ...inherited } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: home,
    encoding: 'utf8',
    env: { ...inherited, ...env },
  })
  return { status, text: `${stdout}${stderr}` }
}

/** Runs test files, given by name and text; the timeout is for each. */
function run(t, files, timeout = 60_000) {
  const root = plantFiles(t, files)
  const paths = Object.keys(files).map((name) => join(root, name))
  const reporter = `--test-reporter=${join(home, '.ci/reporter.mjs')}`
  const before = ['--import', join(home, '.ci/unfollowed.mjs')]
  return node([...before, '--test', `--test-timeout=${timeout}`, reporter, ...paths])
}

const one = (body) => `import test from 'node:test'\ntest('one', ${body})\n`

test('a run that passes tells why it skipped, and ends with its total', (t) => {
  const { status, text } = run(t, {
    'a.test.mjs': one('() => {}'),
    'b.test.mjs': one("{ skip: 'no vectors' }, () => {}"),
  })
  assert.equal(status, 0, text)
  assert.match(text, /\n1 skipped: no vectors\n/)
  assert.match(text, /\n2 tests in 2 files, 0 failed, 1 skipped, [\d.]+ s\n$/)
})

test('a run fails for a failed test, and for what Node lets pass', (t) => {
  const { status, text } = run(t, {
    'empty.test.mjs': '',
    'skip.test.mjs': one('{ skip: true }, () => {}'),
    'todo.test.mjs': one('{ todo: true }, () => {}'),
    'wrong.test.mjs': one("() => { throw new Error('of the test') }"),
    'pending.test.mjs': one('() => new Promise(() => {})'),
    'status.test.mjs': `${one('() => {}')}process.exitCode = 3\n`,
    'late.test.mjs': `${one('() => {}')}setTimeout(() => { throw new Error('too late') })\n`,
  })
  assert.equal(status, 1, text)
  const closing = text.slice(text.lastIndexOf('\n\n✗'))
  for (const line of [
    'empty.test.mjs  0 tests ran in this file',
    'skip.test.mjs:2  one  skipped without a reason',
    'todo.test.mjs:2  one  is a todo',
    'wrong.test.mjs:2  one',
    'pending.test.mjs:2  one',
    'status.test.mjs  failed outside its tests',
    'late.test.mjs  failed outside its tests',
  ])
    assert.ok(closing.includes(`/${line}`), `${line} in:\n${closing}`)
  for (const printed of ['Error: of the test', 'still pending', 'Error: too late'])
    assert.ok(text.includes(printed), `${printed} in:\n${text}`)
})

test('an error that nobody caught fails its file, with its place', (t) => {
  const { status, text } = run(t, {
    'thrown.test.mjs': one(`async () => {
  setTimeout(() => { throw new Error('thrown aside') })
  await new Promise((resolve) => setTimeout(resolve, 5))
}`),
    'rejected.test.mjs': one(`async () => {
  Promise.reject(new Error('rejected aside'))
  await new Promise((resolve) => setTimeout(resolve, 5))
}`),
    'nested.test.mjs': `import { describe, it } from 'node:test'
describe('suite', () => { it('one', async () => { await null }) })
`,
  })
  assert.equal(status, 1, text)
  for (const [file, line] of [
    ['thrown', 3],
    ['rejected', 3],
  ]) {
    assert.ok(text.includes(`/${file}.test.mjs  failed outside its tests`), text)
    assert.match(text, new RegExp(`Error: ${file} aside\\n +at .*${file}\\.test\\.mjs:${line}:`))
  }
  assert.match(text, /\n3 tests in 3 files, 0 failed/)
})

test('a file that can not be loaded fails', (t) => {
  const { status, text } = run(t, {
    'missing.test.mjs': "import './nothing-there.mjs'\n",
    'unnamed.test.mjs': `import { nothing } from 'node:fs'\n${one('() => nothing')}`,
    'thrown.test.mjs': `${one('() => {}')}throw new Error('at loading')\n`,
    'rejected.test.mjs': `${one('() => {}')}await Promise.reject(new Error('at loading'))\n`,
  })
  assert.equal(status, 1, text)
  for (const name of ['missing', 'unnamed', 'thrown', 'rejected'])
    assert.ok(text.includes(`/${name}.test.mjs  failed outside its tests`), `${name} in:\n${text}`)
})

/** Runs planted files in one process, the first of which loads the others. */
function runBatch(t, files) {
  const root = plantFiles(t, files)
  const batch = Object.keys(files).map((name) => relative(home, join(root, name)))
  const preloads = ['unfollowed', 'batch'].flatMap((name) => [
    '--import',
    join(home, `.ci/${name}.mjs`),
  ])
  const reporter = `--test-reporter=${join(home, '.ci/reporter.mjs')}`
  const [first] = batch
  return node([...preloads, '--test', reporter, join(home, first)], {
    TEST_BATCHES: JSON.stringify([batch]),
  })
}

test('the tests of a batch run in one process, and each is told with its file', (t) => {
  const { status, text } = runBatch(t, {
    'first.test.mjs': one('() => { if (!globalThis.shared) throw new Error() }'),
    'second.test.mjs': one('() => { globalThis.shared = true }'),
    'wrong.test.mjs': one("() => { throw new Error('of the test') }"),
    'empty.test.mjs': '',
  })
  assert.equal(status, 1, text)
  assert.match(text, /first\.test\.mjs and 3 more {2}[\d.]+ s {2}\(4 of 4\)/)
  const closing = text.slice(text.lastIndexOf('\n\n✗'))
  assert.match(closing, /wrong\.test\.mjs:2 {2}one\n/)
  assert.match(closing, /empty\.test\.mjs {2}0 tests ran in this file\n/)
  assert.match(closing, /\n3 tests in 4 files, 1 failed/)
  assert.doesNotMatch(closing, /(first|second)\.test/)
})

test('a batch of which one file can not be loaded fails, and shows where', (t) => {
  const { status, text } = runBatch(t, {
    'first.test.mjs': one('() => {}'),
    'thrown.test.mjs': `${one('() => {}')}throw new Error('at loading')\n`,
  })
  assert.equal(status, 1, text)
  assert.match(text, /first\.test\.mjs and 1 more {2}failed outside its tests/)
  assert.match(text, /Error: at loading\n +at .*thrown\.test\.mjs:3:/)
})

test('files share a process by two dozen where their package does, in their order', () => {
  const core = Array.from({ length: 25 }, (_, n) => `core/dist/test/${n}.test.js`)
  const alone = ['.ci/test/a.test.mjs', 'adapters/sqlite/dist/test/a.test.js']
  const koa = ['adapters/koa/dist/test/a.test.js', 'adapters/koa/dist/test/b.test.js']
  const suite = 'core/dist/test/suite.test.js'
  const slow = 'core/dist/test/z.long.test.js'
  const read = (file) => (file === suite ? 'describeStore(' : "it('does'")
  assert.deepEqual(batchesOf([...alone, ...koa, ...core, suite, slow], read), [
    ...alone.map((file) => [file]),
    koa,
    core.slice(0, 24),
    core.slice(24),
    [suite],
    [slow],
  ])
})

test('an error that nobody caught ends the thread of a test', (t) => {
  const thread =
    "new Worker(new URL('data:text/javascript,setTimeout(() => { throw new Error() })'))"
  const { status, text } = run(
    t,
    {
      'thread.test.mjs': `import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
${one(`async () => {
  const [error] = await once(${thread}, 'error').catch((error) => [error])
  if (!(error instanceof Error)) throw new Error('expected an error')
}`)}`,
    },
    5_000,
  )
  assert.equal(status, 0, text)
})

test('each of them fails a run of its own', (t) => {
  assert.equal(run(t, { 'empty.test.mjs': '' }).status, 1)
  assert.equal(run(t, { 'skip.test.mjs': one('{ skip: true }, () => {}') }).status, 1)
})

test('a file that never ends is stopped and named', (t) => {
  const { status, text } = run(
    t,
    { 'open.test.mjs': one('() => { setInterval(() => {}, 9) }') },
    500,
  )
  assert.equal(status, 1)
  assert.match(text, /open\.test\.mjs {2}did not end in time/)
})

test('no file to run is a failure', () => {
  const { status, text } = node(['.ci/test.mjs', 'no/such/test'])
  assert.equal(status, 1)
  assert.match(text, /^no test file matches no\/such\/test/)
})

test('a slow proof that a quick run is asked for is a failure that tells where it runs', () => {
  const { status, text } = node(['.ci/test.mjs', 'conformance/test/receiver-kit.long.test.ts:1'])
  assert.equal(status, 1)
  assert.match(
    text,
    /but conformance\/test\/receiver-kit\.long\.test\.ts does: npm run test:long runs/,
  )
})

test('each file is printed with how far the run is and how long it may still take', () => {
  assert.equal(progress(1, 2_000, 4), '  (1 of 4, about 6 s left)')
  assert.equal(progress(4, 8_000, 4), '  (4 of 4)')
  assert.equal(progress(4, 8_000, 0), '')
})

test('a file is meant by parts of its path and by whatever the reporter prints of it', () => {
  const file = 'core/dist/test/outbox/owe.test.js'
  for (const text of [
    'core/outbox',
    'core/test/outbox',
    'outbox/owe',
    'core/test/outbox/owe.test.ts',
    'core/test/outbox/owe.test.ts:12',
    'core/test/outbox/owe.test.ts:12:3',
    './core/test/outbox/owe.test.ts:12',
    join(home, 'core/test/outbox/owe.test.ts:12'),
    file,
  ])
    assert.ok(isMeant(file, text), text)
  for (const text of ['core/test/outbox/ow.test.ts', 'core/test/outbox/owe.test.ts:12x', 'koa'])
    assert.ok(!isMeant(file, text), text)
  assert.ok(isMeant('.ci/test/walls.test.mjs', '.ci/test/walls.test.mjs:3'))
  assert.ok(isMeant('core/dist/test/restore.test.js', 'core/test/restore.test.ts:3'))
})

test('a seed that is no integer is refused', () => {
  assert.equal(node(['.ci/test.mjs', '--seed', 'x']).status, 2)
})

test('a seed repeats its run', () => {
  const sample = `import { integer, sample } from 'fast-check'\nconsole.log(sample(integer(), 5).join())`
  const draw = (seed) =>
    node(['--import', join(home, '.ci/seed.mjs'), '--input-type=module', '--eval', sample], {
      FC_SEED: seed,
    })
  assert.equal(draw('42').status, 0)
  assert.equal(draw('42').text, draw('42').text)
  assert.notEqual(draw('42').text, draw('43').text)
})

test('no test runs beside one that packs, for packing changes the modules that both load', () => {
  const folder = 'reference-server/dist/test'
  const packing = readdirSync(join(home, folder))
    .filter((file) => file.endsWith('.test.js'))
    .filter((file) => readFileSync(join(home, folder, file), 'utf8').includes('packedProject('))
    .map((file) => join(folder, file))
  assert.ok(packing.length >= 2, packing.join())
  for (const file of packing) assert.ok(isAlone(file), file)
  assert.ok(!isAlone('receiver-kit/dist/test/kills.long.test.js'))
})
