import assert from 'node:assert/strict'
import test from 'node:test'
import { sources } from '../gates/sources.mjs'
import { readTree } from '../tree.mjs'
import { plant } from './plant.mjs'

const foundIn = (t, files) =>
  sources(readTree(plant(t, files))).map(({ file, line, rule, warning }) => [
    `${file}${line ? `:${line}` : ''}`,
    warning ? `warning: ${rule}` : rule,
  ])

test('a house in order has no finding', (t) => {
  assert.deepEqual(foundIn(t), [])
})

const reaching = [
  'Buffer.from(x)',
  'process.env.HOME',
  'Date.now()',
  'new Date()',
  'new Date',
  'Math.random()',
  'performance.now()',
  'crypto.getRandomValues(x)',
  'globalThis.fetch',
  'setTimeout(x, 1)',
]
for (const use of reaching)
  test(`the core may not reach for ${use}`, (t) => {
    const text = `// ${use}\nconst said = '${use}'\nexport const x = ${use}\n`
    const found = foundIn(t, {
      'core/kernel/ledger/x.ts': text,
      'core/test/x.test.ts': text,
      'adapters/node/x.ts': text,
    })
    assert.deepEqual(found, [['core/kernel/ledger/x.ts:3', 'surroundings of the core']])
  })

test('a date of a given time, and names that only resemble, are fine', (t) => {
  const text =
    'new Date(now)\nport.process(x)\nconst process = 1\nclock.setTimeout(1)\nmy.crypto.x\n'
  assert.deepEqual(foundIn(t, { 'core/kernel/ledger/x.ts': text }), [])
})

test('names are kebab-case, folders too', (t) => {
  assert.deepEqual(
    foundIn(t, { 'core/kernel/ledger/ChangeSet.ts': '', 'core/change_sets/x.ts': '' }),
    [
      ['core/change_sets/x.ts', 'file name'],
      ['core/kernel/ledger/ChangeSet.ts', 'file name'],
    ],
  )
})

test('length: 300 lines pass, 301 are told, 401 are refused, tests and generated files are free', (t) => {
  const lines = (count) => 'x\n'.repeat(count)
  assert.deepEqual(
    foundIn(t, {
      'core/kernel/ledger/a.ts': lines(300),
      'core/kernel/ledger/b.ts': lines(301),
      'core/kernel/ledger/c.ts': lines(400),
      'core/kernel/ledger/d.ts': lines(401),
      'core/kernel/ledger/e.ts': `// Generated from a table.\n${lines(900)}`,
      'core/kernel/ledger/f.ts': `x\n// Generated from a table.\n${lines(900)}`,
      'core/test/long.test.ts': lines(900),
    }),
    [
      ['core/kernel/ledger/b.ts', 'warning: file length'],
      ['core/kernel/ledger/c.ts', 'warning: file length'],
      ['core/kernel/ledger/d.ts', 'file length'],
      ['core/kernel/ledger/f.ts', 'file length'],
    ],
  )
})

const deferred = [
  "db.exec('BEGIN')",
  'db.exec(`\n  BEGIN;\n  INSERT …`)',
  "db.exec('begin transaction')",
  "db.exec('begin;')",
  "db.prepare('BEGIN DEFERRED')",
  'db.transaction(write)(rows)',
]
for (const sql of deferred)
  test(`deferred transaction: ${JSON.stringify(sql)}`, (t) => {
    const [found, ...rest] = foundIn(t, { 'adapters/node/x.ts': `${sql}\n` })
    assert.equal(found?.[1], 'deferred transaction')
    assert.deepEqual(rest, [])
  })

test('BEGIN IMMEDIATE and EXCLUSIVE, the body of a trigger and a PEM header are fine', (t) => {
  const text = [
    "db.exec('BEGIN IMMEDIATE')",
    "db.exec('BEGIN EXCLUSIVE')",
    "db.exec('CREATE TRIGGER t BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 1); END')",
    "const pem = '-----BEGIN CERTIFICATE-----'",
    "const state = 'begin'",
    'db.transaction(write).immediate(rows)',
    '// BEGIN',
  ].join('\n')
  assert.deepEqual(foundIn(t, { 'adapters/node/x.ts': text }), [])
})

test('SQL files are read too', (t) => {
  assert.deepEqual(foundIn(t, { 'adapters/node/schema.sql': 'SELECT 1;\nBEGIN;\n' }), [
    ['adapters/node/schema.sql:2', 'deferred transaction'],
  ])
})

test('a bound LIMIT that SQLite would prepare anew each time', (t) => {
  const text = [
    "db.prepare('SELECT 1 LIMIT ?')",
    "db.prepare('SELECT 1 LIMIT ? + 0 OFFSET ?')",
  ].join('\n')
  assert.deepEqual(foundIn(t, { 'adapters/node/x.ts': text }), [
    ['adapters/node/x.ts:1', 'bound limit'],
  ])
})

test('unfinished work is told', (t) => {
  const text = [
    '// TO' + 'DO later',
    'x as a' + 'ny',
    '// @ts-' + 'ignore',
    "const s = 'TO" + "DO'",
  ].join('\n')
  assert.deepEqual(foundIn(t, { 'adapters/node/test/x.test.ts': text }), [
    ['adapters/node/test/x.test.ts:1', 'unfinished'],
    ['adapters/node/test/x.test.ts:3', 'unfinished'],
    ['adapters/node/test/x.test.ts:2', 'unfinished'],
  ])
})

test('a placeholder is told while it stands alone, and refused beside tests', (t) => {
  assert.deepEqual(
    foundIn(t, { 'core/test/empty.test.ts': '', 'adapters/koa/test/empty.test.ts': '' }),
    [
      ['core/test/empty.test.ts', 'placeholder'],
      ['adapters/koa/test/empty.test.ts', 'warning: placeholder'],
    ],
  )
})

test('the bound of a field stands in one table', (t) => {
  const found = foundIn(t, {
    'core/kernel/ledger/limits.ts': 'export const longest = { label: 100 }\n',
    'core/applications/check-input.ts':
      "const longestLabel = 100\nexport const x = checkText(label, '/label', 200)\n",
    'adapters/koa/schemas.ts':
      'export const label = z.string().max(200)\nz.string().max(longest.label)\n',
  })
  assert.deepEqual(found, [
    ['core/applications/check-input.ts:2', 'limit'],
    ['core/applications/check-input.ts:1', 'limit'],
    ['adapters/koa/schemas.ts:1', 'limit'],
  ])
})
