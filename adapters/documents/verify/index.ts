export { type FileReport, readKeyFile, verifyFile } from './file.ts'
