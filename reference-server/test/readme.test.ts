import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { examples } from './example-blocks.ts'
import {
  approver,
  blocks,
  chapters,
  given,
  organization,
  ownModules,
  places,
  projectsOf,
  readReadme,
  root,
  rootBlock,
} from './readme-blocks.ts'

const folder = join(root, 'reference-server/dist/test/readme')
const packages = [...places.slice(1), 'receiver-kit', 'reference-server']

describe('the READMEs', () => {
  before(() => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const { name, code } of [...blocks, ...examples])
      writeFileSync(join(folder, `${name}.ts`), code)
    writeFileSync(join(folder, 'given.d.ts'), given)
    for (const [name, text] of Object.entries(ownModules)) writeFileSync(join(folder, name), text)
    const compilerOptions = {
      strict: true,
      target: 'es2023',
      // Of a browser too: some examples are for pages.
      lib: ['es2023', 'dom', 'dom.iterable'],
      module: 'nodenext',
      moduleDetection: 'force',
      types: ['node'],
      exactOptionalPropertyTypes: true,
      outDir: 'out',
      rootDir: '.',
    }
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
    const tsc = join(dirname(manifest), 'bin/tsc')
    for (const [name, project] of Object.entries(projectsOf(compilerOptions))) {
      const file = join(folder, `tsconfig.${name}.json`)
      writeFileSync(file, JSON.stringify(project))
      const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', file], {
        encoding: 'utf8',
      })
      assert.equal(status, 0, stdout)
    }
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('have code in every one, which compiled', () => {
    for (const place of places)
      assert.ok(
        blocks.some(({ name }) => name.startsWith(place.replace('/', '-') || 'root')),
        place,
      )
  })

  it('and the doc comments of entry points have examples, which compiled', () => {
    assert.ok(examples.length > 20)
  })

  it('show how to embed the service: a case is opened', () => {
    assert.equal(run('createService', organization, 'console.log(opened.state)'), 'open')
  })

  it('show how to ask a human, in eight lines: the answer lets the action go on', () => {
    const { code } = rootBlock('reviewCases.request')
    assert.ok(code.trimEnd().split('\n').length <= 8)
    assert.equal(run('reviewCases.request', approver, ''), 'paid')
  })

  it('show how to receive: a server listens', () => {
    assert.equal(run('createReceiver', '', "console.log('listens')"), 'listens')
  })

  it('have two chapters, one for each kind of reader', () => {
    for (const place of packages) {
      const found = readReadme(place).match(/^# For .*$/gm)
      assert.deepEqual(found, [...chapters], place)
    }
  })
})

/** Runs the root README's block that names this, in a process and a folder of its own; what it printed. */
function run(names: string, first: string, last: string): string {
  const block = rootBlock(names)
  const code = readFileSync(join(folder, 'out', `${block.name}.js`), 'utf8')
  const home = join(folder, names)
  mkdirSync(home)
  writeFileSync(join(home, 'first.mjs'), first)
  // Any free port: 3000 may be another's.
  const played = code.replace('listen(3000)', 'listen(0)')
  writeFileSync(
    join(home, 'block.mjs'),
    `import './first.mjs'\n${played}\n${last}\nprocess.exit(0)`,
  )
  const ran = spawnSync(process.execPath, ['block.mjs'], { cwd: home, encoding: 'utf8' })
  assert.equal(ran.status, 0, ran.stderr)
  return ran.stdout.trim()
}
