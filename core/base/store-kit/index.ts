export { checkBlobPath } from './blob-path.ts'
export type { PlacedEntry, StoreContents } from './contents.ts'
export {
  createEncoder,
  type EncodedSet,
  type EncodedWrite,
  type Encoder,
  encodeSet,
} from './encode-set.ts'
export { keyOf } from './key-of.ts'
export { chainHash, chainStart } from './log-chain.ts'
export {
  type BodyEncoding,
  bodyEncodingBy,
  bodySettings,
  plainBytes,
  type RowCodec,
  rowCodec,
} from './row-codec.ts'
export { createStoreRules, type StoreRules } from './rules.ts'
