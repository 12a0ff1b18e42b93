export { type BlobCapability, blobSuite, type OpenBlobs } from './suite.ts'
