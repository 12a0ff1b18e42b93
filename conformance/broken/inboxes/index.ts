import type { BrokenInbox } from './broken-inbox.ts'
import { headFaults, positionFaults } from './heads.ts'
import { keepingFaults } from './keeping.ts'
import { turnFaults } from './turns.ts'

export { type BrokenInbox, type InboxFaultClass, inboxFaultClasses } from './broken-inbox.ts'
export { type InboxHost, inboxHost } from './host.ts'

/** Inboxes that the suite must fail, each by the test that is named. */
export const brokenInboxes: readonly BrokenInbox[] = [
  ...keepingFaults,
  ...headFaults,
  ...positionFaults,
  ...turnFaults,
]
