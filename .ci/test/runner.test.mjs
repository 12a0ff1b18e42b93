import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import test from 'node:test'
import { home } from '../packages.mjs'
import { plant } from './plant.mjs'

/** A run inside a run: without the mark that makes Node report to the outer one. */
function node(args, env = {}) {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: home,
    encoding: 'utf8',
    env: { ...inherited, ...env },
  })
  return { status, text: `${stdout}${stderr}` }
}

function run(t, text, env) {
  const file = join(plant(t, { 'x.test.mjs': text }), 'x.test.mjs')
  return node(
    ['--test', '--test-timeout=500', `--test-reporter=${join(home, '.ci/reporter.mjs')}`, file],
    env,
  )
}

const inTest = (body) => `import test from 'node:test'\ntest('one', ${body})\n`

test('a run that passes ends with its total', (t) => {
  const { status, text } = run(t, inTest('() => {}'))
  assert.equal(status, 0, text)
  assert.match(text, /\n1 tests in 1 files, 0 failed, 0 skipped, [\d.]+ s\n$/)
})

const failing = {
  '0 tests ran in this file': '',
  'skipped without a reason': inTest('{ skip: true }, () => {}'),
  'is a todo': inTest('{ todo: true }, () => {}'),
  'AssertionError[\\s\\S]*x.test.mjs:2 {2}one': inTest(
    "() => { throw new (await import('node:assert')).AssertionError({ message: 'x' }) }",
  ).replace('() =>', 'async () =>'),
  'failed outside its tests': `${inTest('() => {}')}process.exitCode = 3\n`,
  'failed outside its tests: what it printed': `${inTest('() => {}')}setTimeout(() => { throw new Error('late') })\n`,
  'did not end in time': inTest('() => { setInterval(() => {}, 1000) }'),
  'still pending': inTest('() => new Promise(() => {})'),
}
for (const [says, text] of Object.entries(failing))
  test(`a run fails that: ${says}`, (t) => {
    const { status, text: printed } = run(t, text)
    assert.equal(status, 1, printed)
    assert.match(printed, new RegExp(`✗ [\\s\\S]*${says}`))
  })

test('skips are told with their reason', (t) => {
  const { status, text } = run(
    t,
    `${inTest('() => {}')}test('two', { skip: 'no vectors' }, () => {})\n`,
  )
  assert.equal(status, 0, text)
  assert.match(text, /1 skipped: no vectors\n/)
})

test('no file to run is a failure', () => {
  const { status, text } = node(['.ci/test.mjs', 'no/such/test'])
  assert.equal(status, 1)
  assert.match(text, /^no test file matches no\/such\/test/)
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
