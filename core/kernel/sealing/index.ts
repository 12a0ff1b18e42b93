export {
  createMasterKey,
  type MasterKey,
  type MasterKeyCheck,
  type Resealed,
} from './master-key.ts'
export { type SealingRecord, sealingRecords } from './records.ts'
export type { AnySealedMembers, SealedMembers } from './sealed-members.ts'
