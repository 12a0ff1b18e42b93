export { type ReadStamp, timeStampSuite } from './suite.ts'
