export { CanonicalizationError, canonicalize, maxDepth } from './canonicalize.ts'
export { digestOf } from './digest.ts'
