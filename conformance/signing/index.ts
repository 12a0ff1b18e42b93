export { signingSuite } from './suite.ts'
