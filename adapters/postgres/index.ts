export { checkPostgres, type PostgresCheck } from './check.ts'
export type { PostgresStoreOptions } from './options.ts'
export { openPostgresStore, type PostgresStore } from './postgres-store.ts'
