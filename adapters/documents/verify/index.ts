export { readAuthorityFiles, readKeyFile, readKnownFiles, verifyFile } from './file.ts'
export type { Compared, FileReport } from './report.ts'
export type { StampVerifier } from './stamps.ts'
