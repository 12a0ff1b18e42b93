import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { prepareLocal } from '../local.ts'
import { scratchDirectory } from './processes/scratch.ts'

const home = fileURLToPath(new URL('../../..', import.meta.url))
const ignored = readFileSync(join(home, 'reference-server/Dockerfile.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

/** As Docker reads the file: the last pattern that matches a path, or a folder above it, decides. */
function goesIn(path: string): boolean {
  const parts = path.split('/')
  const prefixes = parts.map((_, at) => parts.slice(0, at + 1).join('/'))
  let included = true
  for (const line of ignored) {
    const pattern = line.replace(/^!/, '')
    const source = pattern
      .replaceAll(/[.+]/g, '\\$&')
      .replaceAll('**/', '\0')
      .replaceAll('*', '[^/]*')
      .replaceAll('\0', '(?:.*/)?')
    if (prefixes.some((one) => new RegExp(`^${source}$`).test(one))) included = line.startsWith('!')
  }
  return included
}

it('the image takes no file of a directory that npm start made, wherever it lies', async () => {
  const directory = scratchDirectory()
  await prepareLocal(directory, { ingest: 1, portal: 2, staff: 3, receiver: 4 }, Date.now())
  const made = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.gitignore')
    .map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1))
  // The seed and the server add these.
  const later = ['demo.json', 'countersign.sqlite-wal', 'receiver-events.sqlite', 'receiver.log']
  assert.ok(made.length >= 5)
  for (const name of [...made, ...later])
    for (const place of ['.second', 'data', '.countersign', 'reference-server/data', 'core/x/y'])
      assert.ok(!goesIn(`${place}/${name}`), `${place}/${name}`)
})

it('the image has what its build reads', () => {
  for (const path of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    '.ci/build.mjs',
    'core/package.json',
    'adapters/sqlite/sqlite-store.ts',
    'reference-server/serve.ts',
    'receiver-kit/index.ts',
    'conformance/index.ts',
  ])
    assert.ok(goesIn(path), path)
  const { workspaces } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const sources = (workspaces as string[]).flatMap((dir) =>
    readdirSync(join(home, dir), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !/(^|\/)(dist|node_modules)\//.test(path))
      .map((path) => `${dir}/${path}`),
  )
  assert.ok(sources.length > 500)
  assert.deepEqual(
    sources.filter((path) => !goesIn(path)),
    [],
  )
})
