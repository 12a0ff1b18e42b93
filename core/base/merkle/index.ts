export { leafHash, nodeHash } from './hash.ts'
export { type Inclusion, rootOfInclusion, verifyInclusion } from './inclusion.ts'
export { merkleTree } from './tree.ts'
