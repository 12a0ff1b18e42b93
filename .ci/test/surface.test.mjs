import assert from 'node:assert/strict'
import test from 'node:test'
import { surface } from '../gates/surface.mjs'
import { readTree } from '../tree.mjs'
import { plant } from './plant.mjs'

const exported = (name, keys) =>
  JSON.stringify({
    name: `@countersign/${name}`,
    exports: Object.fromEntries(
      keys.map((key) => {
        const path = key === '.' ? './dist/index' : `./dist/${key.slice(2)}/index`
        return [key, { types: `${path}.d.ts`, default: `${path}.js` }]
      }),
    ),
  })

const foundIn = (t, files) =>
  surface(readTree(plant(t, files))).map(({ file, line, rule }) =>
    [file, line, rule].filter((part) => part !== undefined).join(' '),
  )

test('documented names with one meaning are fine, whichever way they are exported', (t) => {
  const found = foundIn(t, {
    'core/package.json': exported('core', ['.', './ports']),
    'core/index.ts': "import type { Clock } from './ports/clock.ts'\nexport type { Clock }\n",
    'core/ports/index.ts': "export { type Clock, start as begin } from './clock.ts'\n",
    'core/ports/clock.ts':
      '/** Tells the time. */\nexport interface Clock {}\n/** The epoch. */\nexport const start = 0\nexport const inside = 1\n',
  })
  assert.deepEqual(found, [])
})

test('a public name without a doc comment is found where it is declared', (t) => {
  const found = foundIn(t, {
    'core/package.json': exported('core', ['.']),
    'core/index.ts': "export * from './ports/clock.ts'\n/** Said. */\nexport type Said = 1\n",
    'core/ports/clock.ts':
      '\nexport interface Clock {}\n// no doc comment\nexport function now() {}\n',
  })
  assert.deepEqual(found, [
    'core/ports/clock.ts 2 doc comment',
    'core/ports/clock.ts 4 doc comment',
  ])
})

test('a public name with two meanings is found, within a package and across packages', (t) => {
  const found = foundIn(t, {
    'core/package.json': exported('core', ['./ports', './events']),
    'core/ports/index.ts': '/** Of a commit. */\nexport type Outcome = 1\n',
    'core/events/index.ts': '/** Of a case. */\nexport type Outcome = 2\n',
    'receiver-kit/package.json': exported('receiver-kit', ['.']),
    'receiver-kit/index.ts': '/** Of a turn. */\nexport type Outcome = 3\n',
  })
  assert.deepEqual(found, ['core/events/index.ts public name', 'receiver-kit/index.ts public name'])
})

test('what is declared unstable is no part of the surface', (t) => {
  const found = foundIn(t, {
    'core/package.json': exported('core', ['./internal']),
    'core/internal/index.ts': 'export const inside = 1\n',
  })
  assert.deepEqual(found, [])
})
