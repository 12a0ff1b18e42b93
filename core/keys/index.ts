export { type IssuerKey, type IssuerKeyRing, issuerKeyRings } from './records.ts'
