import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checks } from '@countersign/conformance/server'
import { brokenServers } from './broken-servers.ts'
import { testBrokenServers } from './judge-broken-servers.ts'

/** A fault in an answer, one in a request and one in a delivery; the long test has all. */
const names = [
  'grants a claim of what another has',
  'ignores If-Match',
  'writes the body anew after signing',
  'takes any root',
  'changes evidence after signing it',
]
const chosen = brokenServers.filter(({ name }) => names.includes(name))
assert.equal(chosen.length, names.length)

test('each check of sessions, evidence and erasure is failed by some broken server', () => {
  const judged = [
    'ingest',
    'evidence',
    'packages',
    'sessions',
    'seals',
    'marks',
    'policies',
    'erasure',
  ]
  const found = new Set(brokenServers.map(({ killedBy }) => killedBy))
  const names = checks.map(({ name }) => name)
  for (const name of names)
    if (judged.includes(name.split('.')[0] ?? '')) assert.ok(found.has(name), name)
  for (const { name, killedBy } of brokenServers) assert.ok(names.includes(killedBy), name)
})

testBrokenServers(chosen)
