import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createReceiver, memoryInbox, refusals } from '@countersign/receiver-kit'

const home = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(home, 'dist/test/readme')
const readme = readFileSync(join(home, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '')

describe('the README', () => {
  before(() => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const [at, code] of blocks.entries()) writeFileSync(join(folder, `block-${at}.ts`), code)
    const compilerOptions = {
      strict: true,
      target: 'es2023',
      lib: ['es2023'],
      module: 'nodenext',
      types: ['node'],
      exactOptionalPropertyTypes: true,
      outDir: 'out',
      rootDir: '.',
    }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.ts'] }),
    )
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('has code that compiles, every block', () => {
    assert.ok(blocks.length >= 5)
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
    const tsc = join(dirname(manifest), 'bin/tsc')
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout)
  })

  it('has a test of one’s own that passes', async () => {
    const at = blocks.findIndex((code) => code.includes('createTestSigner'))
    await import(pathToFileURL(join(folder, 'out', `block-${at}.js`)).href)
  })

  it('shows keys that a receiver takes', () => {
    for (const [key] of readme.matchAll(/whpk_[\w+/=]+/g))
      createReceiver({ keys: [key], inbox: memoryInbox(), onEvent: () => {} })
  })

  it('names every refusal', () => {
    for (const code of Object.keys(refusals)) assert.ok(readme.includes(`\`${code}\``), code)
  })

  it('names everything that an observer hears', () => {
    const sources = ['receiving/endpoint', 'handling/pump', 'handling/handler-loop'].map((file) =>
      readFileSync(join(home, `${file}.ts`), 'utf8'),
    )
    const names = new Set(sources.join().match(/'(receiver|handler|inbox)\.\w+'/g))
    assert.ok(names.size >= 9)
    for (const name of names) assert.ok(readme.includes(`\`${name.slice(1, -1)}\``), name)
  })
})
