export { isPseudonym, type SubjectName, sessionSubject } from './pseudonym.ts'
export { erasedSubjects, type SubjectKey, subjectKeys } from './records.ts'
export { createVault, PayloadError, type Vault } from './vault.ts'
