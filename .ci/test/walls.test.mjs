import assert from 'node:assert/strict'
import test from 'node:test'
import { walls } from '../gates/walls.mjs'
import { readTree } from '../tree.mjs'
import { packages, rooms } from '../walls.mjs'
import { plant } from './plant.mjs'

test('a house that keeps its walls has no finding', (t) => {
  assert.deepEqual(walls(readTree(plant(t))), [])
})

const imports = (specifier) => `import { x } from '${specifier}'\n`

/** Each plants one file and names the rule that it breaks. */
const planted = [
  ['core/kernel/x.ts', imports('undici'), 'foreign library'],
  ['core/kernel/x.ts', imports('fast-check'), 'foreign library'],
  ['core/kernel/x.ts', imports('node:crypto'), 'node: in portable code'],
  ['core/kernel/x.ts', "import type { X } from 'node:http'\n", 'node: in portable code'],
  ['core/kernel/x.ts', imports('@countersign/node'), 'package wall'],
  ['core/kernel/x.ts', imports('@countersign/core/ports'), 'package wall'],
  ['core/kernel/x.ts', imports('../../adapters/node/index.ts'), 'path out of the package'],
  ['conformance/mutants/modules.ts', imports('../../core/x.ts'), 'path out of the package'],
  [
    'conformance/mutants/modules.ts',
    "export type X = typeof import('../../receiver-kit/x.ts')\n",
    'path out of the package',
  ],
  [
    'conformance/mutants/x.ts',
    "export type X = typeof import('../../core/x.ts')\n",
    'path out of the package',
  ],
  ['core/kernel/x.ts', imports('../test/review/case.test.ts'), 'shipped code imports a test'],
  ['receiver-kit/x.ts', imports('@countersign/core'), 'package wall'],
  ['receiver-kit/x.ts', imports('@countersign/core/review'), 'package wall'],
  ['receiver-kit/x.ts', imports('@countersign/core/ports'), 'more than types'],
  ['receiver-kit/x.ts', imports('undici'), 'foreign library'],
  ['receiver-kit/x.ts', imports('node:http'), 'node: in portable code'],
  ['conformance/x.ts', imports('@countersign/sqlite'), 'package wall'],
  ['conformance/x.ts', imports('@countersign/receiver-kit'), 'package wall'],
  ['adapters/koa/x.ts', imports('@countersign/node'), 'package wall'],
  ['adapters/koa/x.ts', imports('@countersign/conformance/store'), 'package wall'],
  ['adapters/koa/x.ts', imports('@countersign/core/testing'), 'test doubles in shipped code'],
  ['adapters/koa/x.ts', imports('zod'), 'foreign library'],
  ['adapters/koa/x.ts', imports('@koa/router'), 'undeclared dependency'],
  ['adapters/node/x.ts', imports('pino'), 'undeclared dependency'],
  ['adapters/koa/x.ts', imports('@countersign/koa'), 'package wall'],
  ['adapters/koa/test/x.test.ts', imports('undici'), 'undeclared dependency'],
  ['receiver-kit/test/x.test.ts', imports('aws-lambda'), 'undeclared dependency'],
  ['reference-server/config.ts', imports('@countersign/node'), 'adapter outside the composition'],
  ['reference-server/config.ts', imports('@countersign/koa/x'), 'adapter outside the composition'],
  ['core/kitchen/x.ts', '', 'room without walls'],
  ['core/base/x.ts', imports('../kernel/ledger.ts'), 'room wall'],
  ['core/kernel/x.ts', imports('../review/case.ts'), 'room wall'],
  ['core/proof/x.ts', imports('../kernel/ledger.ts'), 'room wall'],
  ['core/base/events/x.ts', imports('../../proof/verify.ts'), 'room wall'],
  ['core/outbox/x.ts', imports('../webhooks/x.ts'), 'room wall'],
  ['core/webhooks/x.ts', imports('../review/case.ts'), 'room wall'],
  ['core/kernel/work/x.ts', imports('../../outbox/x.ts'), 'room wall'],
  ['core/review/x.ts', imports('../testing/clock.ts'), 'room wall'],
  ['core/review/x.ts', imports('../service.ts'), 'room wall'],
  ['core/service.ts', imports('./testing/clock.ts'), 'test doubles in shipped code'],
  ['core/review/x.ts', imports('../kernel/index.ts'), 'index of a room'],
  ['core/review/x.ts', imports('../kernel/work/index.ts'), 'index of a room'],
  ['core/review/x.ts', "export * from '../testing/clock.ts'\n", 'room wall'],
  ['core/review/x.ts', "export type T = import('../testing/clock.ts').T\n", 'room wall'],
  ['core/review/x.ts', "import '../testing/clock.ts'\n", 'room wall'],
  ['core/review/x.ts', imports('./x.ts'), 'circle of imports'],
]

for (const [file, text, rule] of planted)
  test(`${rule}: ${file} with ${text.trim() || 'nothing in it'}`, (t) => {
    const found = walls(readTree(plant(t, { [file]: text })))
    assert.deepEqual(
      found.map(({ file, rule }) => ({ file, rule })),
      [{ file, rule }],
    )
    if (text && rule !== 'circle of imports') assert.equal(found[0].line, 1)
  })

test('the kit may take types of the ports and of node, the kernel may look into the base, mutants name types of the core, examples import their package', (t) => {
  const root = plant(t, {
    'receiver-kit/x.ts':
      "import type { A } from '@countersign/core/ports'\nimport type { B } from 'node:http'\n",
    'core/kernel/x.ts': imports('../base/key-of.ts'),
    'core/base/key-of.ts': '',
    'core/testing/x.ts': imports('../review/case.ts'),
    'adapters/koa/examples/x.ts': imports('@countersign/koa'),
    'conformance/mutants/modules.ts':
      "export type X = typeof import('../../core/base/events/x.ts')\n",
  })
  assert.deepEqual(walls(readTree(root)), [])
})

test('a circle through three files is told once, with its way', (t) => {
  const root = plant(t, {
    'core/kernel/a.ts': imports('./b.ts'),
    'core/kernel/b.ts': "import type { C } from './c.ts'\n",
    'core/kernel/c.ts': imports('./a.ts'),
  })
  const [circle, ...rest] = walls(readTree(root))
  assert.deepEqual(rest, [])
  assert.equal(
    circle.text,
    'imports itself: core/kernel/a.ts → core/kernel/b.ts → core/kernel/c.ts → core/kernel/a.ts',
  )
})

test('a workspace that nobody gave walls is refused', (t) => {
  const root = plant(t, {
    'package.json': JSON.stringify({ workspaces: ['core', 'extra'] }),
    'extra/package.json': '{"name":"@countersign/extra"}',
  })
  assert.deepEqual(
    walls(readTree(root)).map(({ file, rule }) => [file, rule]),
    [['extra/package.json', 'package without walls']],
  )
})

test('the table itself has no circle of rooms', () => {
  const above = (room, seen) => {
    assert.ok(!seen.includes(room), `rooms in a circle: ${[...seen, room].join(' → ')}`)
    if (rooms[room] === 'every room') return
    for (const next of rooms[room]) above(next, [...seen, room])
  }
  for (const room of Object.keys(rooms)) above(room, [])
})

test('every workspace of this repository has walls', () => {
  assert.ok(Object.keys(packages).length > 0)
  assert.deepEqual(
    walls(readTree(new URL('../..', import.meta.url).pathname)).filter(({ rule }) =>
      rule.endsWith('without walls'),
    ),
    [],
  )
})
