export { readKeyFile, verifyFile } from './file.ts'
export type { FileReport } from './report.ts'
