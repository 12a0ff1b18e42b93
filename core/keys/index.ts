export { createIssuerKeys, type IssuerKeys, ringOf, type Signers } from './issuer-keys.ts'
export { type PublicJwk, publicJwk } from './jwk.ts'
export { type IssuerKey, type IssuerKeyRing, issuerKeyRings, sealedSeeds } from './records.ts'
export {
  nextTidy,
  overlapMs,
  publishAfterMs,
  publishAheadMs,
  published,
  rotationEnds,
  signing,
  tidy,
} from './ring.ts'
export { issuerKeyUpkeep } from './rotate-keys.ts'
