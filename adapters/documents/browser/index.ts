export type { Compared, FileReport } from '../verify/report.ts'
export { mountVerifier, type VerifierOptions } from './mount.ts'
export { readKeyBlob, readKnownBlobs, readRecordBlob, verifyBlob } from './verify-blob.ts'
