import assert from 'node:assert/strict'
import { it } from 'node:test'
import { firstPort } from './own-ports.ts'

it('no process begins to look for ports among those that fetch refuses to ask', async () => {
  const refused = 10_080
  const isBad = (error: Error) => /bad port/.test(String(error.cause))
  await assert.rejects(fetch(`http://127.0.0.1:${refused}`), isBad)
  for (let pid = 1; pid < 4_194_304; pid += 1)
    if (firstPort(pid) <= refused || firstPort(pid) > 32_767)
      assert.fail(`process ${pid} begins at ${firstPort(pid)}`)
})
