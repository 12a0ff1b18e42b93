export { anchorSuite } from './suite.ts'
