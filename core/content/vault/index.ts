export {
  isPseudonym,
  type SubjectName,
  sessionSubject,
} from './pseudonym.ts'
export {
  type ErasedSubject,
  erasedSubjects,
  type SubjectKey,
  subjectKeys,
  type TenantKey,
  type TenantKeys,
  tenantKeys,
} from './records.ts'
export type { VaultOwner } from './subject-key.ts'
export {
  createVault,
  type Opening,
  PayloadError,
  type PayloadField,
  type PayloadPlace,
  type Pseudonyms,
  type Sealing,
  type Vault,
} from './vault.ts'
