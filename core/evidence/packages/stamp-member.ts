import { decodeBase64 } from '../../proof/signing/encoding.ts'
import type { PackMember } from '../pack.ts'

/** A time stamp (base64 of `TimeStampResp`, DER) as a file that `openssl ts -verify` takes; none where there is none. */
export function* stampMember(
  path: string,
  timeStamp: string | null | undefined,
): Generator<PackMember, void, undefined> {
  const content = timeStamp ? decodeBase64(timeStamp) : null
  if (content) yield { path, mediaType: 'application/timestamp-reply', content }
}
