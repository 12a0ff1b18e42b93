import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

/** Of the compiled client: the module, the text that is changed, and into what. */
const mutants: readonly (readonly [module: string, text: string, into: string])[] = [
  ['call', 'const mostRepeats = 2', 'const mostRepeats = 3'],
  ['call', 'const firstWaitMs = 500', 'const firstWaitMs = 400'],
  ['call', 'unwritten || repeats === true', 'true'],
  ['call', '(unwritten || repeats === true)', 'repeats === true'],
  ['call', '* 2 ** repeat', '* 1'],
  ['call', 'Math.max((retryAfter ?? 0) * 1_000, backoff)', 'backoff'],
  ['call', "redirect: 'manual',", "redirect: 'follow',"],
  ['call', "'if-match': tag", "'if-match': '*'"],
  ['call', "'cache-control': 'max-age=0'", "x: 'y'"],
  ['call', "value === '..'", 'false'],
  ['call', 'input.idempotencyKey ??= crypto.randomUUID()', "input.idempotencyKey ??= 'k'"],
  ['call', 'release: () => done.abort()', 'release: () => {}'],
  ['call', 'return input.case', 'return null'],
  ['call', 'encodeURIComponent(value)', 'value'],
  ['call', 'if (surroundings.now() + waitMs >= until)', 'if (false)'],
  ['persist', "code === 'account_suspended'", 'false'],
  ['persist', 'waitMs * 2', 'waitMs'],
  ['persist', "code === 'deadline_exceeded'", 'false'],
  ['persist', '(error.retryAfter ?? 0) * 1_000', '0'],
  ['persist', 'status === 429', 'false'],
  ['request', "decision === 'approved'", "decision !== 'rejected'"],
  ['request', 'waitMs * 1.5', 'waitMs'],
  ['request', 'JSON.stringify([sessionId, checkpointId])', 'JSON.stringify([sessionId])'],
  ['request', 'JSON.stringify([sessionId, checkpointId])', 'JSON.stringify([checkpointId])'],
  ['request', 'options.cancelOnAbort)', 'true)'],
  ['request', 'error.case)', 'false)'],
  ['request', "error.code === 'no_answer'", 'false'],
  ['request', 'waiting.delete(reviewCaseId)', 'void 0'],
  ['request', 'all.delete(told)', 'void 0'],
  ['errors', "code === 'busy'", 'false'],
  ['errors', 'body.written === false', 'body.written !== true'],
  ['errors', 'status < 500', 'false'],
  ['errors', 'this.requestId = more.body?.requestId ?? null', 'this.requestId = null'],
  ['pages', 'if (seen.has(key))', 'if (false)'],
  ['pages', 'after = next', 'after = undefined'],
  ['credentials', 'loopback)', 'true)'],
  ['credentials', 'parsed.username ||', ''],
  ['portal', 'token = undefined', 'void 0'],
  ['portal', 'token = session.token', 'void 0'],
]

const tests = ['call', 'request', 'pages'].map((name) => `test/${name}.test.js`)
const dist = fileURLToPath(new URL('../', import.meta.url))

describe('a fault in the client fails its tests', () => {
  // Beside dist, where the packages that the tests import are found.
  const copy = mkdtempSync(join(dist, 'mutants-'))
  before(() => {
    mkdirSync(join(copy, 'test'))
    for (const file of [...readdirSync(dist), 'test/support.js', ...tests])
      if (file.endsWith('.js')) copyFileSync(join(dist, file), join(copy, file))
  })
  after(() => rmSync(copy, { recursive: true, force: true }))

  /** The exit code of the tests; null when they did not end in time. */
  function run(): number | null {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    return spawnSync(process.execPath, ['--test', ...tests], { cwd: copy, env, timeout: 60_000 })
      .status
  }

  it('without one they pass', () => assert.equal(run(), 0))

  for (const [module, text, into] of mutants)
    it(`${module}: ${text} → ${into || 'nothing'}`, () => {
      const file = join(copy, `${module}.js`)
      const whole = readFileSync(file, 'utf8')
      assert.ok(whole.includes(text), `${module}.js has no such text: change this mutant, too`)
      writeFileSync(
        file,
        whole.replace(text, () => into),
      )
      try {
        assert.notEqual(run(), 0)
      } finally {
        writeFileSync(file, whole)
      }
    })
})
