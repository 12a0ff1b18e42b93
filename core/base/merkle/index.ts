export { hashLength, leafHash, nodeHash } from './hash.ts'
export { type Inclusion, rootOfInclusion, verifyInclusion } from './inclusion.ts'
export { type MerkleTree, merkleTree } from './tree.ts'
