export type { ConnectionOptions } from './connection.ts'
export type { SqliteDatabase, SqliteStatement } from './driver.ts'
export { openSqliteInbox, type SqliteInboxOptions } from './sqlite-inbox.ts'
export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './sqlite-store.ts'
