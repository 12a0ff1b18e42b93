import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  brokenInboxes,
  brokenStores,
  inboxFaultClasses,
  storeFaultClasses,
} from '@countersign/conformance/broken'
import { escaped, judgeInbox, judgeStore } from './judge-stores.ts'

const leastShare = 0.95

describe('the power of the store and inbox suites', () => {
  for (const group of storeFaultClasses)
    it(`finds broken stores by the tests named for them: ${group}`, async () => {
      const all = brokenStores.filter((one) => one.group === group)
      const missed = await escaped(all, judgeStore)
      console.log(`${group}: ${all.length - missed.length} of ${all.length}`)
      assert.ok(missed.length <= all.length * (1 - leastShare), missed.join('\n'))
    })

  for (const group of inboxFaultClasses)
    it(`finds broken inboxes by the tests named for them: ${group}`, async () => {
      const all = brokenInboxes.filter((one) => one.group === group)
      const missed = await escaped(all, judgeInbox)
      console.log(`${group}: ${all.length - missed.length} of ${all.length}`)
      assert.ok(missed.length <= all.length * (1 - leastShare), missed.join('\n'))
    })
})
