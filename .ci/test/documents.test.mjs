import assert from 'node:assert/strict'
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { documentsFolder, makeDocuments } from '../documents.mjs'
import { plantFiles } from './plant.mjs'

const koa = 'adapters/koa'

function plantBuilders(t) {
  const root = plantFiles(t, {
    'core/dist/.tsbuildinfo': '1',
    'core/docs/interface.md': '',
    [`${koa}/package.json`]: '{"type": "module"}',
    [`${koa}/dist/.tsbuildinfo`]: '1',
    [`${koa}/description/samples.json`]: '"first"',
    [`${koa}/description/words.json`]: '{}',
    [`${koa}/dist/description/documents.js`]:
      "export const describeApi = (samples) => ({ 'one.json': samples, 'two.json': 2 })\nexport const fileText = JSON.stringify\n",
    [`${koa}/dist/description/read-sources.js`]:
      "import { readFileSync } from 'node:fs'\nconst file = new URL('../../description/samples.json', import.meta.url)\nexport const readSources = () => JSON.parse(readFileSync(file, 'utf8'))\n",
  })
  return { root, at: (name) => join(root, documentsFolder, name) }
}

test('documents are made again when an input has changed, and only then', async (t) => {
  for (const input of [
    'core/dist/.tsbuildinfo',
    'core/docs/interface.md',
    `${koa}/package.json`,
    `${koa}/dist/.tsbuildinfo`,
    `${koa}/description/samples.json`,
    `${koa}/description/words.json`,
  ]) {
    const { root, at } = plantBuilders(t)
    await makeDocuments(root, { stale: true })
    assert.equal(readFileSync(at('one.json'), 'utf8'), '"first"')
    utimesSync(at('one.json'), 0, 0)
    await makeDocuments(root, { stale: true })
    assert.equal(statSync(at('one.json')).mtimeMs, 0)

    writeFileSync(join(root, input), '"changed"')
    await makeDocuments(root, { stale: true })
    assert.ok(statSync(at('one.json')).mtimeMs > 0, input)
  }
})

test('a document that is gone is made again, and one that is no more is removed', async (t) => {
  const { root, at } = plantBuilders(t)
  await makeDocuments(root, { stale: true })
  rmSync(at('two.json'))
  writeFileSync(at('extra.json'), '')
  await makeDocuments(root, { stale: true })
  assert.deepEqual(readdirSync(join(root, documentsFolder)).sort(), [
    '.inputs.json',
    'one.json',
    'two.json',
  ])
})

test('a tree without builders has no documents', async (t) => {
  const root = plantFiles(t, { 'package.json': '{}' })
  await makeDocuments(root, { stale: true })
  assert.ok(!existsSync(join(root, 'adapters')))
})
