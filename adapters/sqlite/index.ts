export { type BackupReport, backupDatabase } from './backup.ts'
export { behind, type CheckReport, checkDatabase, highWaterOf, type LogHead } from './check.ts'
export type { ConnectionOptions } from './connection.ts'
export { openSqliteContents, type SqliteContents } from './contents.ts'
export { DriverError, type SqliteDatabase, type SqliteStatement } from './driver.ts'
export { syncFile } from './files.ts'
export { type HighWater, markFileOf, readMark, writeMark } from './high-water.ts'
export { type DatabaseLock, type LockMode, lockDatabase, lockFileOf } from './lock.ts'
export { otherUsersOf, type WriteLockHolder, writeLockHolder } from './lock-holder.ts'
export { foldAlone, replaceDatabase } from './replace.ts'
export { openSqliteInbox, type SqliteInboxOptions } from './sqlite-inbox.ts'
export { openSqliteReader, type SqliteReader } from './sqlite-reader.ts'
export {
  openSqliteStore,
  type ReadFailures,
  type SqliteStore,
  type SqliteStoreOptions,
} from './sqlite-store.ts'
export type { StoreFiles } from './store-files.ts'
export type { Upgrade } from './upgrade.ts'
