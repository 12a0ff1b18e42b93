import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOfDriver } from '../driver.ts'

test('a driver that ends the process under a newer Node is refused, with its cure', () => {
  assert.equal(faultOfDriver('12.11.1', '20.20.2'), null)
  assert.equal(faultOfDriver('12.11.1', '22.23.2'), null)
  assert.equal(faultOfDriver('13.2.0', '22.23.2'), null)
  assert.equal(faultOfDriver('13.2.0', '24.21.0'), null)
  for (const node of ['24.21.0', '26.10.0'])
    assert.match(faultOfDriver('12.11.1', node) ?? '', /12\.11\.1 .*install better-sqlite3@13/)
})
