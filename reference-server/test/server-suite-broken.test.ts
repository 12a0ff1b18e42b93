import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checks } from '@countersign/conformance/server'
import { routes } from '@countersign/koa'
import { brokenServers } from './broken-servers.ts'
import { checkedOperations, uncheckedOperations } from './checked-operations.ts'
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

test('each check is failed by some broken server', () => {
  const found = new Set(brokenServers.map(({ killedBy }) => killedBy))
  const names = checks.map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => !found.has(name)),
    [],
    'checks without a fault',
  )
  for (const { name, killedBy } of brokenServers) assert.ok(names.includes(killedBy), name)
})

test('each operation has a check, or a reason why it has none', () => {
  const names = checks.map(({ name }) => name)
  const told = { ...checkedOperations, ...uncheckedOperations }
  const served = routes.map(({ host, name }) => `${host} ${name}`)
  const untold = served.filter((name) => !(name in told))
  assert.ok(
    untold.length === 0,
    `${untold}: call it in a check of conformance/server/checks, and name that in checked-operations.ts`,
  )
  assert.deepEqual(Object.keys(told).sort(), served.sort())
  for (const [operation, check] of Object.entries(checkedOperations))
    assert.ok(names.includes(check), `${operation}: no check ${check}`)
  assert.equal(
    Object.keys(told).length,
    Object.keys(checkedOperations).length + Object.keys(uncheckedOperations).length,
    'an operation is in one of both',
  )
})

testBrokenServers(chosen)
