export { checkPostgres, type PostgresCheck } from './check.ts'
export { type Imported, importContents } from './import-contents.ts'
export type { PostgresStoreOptions } from './options.ts'
export {
  type EventOfTurn,
  type InboxTransaction,
  openPostgresInbox,
  type PostgresInbox,
  type PostgresInboxOptions,
} from './postgres-inbox.ts'
export { openPostgresStore, type PostgresStore } from './postgres-store.ts'
