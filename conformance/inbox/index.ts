export { type InboxCapability, inboxSuite } from './suite.ts'
