import assert from 'node:assert/strict'
import { brokenServers } from './broken-servers.ts'
import { testBrokenServers } from './judge-broken-servers.ts'

/** A fault in an answer, one in a request and one in a delivery; the long test has all. */
const names = [
  'grants a claim of what another has',
  'ignores If-Match',
  'writes the body anew after signing',
]
const chosen = brokenServers.filter(({ name }) => names.includes(name))
assert.equal(chosen.length, names.length)

testBrokenServers(chosen)
