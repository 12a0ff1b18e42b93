import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { portableModules, writeBundle } from './bundle.ts'
import { marker, type Told } from './harness.ts'
import { type Runtime, runtimes } from './runtimes.ts'

const { FC_SEED } = process.env
const seed = FC_SEED === undefined ? null : Number(FC_SEED)

function told(runtime: Runtime, folder: string): Told {
  if ('missing' in runtime.found) throw new Error(runtime.found.missing)
  const { stdout, stderr, status } = spawnSync(runtime.found.program, runtime.arguments(folder), {
    encoding: 'utf8',
    timeout: 120_000,
  })
  const line = `${stdout}\n${stderr}`.split('\n').find((text) => text.includes(marker))
  assert.ok(line, `${runtime.name} ended with ${status} and told nothing: ${stdout}${stderr}`)
  return JSON.parse(line.slice(line.indexOf(marker) + marker.length))
}

/** The tests that the modules register and do not skip, asked of them here and not in a bundle. */
async function namesOf(modules: readonly string[]): Promise<readonly string[]> {
  const names: string[] = []
  for (const file of modules) {
    const { portableTests } = await import(pathToFileURL(file).href)
    portableTests((name: string, { skip }: { readonly skip?: string }) => {
      if (skip === undefined) names.push(name)
    })
  }
  assert.ok(names.length > 0, 'no portable test was found')
  return names
}

describe('the portable tests', () => {
  let folder: string
  let everyTest: readonly string[]
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-portable-'))
    const modules = portableModules()
    await writeBundle(folder, modules, seed)
    everyTest = await namesOf(modules)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const runtime of runtimes)
    test(
      `pass under ${runtime.name}`,
      'missing' in runtime.found ? { skip: runtime.found.missing } : {},
      (t) => {
        const { passed, failed, skipped } = told(runtime, folder)
        for (const reason of skipped) t.diagnostic(`skipped ${reason}`)
        assert.deepEqual(failed, [])
        assert.deepEqual(passed, everyTest)
      },
    )

  test('tell a test that fails, in every runtime', async () => {
    const failing = mkdtempSync(join(tmpdir(), 'countersign-portable-'))
    try {
      const file = join(failing, 'failing.portable.mjs')
      writeFileSync(
        file,
        `export const portableTests = (test) => test('fails', {}, async () => { throw new Error('on purpose') })`,
      )
      await writeBundle(failing, [file], seed)
      for (const runtime of runtimes)
        if ('program' in runtime.found)
          assert.deepEqual(told(runtime, failing), {
            passed: [],
            failed: [{ name: 'fails', error: 'Error: on purpose' }],
            skipped: [],
          })
    } finally {
      rmSync(failing, { recursive: true, force: true })
    }
  })

  test('cannot reach for Node', async () => {
    const reaching = mkdtempSync(join(tmpdir(), 'countersign-portable-'))
    try {
      const file = join(reaching, 'reaching.portable.mjs')
      writeFileSync(file, `import 'node:fs'\nexport const portableTests = () => {}`)
      await assert.rejects(writeBundle(reaching, [file], seed), /node:fs/)
    } finally {
      rmSync(reaching, { recursive: true, force: true })
    }
  })
})
