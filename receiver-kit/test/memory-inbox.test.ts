import { test } from 'node:test'
import { inboxSuite } from '@countersign/conformance/inbox'
import { memoryInbox } from '@countersign/receiver-kit'

inboxSuite({
  test,
  create: async () => memoryInbox(),
  supports: { durability: 'it ends with the process, and says so' },
})
