import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { packedProject, run } from './packed-project.ts'
import {
  blocks,
  given,
  organization,
  ownModules,
  projectsOf,
  root,
  rootBlock,
} from './readme-blocks.ts'

const published = [
  'core',
  'adapters/node',
  'adapters/sqlite',
  'adapters/postgres',
  'adapters/koa',
  'adapters/client',
  'adapters/agents',
  'adapters/mcp',
  'adapters/documents',
  'adapters/portal',
  'receiver-kit',
  'conformance',
]
const compilers = { '5.9': 'typescript-5.9', '7': 'typescript' } as const
/** A published tarball holds neither tests nor what only this repository runs. */
const unpublished = /^(test|simulator|mutants|bench)\//

describe('the tarballs of npm pack, in a strict project of their own', () => {
  const { project, modules, installAll, installOne, end } = packedProject()

  before(() => {
    installAll(published)
    for (const { name, code } of blocks) writeFileSync(join(project, `${name}.ts`), code)
    writeFileSync(join(project, 'given.d.ts'), given)
    for (const [name, text] of Object.entries(ownModules)) writeFileSync(join(project, name), text)
    writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  })
  after(end)

  for (const dir of published)
    it(`${dir} is built and holds nothing that only this repository runs`, () => {
      const { name } = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'))
      const dist = join(modules, name, 'dist')
      assert.ok(existsSync(dist), `${name} has no dist`)
      const found = readdirSync(dist, { recursive: true }).map(String)
      assert.deepEqual(
        found.filter((path) => unpublished.test(path)),
        [],
      )
      assert.deepEqual(
        found.filter((path) => path.endsWith('.map') || basename(path).startsWith('.')),
        [],
      )
      for (const file of ['README.md', 'LICENSE']) assert.ok(existsSync(join(modules, name, file)))
      // Each example that its README names is there to be copied.
      const readme = readFileSync(join(modules, name, 'README.md'), 'utf8')
      if (readme.includes('`examples/`'))
        assert.deepEqual(
          readdirSync(join(modules, name, 'examples')),
          readdirSync(join(root, dir, 'examples')).filter((file) => file.endsWith('.ts')),
        )
    })

  it('a tarball has no comment that asks for a source map', () => {
    installOne('adapters/client')
    const dist = join(modules, '@countersign/client/dist')
    const asks = readdirSync(dist, { recursive: true })
      .map(String)
      .filter((path) => /\.(js|d\.ts)$/.test(path))
      .filter((path) => /^\/\/# sourceMappingURL=/m.test(readFileSync(join(dist, path), 'utf8')))
    assert.deepEqual(asks, [])
  })

  it('every package is packed by the same scripts as that one', () => {
    const scripts = (depth: string) => ({
      prepack: `node ${depth}.ci/build.mjs --stale --quiet && node ${depth}.ci/map-comments.mjs strip`,
      postpack: `node ${depth}.ci/map-comments.mjs restore`,
    })
    for (const dir of published) {
      const depth = dir.includes('/') ? '../../' : '../'
      const manifest = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'))
      assert.deepEqual(manifest.scripts, scripts(depth), dir)
      assert.deepEqual(manifest.publishConfig, { access: 'public', provenance: true }, dir)
    }
  })

  for (const [version, compiler] of Object.entries(compilers))
    for (const moduleResolution of ['nodenext', 'bundler'] as const)
      it(`the READMEs' examples compile with TypeScript ${version}, ${moduleResolution}`, () => {
        const compilerOptions = {
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck: false,
          target: 'es2023',
          lib: ['es2023', 'dom'],
          types: ['node'],
          module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
          moduleResolution,
          moduleDetection: 'force',
          outDir: join('out', `${version}-${moduleResolution}`),
          rootDir: '.',
        }
        const tsc = join(root, 'node_modules', compiler, 'bin/tsc')
        for (const [name, { compilerOptions: own, ...files }] of Object.entries(
          projectsOf(compilerOptions),
        )) {
          const file = join(project, `tsconfig.${name}.json`)
          writeFileSync(file, JSON.stringify({ compilerOptions: own, ...files }))
          run(process.execPath, [tsc, '-p', file], project)
        }
      })

  it('the example that embeds the service opens a case', () => {
    assert.equal(play('createService', organization, 'console.log(opened.state)'), 'open')
  })

  it('the example that receives listens', () => {
    assert.equal(play('createReceiver', '', "console.log('listens')"), 'listens')
  })

  /** Runs what the compiler made of a block of the root README; what it printed. */
  function play(names: string, first: string, last: string): string {
    const code = readFileSync(
      join(project, 'out/7-nodenext', `${rootBlock(names).name}.js`),
      'utf8',
    ).replace('listen(3000)', 'listen(0)')
    const file = join(project, names, 'block.mjs')
    mkdirSync(dirname(file))
    writeFileSync(join(dirname(file), 'first.mjs'), first)
    writeFileSync(file, `import './first.mjs'\n${code}\n${last}\nprocess.exit(0)`)
    return run(process.execPath, [file], dirname(file)).trim()
  }
})
