import assert from 'node:assert/strict'
import test from 'node:test'
import { exportMaps } from '../gates/exports.mjs'
import { readTree } from '../tree.mjs'
import { plant } from './plant.mjs'

const signing = { types: './dist/signing/index.d.ts', default: './dist/signing/index.js' }

/** The core with that exports map, and `files` beside what it promises. */
async function foundWith(t, exports, files, fields = { private: true }) {
  const root = plant(t, {
    'core/package.json': JSON.stringify({
      name: '@countersign/core',
      version: '0.1.0',
      type: 'module',
      exports,
      ...fields,
    }),
    ...files,
  })
  const found = await exportMaps(root, readTree(root))
  return found.map(({ file, line, rule, text }) => ({
    place: `${file}${line ? `:${line}` : ''}`,
    rule,
    text,
  }))
}

const built = {
  'core/dist/signing/index.d.ts': 'export {}\n',
  'core/dist/signing/index.js': 'export {}\n',
}

test('a map whose files are built, and documents that name its keys, have no finding', async (t) => {
  const documents = {
    'core/README.md': 'Use `@countersign/core/signing`.\n',
    'README.md': 'See @countersign/core/signing, and the package @countersign/node itself.\n',
    'adapters/node/package.json': JSON.stringify({
      name: '@countersign/node',
      private: true,
      exports: { '.': signing },
    }),
    'adapters/node/dist/signing/index.d.ts': '',
    'adapters/node/dist/signing/index.js': '',
  }
  assert.deepEqual(await foundWith(t, { './signing': signing }, { ...built, ...documents }), [])
})

test('a key whose file the build did not make', async (t) => {
  const { 'core/dist/signing/index.d.ts': _, ...withoutTypes } = built
  assert.deepEqual(await foundWith(t, { './signing': signing }, withoutTypes), [
    {
      place: 'core/package.json',
      rule: 'exports map',
      text: "exports['./signing'] points to ./dist/signing/index.d.ts, which the build did not make",
    },
  ])
})

test('a key without types', async (t) => {
  const [found] = await foundWith(t, { './signing': { default: signing.default } }, built)
  assert.equal(found.rule, 'exports map')
  assert.match(found.text, /no 'types'/)
})

test('no exports map at all', async (t) => {
  const [found] = await foundWith(t, undefined, {})
  assert.equal(found.text, '@countersign/core has no exports map: give it one')
})

test('documents that name what is not exported', async (t) => {
  const found = await foundWith(
    t,
    { './signing': signing },
    {
      ...built,
      'core/README.md': '\n`@countersign/core/singing`\n',
      'README.md': '@countersign/koah\n',
    },
  )
  assert.deepEqual(found, [
    {
      place: 'README.md:1',
      rule: 'documented subpath',
      text: 'names @countersign/koah, but there is no such package',
    },
    {
      place: 'core/README.md:2',
      rule: 'documented subpath',
      text: "names @countersign/core/singing, but @countersign/core exports no './singing'",
    },
  ])
})

test('what publint finds in a package that will be published', async (t) => {
  const [found] = await foundWith(
    t,
    { './signing': { types: signing.types, default: './dist/signing/index.cjs' } },
    { ...built, 'core/dist/signing/index.cjs': 'export const x = 1\n' },
    {},
  )
  assert.equal(found.place, 'core/package.json')
  assert.match(found.rule, /^publint /)
})
