import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Declared } from '@countersign/conformance/store'
import { storeSuite } from '@countersign/conformance/store'
import type { Store } from '@countersign/core/ports'

type Step = new (declared: Declared) => Store

const guide = readFileSync(new URL('../../../core/docs/store.md', import.meta.url), 'utf8')
const blocks = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
const folder = fileURLToPath(new URL('./store-guide', import.meta.url))
const steps = [...guide.matchAll(/^\| \[.*`(\w+)` \| (\d+) \|$/gm)].map(
  ([, name = '', passed]) => [name, Number(passed)] as const,
)

describe('the guide to a store of one’s own', () => {
  before(() => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'my-store.ts'), blocks.slice(0, -1).join('\n'))
    writeFileSync(join(folder, 'my-store.test.ts'), blocks.at(-1) ?? '')
    const compilerOptions = {
      strict: true,
      target: 'es2023',
      lib: ['es2023'],
      module: 'nodenext',
      types: ['node'],
      noUncheckedIndexedAccess: true,
      outDir: 'out',
      rootDir: '.',
    }
    const project = { compilerOptions, include: ['*.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
    const tsc = join(dirname(manifest), 'bin/tsc')
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('has a step for each row of its table', () => {
    assert.ok(steps.length >= 8)
    for (const [name] of steps)
      assert.ok(
        blocks.some((code) => code.includes(`export class ${name} `)),
        name,
      )
  })

  it('says how many tests each step passes, and each passes more', async () => {
    const module = await import(pathToFileURL(join(folder, 'out/my-store.js')).href)
    const counts: (readonly [string, number])[] = []
    for (const [name] of steps.slice(0, -1)) counts.push([name, await passedBy(module[name])])
    assert.deepEqual(counts, steps.slice(0, -1))
    const numbers = steps.map(([, passed]) => passed)
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    )
  })

  it('ends with a store that passes the suite', (t) => {
    // Each change is synced: in memory where that is.
    const home = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'store-guide-'))
    t.after(() => rmSync(home, { recursive: true }))
    const { stdout, status } = spawnSync(
      process.execPath,
      ['--test-reporter=tap', join(folder, 'out/my-store.test.js')],
      { encoding: 'utf8', env: { PATH: process.env.PATH, TMPDIR: home } },
    )
    assert.equal(status, 0, stdout)
    assert.match(stdout, new RegExp(`^# tests ${/suite's (\d+)/.exec(guide)?.[1]}$`, 'm'))
    assert.match(stdout, new RegExp(`^# pass ${steps.at(-1)?.[1]}$`, 'm'))
  })
})

async function passedBy(step: Step): Promise<number> {
  const tests: (() => Promise<void>)[] = []
  storeSuite({
    test: (_, { skip }, run) => void (skip === undefined && tests.push(run)),
    create: async (declared) => new step(declared),
    runs: 5,
    seed: 1,
  })
  let passed = 0
  for (const run of tests)
    try {
      await run()
      passed += 1
    } catch {
      // Of a later step.
    }
  return passed
}
