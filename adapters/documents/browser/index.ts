export type { FileReport } from '../verify/report.ts'
export { mountVerifier, type VerifierOptions } from './mount.ts'
export { readKeyBlob, verifyBlob } from './verify-blob.ts'
