export { readKeyFile, readKnownFiles, verifyFile } from './file.ts'
export type { Compared, FileReport } from './report.ts'
