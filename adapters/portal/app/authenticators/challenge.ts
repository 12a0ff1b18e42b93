// A file of its own, so that pages load the hash once something is signed.
export { challengeOf, settingDigest } from '@countersign/core/webauthn'
